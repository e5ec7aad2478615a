"""A row of iozone's table with somebody's words in front: `SanDisk  102400  4  1000  2000`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.units import counted
from sdanalysis.parsers.iozone.layouts import Columns
from sdanalysis.parsers.iozone.row import LARGEST, MARKS, Row, read_row

_TOKEN = re.compile(r"\S+")
_NUMBER = re.compile(r"[0-9]+")
_VERSION = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){2,4}")  # of a kernel, a release
_LONGEST = 40  # characters of a label, and words below: longer ones are a sentence
_WORDS = 5
_LEAST = 3  # numbers of a row: two sizes and a result


class Labelled(NamedTuple):
    """A label, and its line with blanks in the place of the label: its columns are the line's."""

    label: str
    text: str


def labelled(text: str, columns: Columns) -> Labelled | None:
    """Return the label of a row and the row; None of a line that is no labelled row.

    A label has a letter, and no number in front or behind: it could be a size or a result. A
    version, of two dots, can be neither.
    """
    margin = columns.margin if columns.margin > 0 and text[: columns.margin].strip(MARKS) else 0
    begin = text[margin:].lstrip(MARKS).partition(" ")[0]
    if begin.isdecimal() and begin.isascii():  # as nearly all rows do
        return None
    found = list(_TOKEN.finditer(text, margin))
    words = len(found)
    while words and _NUMBER.fullmatch(found[words - 1].group()):
        words -= 1
    if not words or len(found) - words < _LEAST:
        return None
    end = found[words - 1].end()
    label = text[margin:end].strip(MARKS)
    first, *others = label.split() or [""]
    if len(label) > _LONGEST or len(others) >= _WORDS:
        return None
    if not any(map(str.isalpha, label)) and not _VERSION.fullmatch(label):
        return None
    if _NUMBER.fullmatch(first) or label.lower() in ("nan", "inf"):
        return None
    return Labelled(label, " " * end + text[end:])


def read_labelled(found: Labelled, columns: Columns, *, last: bool) -> Row | str:
    """Return the row behind a label, or in words why it is none.

    Whoever put words before the numbers may have moved them: all of the tests' results make a
    row, wherever they stand, unless they stand in the columns of other tests.
    """
    row = read_row(found.text, columns, last=last, aligned=False)
    if isinstance(row, Row) and (len(row.cells) < row.expected or not plausible(row)):
        row = f"found {counted(len(row.cells), 'result')}, expected {row.expected} behind the sizes"
    if isinstance(row, str):
        return row.replace("found ", f"found behind the label {found.label!r} ", 1)
    return row


def plausible(row: Row) -> bool:
    """Tell whether the sizes of a row can be iozone's: other tools print numbers in a row too."""
    return 0 < row.record <= min(row.size, LARGEST)


def said(labels: Mapping[str, int]) -> Problem:
    """Return a note on labels, given with the line where each stands first."""
    shown = ", ".join(labels)
    shown = shown if len(shown) <= 200 else f"{shown[:197]}..."
    text = (
        f"found rows behind {counted(len(labels), 'label')} ({shown}), for which there is no "
        "column: the rows of a label are a run of their own"
    )
    return Problem(line=min(labels.values()), text=text, kind="note")
