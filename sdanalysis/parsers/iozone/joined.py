"""Rows of iozone's table that messages broke up: asynchronous runs (`-H`) of some builds.

libasync's messages (`Allocate buffer2 0x5609 Size 8192`) begin and end with a line end, so that
the parts of the row, put together, are the row as it would stand without them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.iozone.row import Cell

_MESSAGE = "Allocate buffer"
_PARTS = 21  # at most: iozone's table has no more results
_PART = re.compile(r"[0-9 ]*[0-9][0-9 ]*")


class Joined(NamedTuple):
    """A row that was put together, and the indices of the lines that hold its parts."""

    text: str
    places: tuple[int, ...]

    def at(self, cell: Cell, lines: Sequence[Line]) -> tuple[int, int]:
        """Return the number of the line, and the column in it, where a cell stands."""
        texts = [lines[place].text for place in self.places]
        starts = list(accumulate(map(len, texts), initial=0))
        part = max(part for part, start in enumerate(starts[:-1]) if start < cell.column)
        return lines[self.places[part]].number, cell.column - starts[part]


def joined(lines: Sequence[Line], place: int) -> Joined | None:
    """Return the row that begins at `place` and goes on behind messages; None without them."""
    places = [place]
    following = _behind_messages(lines, place + 1)
    while following is not None and len(places) <= _PARTS:
        places.append(following)
        following = _behind_messages(lines, following + 1)
    if len(places) == 1:
        return None
    return Joined("".join(lines[part].text for part in places), tuple(places))


def _behind_messages(lines: Sequence[Line], place: int) -> int | None:
    """Return where a part of a row stands behind messages that begin at `place`."""
    found = False
    for index in range(place, len(lines)):
        text = lines[index].text
        if text.startswith(_MESSAGE):
            found = True
        elif text.strip():
            return index if found and _PART.fullmatch(text) else None
    return None
