"""What the words beside a report say of its run: a direction, a block size."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice, takewhile
from types import MappingProxyType
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.dd.commands import Command, size_of
from sdanalysis.parsers.dd.words import heading, is_quiet

LOOKED_BACK = 15  # lines between a command and its report: longer ago it may be another's
UNFIT = "found a command that cannot have copied so many bytes in such records"
LABEL_LENGTH = 80  # letters: a longer line is prose
_LABELS = {
    "write": re.compile(r"\b(?:writ(?:e|es|ing|ten)|wrote)\b|\bW\s?[:=)]", re.I),
    # but no `the last message should read`
    "read": re.compile(r"\b(?<!should )(?<!will )(?<!can )read(?:s|ing|back)?\b|\bR\s?[:=)]", re.I),
}
# what somebody reads is a page or a screen
_READER = re.compile(
    r"\byou(?:'ll| \w{2,9}){1,2} read\b|\bread (?:on|more|something|the output)\b", re.I
)
# Flags that words name, and what says that they were left out: `without cache` does not
_FLAGS = re.compile(
    r"\b(?:(?P<direct>direct)|(?P<cached>cached|buffered)|(?P<flushed>dsync|fdatasync|fsync)"
    r"|(?:flag|option)s?)\b",
    re.I,
)
_WITHOUT = re.compile(
    r"\b(?:without|w/o|instead|left out|omit\w*|remov\w+|ohne|statt|sans|sin|senza|sem|без)\b"
    r"(?! (?:\w+ )?(?:cache|caching)\b)|不加|去掉|不使用",
    re.I,
)
BLOCK_SIZE = re.compile(
    r"\W*(?:bs\s?[=:]\s?(?P<bs>[0-9]{1,12}[a-zA-Z]{0,3})"
    r"|block ?size\W{1,3}(?P<words>[0-9]{1,9} ?[kKmMgG](?:iB)?))\W*",
    re.I,
)
# `sda bs 64k: ` in the line of a report
_NAMED = re.compile(r"\bbs\s?[=:]?\s?(?P<bs>[0-9]{1,12}[kKmMgG]?)\s?[:=|,]?\s*")
_PARTS = re.compile(
    r"\bbs\s?[=:]\s?(?P<size>[0-9]{1,9}[kKmMgG]?)\b.{1,40}\bcount\s?[=:]\s?(?P<blocks>[0-9]{1,12}[kKmM]?)\b"
)
_SIZE_ALONE = re.compile(r"\W*([0-9]{1,9}[kKmMgG]?)\W*")  # as a loop echoes it


class Place(NamedTuple):
    """Where a report stands: the index of its first and last line, and what it copied."""

    first: int
    last: int
    size: int
    counts: tuple[int, int] | None
    before: str  # dd's words in its last line
    begun: int = 0  # records that were read and not counted as written


class Assignment(NamedTuple):
    """What is known of a report's run, and why a command above it is not its own.

    `op`: of a heading, where no command is known.
    """

    command: Command | None = None
    block_size: int | None = None
    why: str = ""
    op: str = ""


class Script(NamedTuple):
    """The commands of a script, and the indices of the first and last line with one."""

    first: int
    last: int
    commands: tuple[Command, ...]


class Scripted(NamedTuple):
    """The scripts of a page, and the commands of the reports that they printed in turn."""

    scripts: Sequence[Script] = ()
    in_turn: Mapping[int, Command] = MappingProxyType({})


def fits(command: Command, place: Place) -> bool:
    """Tell whether a command can have copied what a report says."""
    return command.fits(place.size, place.counts, place.begun)


def is_part(command: Command, place: Place) -> bool:
    """Tell whether a report is of less than its command asks of a source without an end."""
    if not (command.endless and command.blocks):
        return False
    counted = sum(place.counts or ())
    return counted != command.blocks if counted else place.size < command.asked


def edited(command: Command, place: Place) -> Assignment:
    """Return what the only command above a report that it does not fit says of it, or why nothing.

    Where full records hold all that it asks for, its page has another `bs=` and `count=`.
    """
    full, partial = place.counts or (0, 0)
    is_whole = full and not partial and place.size % full == 0
    if command.op == "copy" or not is_whole or command.asked != place.size:
        return Assignment(why=UNFIT)
    why = f"found a command of bs={command.block_size}, and as many bytes in other records"
    return Assignment(why=why, op=command.op)


def titled(shown: Sequence[Line], place: Place) -> str:
    """Return the direction that the heading of a report names, its own or that of a list."""
    return heading(place.before if place.before.strip() else _above(shown, place))


def _above(shown: Sequence[Line], place: Place) -> str:
    """Return what stands above a report and others like it."""
    above = reversed(shown[max(place.first - LOOKED_BACK, 0) : place.first])
    words = (line.text for line in above if not is_quiet(line.text))
    return next((text for text in words if any(map(str.isalnum, text))), "")


def _can_be(block_size: int, place: Place) -> bool:
    full, partial = place.counts or (0, 0)
    return full * block_size <= place.size <= (full + partial) * block_size


def printed_block_size(shown: Sequence[Line], below: range, place: Place) -> int | None:
    """Return what `bs=4k` says before a report, or alone in a line right above it."""
    if size := _named_block_size(place):
        return size
    printed = BLOCK_SIZE.fullmatch(place.before)
    for index in reversed(below):
        if printed or (printed := BLOCK_SIZE.fullmatch(shown[index].text)):
            break
        if not is_quiet(shown[index].text):
            break
    size = size_of((printed["bs"] or printed["words"]).replace(" ", "")) if printed else None
    if size and place.counts:
        return size if _can_be(size, place) else None
    return size if printed and (printed["bs"] or place.size % (size or 1) == 0) else None


def _named_block_size(place: Place) -> int | None:
    """Return the block size that ends a label in the line of a report of whole blocks."""
    label = place.before
    found = [*_NAMED.finditer(label)] if "bs" in label and len(label) <= LABEL_LENGTH else []
    if not found or found[-1].end() != len(label) or "of=" in label or "if=" in label:
        return None
    size = size_of(found[-1]["bs"])
    return size if size and place.size % size == 0 and not place.counts else None


def told_block_size(shown: Sequence[Line], place: Place) -> int | None:
    """Return the block size of a line above that tells how many of them a report's bytes are."""
    text = _above(shown, place)
    match = _PARTS.search(text) if "count" in text and "dd " not in text else None
    size, blocks = (size_of(match["size"]), size_of(match["blocks"])) if match else (None, None)
    return size if size and size * (blocks or 0) == place.size else None


def echoed(shown: Sequence[Line], below: range, place: Place, command: Command) -> int | None:
    """Return the size alone above a report of which the command asked for as many as there are."""
    match = _SIZE_ALONE.fullmatch(shown[below[-1]].text) if below else None
    size = size_of(match[1]) if match else None
    return size if size and command.blocks and size * command.blocks == place.size else None


def _is_of_dd(text: str) -> bool:
    """Tell whether a line is no result of hdparm: what stands above that is of its own test."""
    return "Timing " not in text


def names_other_flags(shown: Sequence[Line], below: range, place: Place, command: Command) -> bool:
    """Tell whether words between command and report, or before it, say that its flags are others.

    `With conv=fsync:` below a command without it, `without oflag=direct` below one that has it.
    """
    for text in _words(shown, below, place):
        is_without = bool(_WITHOUT.search(text))
        for match in _FLAGS.finditer(text):
            if match["flushed"]:
                is_other = command.flushed == is_without
            elif match["direct"]:
                is_other = command.direct == is_without
            else:
                is_left_out = is_without != bool(match["cached"])
                is_other = is_left_out and (command.direct or command.flushed)
            if is_other:
                return True
    return False


def labels_of(shown: Sequence[Line], below: range, place: Place) -> set[str]:
    """Return the directions that a word between command and report, or before it, names."""
    texts = [_READER.sub("", text) for text in _words(shown, below, place)]
    return {op for op, pattern in _LABELS.items() if any(map(pattern.search, texts))}


def _words(shown: Sequence[Line], below: range, place: Place) -> list[str]:
    """Return the words between command and report, and before it, that are no prose."""
    above = takewhile(_is_of_dd, (shown[index].text for index in reversed(below)))
    texts = islice((text for text in above if not is_quiet(text)), 3)
    return [text for text in (place.before, *texts) if len(text) <= LABEL_LENGTH]
