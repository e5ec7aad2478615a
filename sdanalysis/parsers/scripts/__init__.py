"""The summaries of scripts that card owners run: tables and lines of their own, not of the tools.

Each script has a module, which holds what all its known versions have in common: the commands that
it runs, and how it converts what they print. Where versions differ the condition stays missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from sdanalysis.codebook.measurement import Item, Line
from sdanalysis.parsers import SCRIPTS
from sdanalysis.parsers.flat import parted
from sdanalysis.parsers.loggers import counted

# of a line that another program numbered, as it did those around it
_NUMBER = re.compile(r"\s{0,8}([0-9]{1,6})[:.|)]?(?=\s|$)")
_WRITTEN = re.compile(r"\\[nrt]")  # in a string
_SHORT = 100  # characters of a line of a summary
_ENDS = (" ", "\u2502", "\u2503", "\u2551")
_FRAME = " \t\u00a0\u2502\u2503\u2551"  # what terminals put behind a line


def parse(lines: Sequence[Line]) -> Iterable[Item]:
    """Yield the figures of the summaries; those that a tool's own output has too are among them.

    `own.without_repeats` leaves these out, when the tools' parsers have read the log as well.
    """
    text = "\n".join([line.text for line in lines])
    found = [name for name, words in SCRIPTS.items() if any(map(text.__contains__, words))]
    bare = _bare(lines) if found else lines
    for script in found:
        module = import_module(f"{__name__}.{script}")
        begins = getattr(module, "BEGINS", None)
        yield from module.find(list(_parted(bare, begins)) if begins else bare)


def _parted(lines: Sequence[Line], begins: re.Pattern[str]) -> Iterator[Line]:
    r"""Yield the lines, those parted that hold several of a summary: a page made one of them.

    Or a program wrote them as one string, with `\n` where a line ends.
    """
    for line in lines:
        text = _WRITTEN.sub("  ", line.text) if len(line.text) > _SHORT else ""
        is_flat = len(begins.findall(text)) > 1
        yield from map(_trimmed, parted(line._replace(text=text), begins)) if is_flat else (line,)


def _bare(lines: Sequence[Line]) -> list[Line]:
    """Return lines without what others put around them; a figure stays in its column.

    These are the blanks and the frame of a terminal behind a line, and numbers of lines before it.
    One blank stays, which says that nothing was cut off.
    """
    bare = list(map(_trimmed, lines))
    widths = counted(bare, _NUMBER)
    for index, line in enumerate(bare if widths else ()):
        width = widths.get(line.number, 0)
        bare[index] = line._replace(text=" " * width + line.text[width:])
    return bare


def _trimmed(line: Line) -> Line:
    is_framed = line.text[-1:] in _ENDS
    return line._replace(text=line.text.rstrip(_FRAME) + " ") if is_framed else line
