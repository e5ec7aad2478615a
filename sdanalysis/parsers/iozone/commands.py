"""iozone's command lines: where a page has them, and their options as getopt reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

# getopt's string of iozone.c 3.489: the letters with an argument; -+ has letters of its own.
_WITH_ARGUMENT = frozenset("JjkVrtsfFdluUSLH+PibXYgnyq")
_PLUS_WITH_ARGUMENT = frozenset("abchmxipAqKwyCSWHPO")


class Options(NamedTuple):
    """The options of one command line: each letter with its arguments, `+n` for `-+n`."""

    given: Mapping[str, Sequence[str]]

    def numbers(self, letter: str) -> list[int]:
        """Return the arguments of an option that are numbers, in their order."""
        texts = self.given.get(letter, ())
        return [int(text) for text in texts if re.fullmatch("[0-9]{1,9}", text)]

    def depth(self) -> int | None:
        """Return how many operations of an asynchronous run are on their way at once."""
        depths = self.numbers("H") + self.numbers("k")
        return depths[0] if len(depths) == 1 else None

    def processes(self) -> Sequence[int]:
        """Return the numbers of processes that throughput mode was asked for."""
        most = self.numbers("u")
        if not most and not self.numbers("l"):
            return self.numbers("t")
        least = (self.numbers("l") or [1])[-1]
        return range(least, (most or [least])[-1] + 1)

    def sizes(self, letter: str) -> list[int]:
        """Return the sizes of an option in bytes, bare digits as KiB; none where one is no size."""
        found = [_SIZE.fullmatch(text) for text in self.given.get(letter, ())]
        sizes = [int(match[1]) * _SCALE[match[2].lower()] for match in found if match]
        return sizes if len(sizes) == len(found) else []

    def size(self, letter: str) -> int | None:
        """Return a size that is given once, in bytes."""
        sizes = self.sizes(letter)
        return sizes[0] if len(sizes) == 1 else None


_SIZE = re.compile(r"([0-9]{1,12})([kKmMgG]?)")
_SCALE = {"": 1024, "k": 1024, "m": 1024**2, "g": 1024**3}
# of a shell, and of a sentence in any language: `-i 2，...`, `-i 2测试`
_SHELL = re.compile(r"[;|&<>)]|[^\w\x00-\x7f]|(?<=[!-~])[^\x00-\x7f]+$")
_GOES_ON = re.compile(r"\\ +> ")  # in the next line, where a page made one of both
_MARKS = " \t:.,*=\"'`\u201d"  # behind a command of a page


@lru_cache(maxsize=64)  # the logs of a folder have the same few
def read_command(text: str) -> Options:
    """Return the options of a command line, as getopt would: `-eI`, `-i0` and `-i 0` alike."""
    words = _SHELL.split(_GOES_ON.sub(" ", text))[0].rstrip(_MARKS).split()[1:]
    given: dict[str, list[str]] = {}
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if not word.startswith("-"):
            continue
        letter, argument, takes = _option(word, given)
        if takes and not argument and position < len(words):
            argument = words[position]
            position += 1
        if letter:
            given.setdefault(letter, []).append(argument)
    return Options(given)


def _option(word: str, given: dict[str, list[str]]) -> tuple[str, str, bool]:
    """Note the flags of one word; return its last option, argument and whether it takes one."""
    for index, letter in enumerate(word[1:], 1):
        rest = word[index + 1 :]
        if letter == "+":
            return f"+{rest[:1]}", rest[1:], rest[:1] in _PLUS_WITH_ARGUMENT
        if letter in _WITH_ARGUMENT:
            return letter, rest, True
        given.setdefault(letter, []).append("")
    return "", "", False


_LONGEST = 4096  # characters of a command: a longer line is no shell's
# Of a command that nothing here was made with
DENIED = re.compile(
    r"\b(?:without|unlike|instead|not|no|ohne|statt|nicht|usage|example|syntax|beispiel"
    r"|e[jx]empl[eo])\b|n't\b|\be\.g",
    re.IGNORECASE,
)
FLAG = r"-[A-Za-z+][\w+./:-]{0,200}+"
WORD = rf"(?:{FLAG}|(?=\S{{0,200}}[0-9./~$])[\w./~${{}}-]{{1,200}}+)"  # of a command, no prose
_TOOL = r"(?:[\w./~-]{0,200}/)?iozone3?"
# What runs another program: `time`, `sudo -u joe`, `taskset -c 4`, `LANG=C`, `docker run IMAGE`
_WRAPPED = (
    r"(?:(?:sudo|doas|time|nice|ionice|nohup|env|exec|taskset|numactl|chrt|do)\b"
    r"(?: +[\w.-][\w.:,=/-]{0,40}){0,5}? +|\w{1,20}=\S{0,60} +){0,4}"
)
_RUNNER = r"(?:docker|podman|kubectl|oc|lxc|singularity|apptainer|mpirun|srun|ssh) [^|;\n]{1,200}? "
_TYPED = rf"(?:{_RUNNER})?[\"']?{_WRAPPED}({_TOOL} +-.*)$"
_AT_MARGIN = re.compile(rf"(?:(?:cd|sync) [^|\n]{{0,200}}?(?:&&|;) *)?{_WRAPPED}({_TOOL} +-.*)$")
_PROMPT = re.compile(
    r"(?:[$#%>\u276f\u00bb\u03bb] ?|\u279c +(?:\S{1,60} +){0,2}|^\s*\+{1,3} |[Cc]ommand ?: ?)"
    rf"(?:(?:(?!iozone3? )[^|\n]){{1,200}}?(?:&&|;) *)?{_TYPED}"
)
# A command alone behind a label, in a list or between rules: `Test 1: iozone -a -s 1g -r 4k`
_LABELLED = re.compile(
    r"(?:[^\n:\uff1a]{1,40}[:\uff1a] ?|[-*+\u2022] +|[0-9]{1,2}(?:[.)] +|\u3001)|[-=]{2,20} *"
    r"|Running +|[^!-~\n]{1,20})?"  # the last: words of another script
    rf"[\"'\u201c]?{_WRAPPED}({_TOOL}(?: ++{WORD}){{3,60}}+)"
    r"(?:[\"':=\s-]|[^\w\x00-\x7f]){0,40}(?:[^!-~\n]{1,20}:?)?$"
)


def indent(text: str) -> int:
    """Return how many blanks a text begins with: of a part they may be thousands.

    Patterns that search from there on take a hundredth of their time.
    """
    return len(text) - len(text.lstrip())


def typed(text: str) -> re.Match[str] | None:
    """Return a command at the margin, behind a shell's prompt, or alone behind a label."""
    if "iozone" not in text:
        return None
    start = indent(text)
    if len(text) - start > _LONGEST:
        return None
    found = _AT_MARGIN.match(text, start) or _PROMPT.search(text, start)
    if found or not (found := _LABELLED.match(text, start)):
        return found
    return None if DENIED.search(text[: found.start(1)]) else found
