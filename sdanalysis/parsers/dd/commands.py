"""The dd commands of a pasted line -> direction, block size, count and flags of their runs.

Redirections and pipes stand for `if=` and `of=` where those are missing: `dd if=F > G`, `< F dd`,
`dd if=F | pv > G`; behind a pipe the figures are still dd's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import NamedTuple

from sdanalysis.codebook.units import whole_number
from sdanalysis.parsers.marks import CLOSERS

# A quote in front of a comma or bracket ends a string of JSON around the command, one in front of a
# blank or a sign of the shell what `su -c` or `ssh` was given
_QUOTED = r"\"(?![,\]}\s;&|)>])[^\"]*\"|'(?![,\]}\s;&|)>])[^']*'|“[^“”]*”"
_VALUE = rf"(?:{_QUOTED}|\$\(\([^()]*\)\)|\$\([^()]*\)|[^\s;|&`)<>\"'{CLOSERS}])"
_COMMAND = re.compile(
    rf"(?:(?<![<\w])<\s*(?P<from>{_VALUE}+)\s+)?(?<![a-zA-Z0-9_.-])g?dd"
    rf"(?P<operands>(?:\s+-{{0,2}}[a-z]{{2,9}}={_VALUE}*"  # a word processor adds them
    rf"|\s*[0-9&]?>>?\s*&?{_VALUE}+|\s*<\s*{_VALUE}+)+)"
)
_OPERAND = re.compile(rf"(?<!\S)-{{0,2}}([a-z]{{2,9}})=({_VALUE}*)")
_INPUT = re.compile(rf"(?<![<\w])<\s*(?!/?[a-z]+>)({_VALUE}+)")  # but no HTML
_OUTPUT = re.compile(rf"(?:(?<=\s)1|(?<![0-9&>=]))>>?\s*(?!&)({_VALUE}+)")
_PIPED = re.compile(
    r"\s*\|\s*(?:sudo\s+)?(?:\S{0,40}/)?(?:pv|cat|m?buffer)\b[^|;&>]{0,80}>\s*"
    rf"(?P<to>{_VALUE}+)"
)
# `(dd if=F bs=1M; sync) > G`, `while ...; do dd if=F; done >> G`: where the list's output goes
_OPENED = re.compile(r"(?<!\$)\(|\{\s|\bdo\s")
_CLOSED = re.compile(rf"[^|<>]{{0,200}}(?:[)}}]|\bdone)\s*>>?\s*(?!&)(?P<to>{_VALUE}+)")
# What a manual leaves to its reader, `bs=<block size>`: no value, and no redirection
_LEFT_OPEN = re.compile(
    r"(?<=[=/])(?:<[^\W\d][\w .:-]{0,40}>|\([^\W\d][\w .:-]{0,40}\)"
    r"|\[[^\W\d][\w .:-]{0,40}\]|\{[^\W\d][\w .:-]{0,40}\})"
)
# a word where dd takes a number alone: what a manual calls it
_NAMED = re.compile(r"\s(?:[io]?bs|count)=[\"']?[a-zA-Z]")
# The end of a line in a string of a program, where a shell's word follows: no folder of Windows
_STRING_LINE = re.compile(r"(?:\\+r)?\\+n(?=\s{0,8}(?:g?dd|sudo|time|echo|sync|ls|rm|done)\b)")
_MARKS = "*_~@}\\"  # of wikis and italics, behind the last operand: `{{dd if=F oflag=direct}}`
# What may stand between a shell's prompt or separator and its command.
_WORDS = r"(?:sudo|doas|busybox|time|nice|ionice|env|do|then|-\S{1,20}|\w{1,20}=\S{0,60})"
_BEFORE = rf"\s*(?:{_WORDS}\s+){{0,6}}(?:\S{{0,40}}/)?"
# What stands between two commands that a shell runs one after the other: no `&`, no pipe last.
_SEQUENCE = re.compile(rf"[^&]*(?:&&[^&]*)*(?:;|&&|\|\|){_BEFORE}")
_PIPES = re.compile(r"[^;&|]*\|(?!\|)[^;&]*")  # between two commands, the one feeds the other
_FLAG = re.compile(r"[a-z_]+")  # of `oflag=direct,sync:`, `conv=fsync测试`
_FLUSHING = frozenset({"fsync", "fdatasync"})
_SYNCHRONOUS = frozenset({"direct", "sync", "dsync"})
LOOP = re.compile(
    r"\b(?:for(?:\s+\w+\s+in\b|\s*\(\()|(?:while|until)\b[^;]{0,80}(?:;\s*do\b|$)"
    r"|(?:watch|xargs|parallel|pdsh|clush|p(?:arallel-)?ssh|ansible)\b|repeat\s+[0-9]"
    r"|(?:run|ran|executed|repeated)\s+(?:[0-9]{1,3}|two|three|four|five|ten)\s?(?:times|x)\b)"
    r"|\((?:run )?[0-9]{1,3} (?:times|runs)\)"
)
_PROMPT = re.compile(
    r"\s*(?:\S{1,40}@\S{1,80}(?:\s\S{1,60})?[$#]"  # of a folder `/mnt/disk2` or not
    r"|(?:\S{0,60}[@:~\]]\S{0,60}(?:\s\S{1,60}){0,2}\s?|\S{0,30}\s?)?(?<![0-9])[$#%>+❯])"
    rf"(?:[^|;&]{{0,200}}(?:\|+|;|&&))*{_BEFORE}"
)
# `CMD="dd if=/dev/md$D ...`: a shell keeps the words of a loop, and runs them elsewhere
_KEPT = re.compile(r"(?<![\w.-])[A-Za-z_]\w{0,40}=[\"'](?:sudo )?$")
_LONGEST = 400  # letters around commands: a shell's line has fewer
_ENDLESS = re.compile(r"/dev/(?:zero|full|hwrng|\w{0,20}random)")  # as long as dd reads
_NOWHERE = ("/dev/null", "/dev/zero")
# Character devices, whose operations go past the cache: macOS, OpenBSD and NetBSD have a cached one
# beside each, FreeBSD has no other
_RAW = re.compile(
    r"/dev/(?:r(?:disk|sd|wd|ld)[0-9]\w{0,8}|(?:ada|da|nvd|nda|vtbd|mmcsd)[0-9]\w{0,8}|gpt/.{1,80})"
)
_STREAMS = (
    *("/dev/stdin", "/dev/stdout", "/dev/fd/", "/dev/console", "/dev/tty", "/dev/pts/"),
    *("/dev/shm/", "/run/shm/"),
)
# dd's suffixes: alone of 1024, with B of 1000, with iB of 1024 (coreutils manual, dd invocation)
_FACTOR = re.compile(r"([0-9]{1,18})(?:([cwb])|([kKmMgGtT])(i?B|b)?)?")
_PRODUCT = re.compile(
    r"\$(?:\(\(|\[)\s*([0-9]{1,9}(?:\s*\*\s*[0-9]{1,9}){0,5})\s*(?:\)\)|\])([kKMG]?)"
)
_SLASHES = re.compile(r"/{2,}")
_BLOCKS = {"c": 1, "w": 2, "b": 512}
DEFAULT_BLOCK = 512
_TOO_MUCH = 10**18  # bytes: no device holds them, and a column no more


class Command(NamedTuple):
    """What a dd command says of its run; None is not said.

    `endless`: its source never ends, so that only `blocks`, an error or a signal ends it.
    `flushed`: it waited until the medium had what was written, so that its time holds all of it.
    """

    op: str
    block_size: int | None
    blocks: int | None
    endless: bool
    direct: bool
    flushed: bool

    @property
    def asked(self) -> int:
        """How many bytes it asks for; 0 where it does not say so."""
        return (self.block_size or 0) * (self.blocks or 0)

    def fits(self, size: int, counts: tuple[int, int] | None, begun: int = 0) -> bool:
        """Tell whether a run can have copied so many bytes, in so many full and partial records.

        `begun`: records that were read and not counted as written, of which a part may be: dd
        counts the bytes of the write that failed, and not its record.
        """
        block = self.block_size
        if block and counts:
            full, partial = counts
            if not full * block <= size <= (full + partial + begun) * block:
                return False
        if self.blocks == 0:
            return size == 0
        return not self.asked or size <= self.asked

    def is_borne_out(self, size: int, counts: tuple[int, int] | None) -> bool:
        """Tell whether the records, or else the bytes, of a run that fits are what it asks for."""
        if self.block_size is None:
            return False
        return counts is not None or size == self.asked


class CommandLine(NamedTuple):
    """The commands of a line, in their order.

    `prompted`: a shell's prompt stands before them. `in_turn`: a shell runs one after the other,
    not at once, and the words between them are its own. `repeats`: they stand in a loop.
    """

    commands: tuple[Command, ...]
    prompted: bool
    in_turn: bool
    repeats: bool


def command_line(text: str) -> CommandLine | None:
    """Return what the dd commands of a line say; None when there is none."""
    if "dd" not in text or ("=" not in text and "<" not in text):
        return None
    return _read(text) if len(text) > _LONGEST else _read_again(text)


def _read(text: str) -> CommandLine | None:
    if any(map(text.__contains__, "<([{")):
        text = _LEFT_OPEN.sub(lambda found: "?" * len(found[0]), text)
    text = _STRING_LINE.sub("; ", text) if "\\n" in text else text
    text = text.replace(" \\ ", "   ")  # a page joined the lines of a command
    matches = [
        match
        for match in _COMMAND.finditer(text)
        if _names_a_side(match) and not (_is_kept(text, match) or _NAMED.search(match["operands"]))
    ]
    if not matches:
        return None
    between = [text[match.end() : later.start()] for match, later in pairwise(matches)]
    pipes = (_PIPES.fullmatch(words) for words in between)
    fed = (
        first if piped else None for (first, _), piped in zip(pairwise(matches), pipes, strict=True)
    )
    return CommandLine(
        commands=tuple(
            _command(text, match, feeder)
            for match, feeder in zip(matches, [None, *fed], strict=True)
            if _prints(match)
        ),
        prompted=_fits_in(_PROMPT, text[: matches[0].start()].lstrip()),
        in_turn=all(_fits_in(_SEQUENCE, words.replace("2>&1", "")) for words in between),
        repeats=bool(LOOP.search(text)),
    )


_read_again = lru_cache(maxsize=512)(_read)  # a script's commands stand in each of its logs


def _fits_in(pattern: re.Pattern[str], text: str) -> bool:
    return len(text) <= _LONGEST and bool(pattern.fullmatch(text))


def _is_kept(text: str, match: re.Match[str]) -> bool:
    """Tell whether a line keeps a command in a variable, whose own variables it does not show."""
    return "$" in match["operands"] and bool(_KEPT.search(text[: match.start()][-_LONGEST:]))


def _names_a_side(match: re.Match[str]) -> bool:
    operands = match["operands"]
    sides = ("if=", "of=", "<", ">")
    return any(side in operands for side in sides) or bool(match["from"])


def _prints(match: re.Match[str]) -> bool:
    """Tell whether a run of the command leaves a report."""
    operands = match["operands"]
    return not re.search(r"\bstatus=(?:none|noxfer)\b|(?:2|&)>>?\s*/dev/null\b", operands)


def _command(text: str, match: re.Match[str], feeder: re.Match[str] | None) -> Command:
    operands = _operands(match)
    words = {
        name: set(_FLAG.findall(operands.get(name, ""))) for name in ("conv", "iflag", "oflag")
    }
    source = _source(match)
    target = _path(operands.get("of") or _first(_OUTPUT, match["operands"]) or _piped(text, match))
    op = direction(source or (feeder and _source(feeder)), target)
    by_passed = {
        "read": "direct" in words["iflag"] or _is_raw(source),
        "write": "direct" in words["oflag"] or _is_raw(target),
    }
    blocks = None if "count_bytes" in words["iflag"] else size_of(operands.get("count"))
    if set(operands.get("count", "")) == {"0"}:
        blocks = 0  # it sets the length of a file, or drops what the cache has of it
    # `count=1GB` may be bytes (coreutils 9.1), and what a variable holds is not known
    counted = blocks is not None and not operands["count"].endswith("B")
    return Command(
        op=op,
        block_size=_block_size(operands),
        blocks=blocks,
        endless=bool(source and _ENDLESS.fullmatch(source))
        and ("count" not in operands or counted),
        direct=by_passed.get(op, any(by_passed.values())),
        flushed=bool(_FLUSHING & words["conv"] or _SYNCHRONOUS & words["oflag"]) or _is_raw(target),
    )


def _operands(match: re.Match[str]) -> dict[str, str]:
    return {name: _bare(value) for name, value in _OPERAND.findall(match["operands"])}


def _source(match: re.Match[str]) -> str | None:
    source = _operands(match).get("if") or _first(_INPUT, match["operands"]) or match["from"]
    return _path(source)


def _bare(value: str) -> str:
    """Return the value of an operand without quotes, marks of the page and what sudo asks for."""
    value = value.removesuffix("Password:")  # where the page lost the end of the line
    value = value if "{" in value or "$(" in value else value.rstrip(_MARKS)
    return value.strip("\"'“”")


def _path(path: str | None) -> str | None:
    """Return a path with one slash where it has several: `//dev/shm` is memory, too."""
    return _SLASHES.sub("/", path) if path and "//" in path else path


def _is_raw(path: str | None) -> bool:
    return path is not None and bool(_RAW.fullmatch(path))


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match[1].strip("\"'") if match else None


def _piped(text: str, match: re.Match[str]) -> str | None:
    piped = _PIPED.match(text, match.end())
    if not piped and _OPENED.search(text[: match.start()][-_LONGEST:]):
        piped = _CLOSED.match(text, match.end())
    return piped["to"].strip("\"'") if piped else None


def direction(source: str | None, target: str | None) -> str:
    """Return read or write where one side is the medium and the other costs nothing, else copy.

    An image on a device counts as written: the device is what such a command measures.
    """
    if target is None or (source is not None and source == target):
        return "copy"
    if target in _NOWHERE:
        return "read" if source and _is_medium(source) else "copy"
    if not _is_medium(target):
        return "copy"
    if source and _ENDLESS.fullmatch(source):
        return "write"
    to_device = target.startswith("/dev/")
    return "write" if to_device and not (source or "").startswith("/dev/") else "copy"


def _is_medium(path: str) -> bool:
    """Tell whether a path may be on a medium: a stream, a terminal, memory are none."""
    return not (path.startswith(_STREAMS) or path in _NOWHERE or _ENDLESS.fullmatch(path))


def _block_size(operands: Mapping[str, str]) -> int | None:
    if "bs" in operands:
        return size_of(operands["bs"])
    if "ibs" not in operands and "obs" not in operands:
        return DEFAULT_BLOCK
    sizes = {size_of(operands.get(name, str(DEFAULT_BLOCK))) for name in ("ibs", "obs")}
    return sizes.pop() if len(sizes) == 1 else None


def size_of(text: str | None) -> int | None:
    """Return dd's `4k`, `1MB`, `2x512` or a shell's `$((4*1024))` as a number; None: it is none."""
    if not text:
        return None
    if match := _PRODUCT.fullmatch(text):
        product = prod(int(factor) for factor in match[1].split("*"))
        product *= 1024 ** (" KMG".index(match[2].upper() or " "))
        return product if 0 < product < _TOO_MUCH else None
    product = 1
    for factor in text.split("x"):
        match = _FACTOR.fullmatch(factor)
        if match is None or product >= _TOO_MUCH:
            return None
        base = 1000 if match[4] == "B" else 1024
        product *= whole_number(match[1]) * _BLOCKS.get(match[2], 1)
        product *= base ** (" kmgt".index((match[3] or " ").lower()))
    return product if 0 < product < _TOO_MUCH else None
