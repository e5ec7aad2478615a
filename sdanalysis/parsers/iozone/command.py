"""iozone's `Command line used:` -> which tests ran, and how."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sdanalysis.parsers.iozone.layouts import STANDARD

# getopt's string of iozone.c 3.489: the letters with an argument; -+ has letters of its own.
_WITH_ARGUMENT = frozenset("JjkVrtsfFdluUSLH+PibXYgnyq")
_PLUS_WITH_ARGUMENT = frozenset("abchmxipAqKwyCSWHPO")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of one command line: each letter with its arguments, `+n` for `-+n`."""

    given: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def tests(self, columns: int) -> tuple[int, ...]:
        """Return the `-i` numbers that print in a table of so many columns."""
        shown = _shown(columns, "E" in self.given)
        if "A" in self.given:
            return tuple(one for one in shown if one < 2)
        chosen = {int(one) for one in self.given.get("i", ()) if one.isdecimal()}
        return tuple(one for one in shown if not chosen or one in chosen)

    def number(self, letter: str) -> int | None:
        """Return the last argument of an option as a number, None when it is not one."""
        text = self.given.get(letter, ("",))[-1]
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None

    def size(self, letter: str) -> int | None:
        """Return a size that is given once, in bytes; iozone takes bare digits as KiB."""
        match = _SIZE.fullmatch("".join(self.given.get(letter, ())))
        return int(match[1]) * _SCALE[match[2].lower()] if match else None


def _shown(columns: int, extended: bool) -> tuple[int, ...]:
    """Return the tests that a table with so many result columns has room for."""
    if columns <= 4:
        return STANDARD[:2]
    if columns == 9:  # memory-mapped and asynchronous runs have no fwrite and fread
        return STANDARD[:6]
    if columns > 17:
        return (*STANDARD, 9, 10, 11, 12)
    return (*STANDARD, 9, 10) if extended or columns == 17 else STANDARD


_SIZE = re.compile(r"([0-9]{1,12})([kKmMgG]?)")
_SCALE = {"": 1024, "k": 1024, "m": 1024**2, "g": 1024**3}
_SHELL = re.compile(r"[;|&<>)]")


def read_command(text: str) -> Options:
    """Return the options of a command line, as getopt would: `-eI`, `-i0` and `-i 0` alike."""
    words = _SHELL.split(text)[0].split()[1:]
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
    return Options(given=given)


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
