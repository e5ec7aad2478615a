"""Rows of iozone's table that were broken up: by messages, by a mail program.

libasync's messages (`Allocate buffer2 0x5609 Size 8192`, of `-H` in some builds) and a kernel's on
a console end with a line end, so that the parts of the row, put together, are the row as it would
stand without them. A mail program puts what is too long at the margin of the line below, header and
rows alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.iozone.commands import FLAG, WORD, indent, typed
from sdanalysis.parsers.iozone.layouts import WORDS
from sdanalysis.parsers.iozone.row import MARKS, no_number, unmarked

_MESSAGE = "Allocate buffer"
# What a kernel says meanwhile, on a console: `[ 1000.450912] mmc0: new card`
KERNEL = re.compile(r"(?:<[0-9]{1,3}>)?\[ {0,8}[0-9]{1,9}\.[0-9]{6}[\] ]")
_PARTS = 21  # at most: iozone's table has no more results
_PART = re.compile(r"[0-9 ]*[0-9][0-9 ]*")
_COMMAND = "Command line used:"
_OPTION = re.compile(r"-[A-Za-z+]")
_OPTIONS = re.compile(rf"{FLAG}(?: ++{WORD}){{0,60}}+")
_CONTINUED = 8  # lines of a command, at most
_TAKES_ONE = tuple(f" -{letter}" for letter in "irsftlunqgyFUSbj")  # an argument, the next word
_LONGEST = 4096  # characters of the rest of a command
_LINES = 3  # of a header, at most


class Joined(NamedTuple):
    """A row that was put together, the indices of the lines of its parts, and where each begins."""

    text: str
    places: tuple[int, ...]
    starts: tuple[int, ...]

    def at(self, column: int) -> tuple[int, int]:
        """Return the index of the line, and the column in it, where a column of the row stands."""
        part = max(part for part, start in enumerate(self.starts) if start < column)
        return self.places[part], column - self.starts[part]


def _together(texts: Sequence[str], places: Sequence[int]) -> Joined:
    starts = list(accumulate(map(len, texts), initial=0))[:-1]
    return Joined("".join(texts), tuple(places), tuple(starts))


def joined(lines: Sequence[Line], place: int) -> Joined | None:
    """Return the row that begins at `place` and goes on behind messages; None without them."""
    places = [place]
    following = _behind_messages(lines, place + 1)
    while following is not None and len(places) <= _PARTS:
        places.append(following)
        following = _behind_messages(lines, following + 1)
    parts = [unbroken(lines[part].text) for part in places]
    return _together(parts, places) if len(places) > 1 else None


def unbroken(text: str) -> str:
    """Return what a line holds before a kernel's message."""
    found = KERNEL.search(text) if "[" in text else None
    return text[: found.start()] if found else text


def _behind_messages(lines: Sequence[Line], place: int) -> int | None:
    """Return where a part of a row stands behind messages that begin at `place`."""
    found = KERNEL.search(lines[place - 1].text) is not None
    for index in range(place, len(lines)):
        text = lines[index].text
        if text.startswith(_MESSAGE) or KERNEL.match(text):
            found = True
        elif text.strip():
            return index if found and _PART.fullmatch(unbroken(text)) else None
    return None


def wrapped_header(lines: Sequence[Line], index: int) -> tuple[str, int]:
    """Return a header with the names that stand below it, and in how many lines these do."""
    text = whole = lines[index].text
    names, more = text[text.find("reclen") :].split()[1:], 0
    for below, line in enumerate(lines[index + 1 : index + _LINES], 1):
        words = line.text[:200].strip(MARKS).split()
        names += words
        if not words or tuple(names) != WORDS[: len(names)]:
            break
        text, more = " ".join([text.rstrip(), *words]), below
    return (text, more) if more else (whole, 0)


def with_rest(lines: Sequence[Line], index: int) -> Line:
    """Return a line; of a command with what stands below it: behind a backslash, put there by mail.

    What a shell was given goes on with options alone.
    """
    line = lines[index]
    if "iozone" not in line.text:
        return line
    text, place = line.text.rstrip(), index + 1
    while text.endswith("\\") and place < len(lines) and place <= index + _CONTINUED:
        text = f"{text[:-1].rstrip()} {lines[place].text[:_LONGEST].strip(MARKS)}"
        place += 1
    rest = lines[place].text[:_LONGEST].strip(MARKS) if place < len(lines) else ""
    begun = text.endswith(_TAKES_ONE) and rest
    if _COMMAND in text:
        goes_on = (begun and not rest.startswith("Output")) or _OPTION.match(rest)
    else:
        goes_on = (begun and rest[0].isdigit()) or _OPTIONS.fullmatch(rest)
        goes_on = goes_on and typed(text)
    return line._replace(text=f"{text} {rest}" if goes_on else text)


def unwrapped(lines: Sequence[Line], place: int, results: int) -> Joined | None:
    """Return a row of so many results with its parts below it; None where these do not make one.

    A part stands at the margin, left of where the row begins: another row does not.
    """
    first = unmarked(lines[place].text)
    texts, count = [first], _count(first)
    while 0 < count < results + 2 and place + len(texts) < len(lines):
        text = unmarked(lines[place + len(texts)].text)
        more = _count(text)
        if not more or indent(text) >= indent(first):
            return None
        texts[-1] += " "
        texts.append(text)
        count += more
    if len(texts) == 1 or count != results + 2:
        return None
    return _together(texts, range(place, place + len(texts)))


def _count(text: str) -> int:
    """Return how many numbers a line holds that holds numbers alone, else 0."""
    words = text.split()
    return 0 if no_number(words) else len(words)
