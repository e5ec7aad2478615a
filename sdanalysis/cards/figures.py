"""Trace each figure of a card: the line that it was printed in, by whom, what is doubted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdanalysis.codebook.columns import REMARKS
from sdanalysis.sources.declaration import RawFile, read_declaration
from sdanalysis.sources.folders import folder_of
from sdanalysis.sources.load import capture_of
from sdanalysis.stats.names import place_names
from sdanalysis.stats.reasons import SUSPICIOUS, WORDS, figure_reasons
from sdanalysis.stats.same_test import with_test
from sdanalysis.text_tables import plain

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

_UNITS = {"bandwidth": (1e6, " MB/s"), "iops": (1, " IOPS"), "latency": (1, " s")}
_RATIO = (1, " (a printed ratio)")


def figures_of_cards(data: Data, folder: Path) -> Mapping[str, dict[str, Any]]:
    """Return, for each card, its `figures`, the printed `files` and the `sources` behind them."""
    rows = with_test(data.measurements)
    rows = rows.assign(left_out=figure_reasons(rows).map(WORDS))
    places = place_names(data.hosts, usb=True)
    folders = {slug: folder_of(slug, folder) / slug for slug in set(rows["source"])}
    declared = {slug: read_declaration(path) for slug, path in folders.items()}
    files = {(slug, file.path): file for slug in declared for file in declared[slug].files}
    lines = {key: capture_of(folders[key[0]] / key[1]).lines for key in files}
    named = ("slug", "title", "author", "date", "url")
    return {
        str(specimen): {
            "figures": [
                _figure(row, places, files[row.source, row.file]) for row in found.itertuples()
            ],
            "files": [
                _printed(f"{key[0]}/{key[1]}", group, files[key], lines[key])
                for key, group in found.groupby(["source", "file"])
            ],
            "sources": [
                {name: getattr(declared[slug], name) for name in named}
                for slug in sorted({*found["source"]})
            ],
        }
        for specimen, found in rows.groupby("specimen")
    }


def number(value: float) -> str:
    """Return a figure in three digits, as it is read.

    Examples
    --------
    >>> number(4.9561), number(0.0213), number(91.04), number(203.4), number(1234.5)
    ('4.96', '0.0213', '91.0', '203', '1,234')
    """
    return f"{value:#.3g}".rstrip(".") if value < 999.5 else f"{value:,.0f}"


def _figure(row: Any, places: pd.Series, file: RawFile) -> dict[str, Any]:
    unit = f" {row.raw_unit}" if pd.notna(row.raw_unit) else ""
    scale, words = _UNITS.get(row.metric, _RATIO)
    return {
        "id": row.id,
        "place": places[row.host, row.reader],
        "test": row.test if row.stat == "single" else f"{row.test} ({row.stat})",
        "value": None if pd.isna(row.value) else f"{number(row.value / scale)}{words}",
        "printed": f"{row.raw}{unit}" if pd.notna(row.raw) else "a blank cell",
        "at": f"{row.source}/{row.file}:{row.line}",
        "left_out": plain(row.left_out),
        "doubts": list(_doubts(row, file)),
    }


def _doubts(row: Any, file: RawFile) -> Iterator[str]:
    """Yield what is remarked on a figure, and why where that was declared for its line."""
    for word in row.remarks.split() if pd.notna(row.remarks) else []:
        why = [
            remark.why
            for remark in file.remarks
            if remark.word == word and row.line in remark.lines
        ]
        doubt = "doubted" if word == SUSPICIOUS and why else REMARKS[word]
        yield ": ".join([doubt, *dict.fromkeys(why)])


def _printed(path: str, rows: pd.DataFrame, file: RawFile, lines: Sequence[str]) -> dict[str, Any]:
    mended = rows["remarks"].fillna("").str.contains("corrected").any()
    return {
        "file": path,
        "place": file.place,
        "command": file.command,
        "lines": [(int(line), lines[line - 1]) for line in sorted(set(rows["line"]))],
        "corrections": [
            f"line {item.line}, {item.field}: printed {item.printed!r}, meant "
            f"{item.means!r}: {item.why}"
            for item in file.corrections
            if mended
        ],
    }
