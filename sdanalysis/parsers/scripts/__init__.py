"""The summaries of scripts that card owners run: tables and lines of their own, not of the tools.

Each script has a module, which holds what all its known versions have in common: the commands that
it runs, and how it converts what they print. Where versions differ the condition stays missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module

from sdanalysis.codebook.measurement import Item, Line
from sdanalysis.parsers import SCRIPTS


def parse(lines: Sequence[Line]) -> Iterable[Item]:
    """Yield the figures of the summaries; those that a tool's own output has too are among them.

    `own.without_repeats` leaves these out, when the tools' parsers have read the log as well.
    """
    text = "\n".join([line.text for line in lines])
    for script, words in SCRIPTS.items():
        if any(map(text.__contains__, words)):
            yield from import_module(f"{__name__}.{script}").find(lines)
