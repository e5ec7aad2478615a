r"""Reports of fio in a string of JSON or of a program: `"job: (groupid=0, ...\n  read: IOPS="`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sdanalysis.codebook.measurement import Line

_END = "\\n"
_LEAST = 3  # ends of lines in a string that holds a report
_MOST = 500  # a longer string is no report of a few jobs
_AGAIN = re.compile(r"[\"']\w{1,40}_lines[\"'] ?: ?\[")  # of Ansible's: the string above as a list


def unfolded(lines: Iterable[Line]) -> Iterator[Line]:
    r"""Yield the lines of a text, those of a string with a report each for itself.

    They keep the number of their line, and what stands before them their column: no blanks, among
    which words that hold one are found slowly.
    """
    for line in lines:
        number, text = line
        if not _LEAST <= text.count(_END) <= _MOST or "(groupid=" not in text:
            yield line
            continue
        if (again := _AGAIN.search(text)) and "(groupid=" in text[: again.start()]:
            text = text[: again.start()]
        start = 0
        for part in text.split(_END):
            yield Line(number, "\v" * start + part.replace("\\t", "  ").removesuffix("\\r"))
            start += len(part) + len(_END)
