"""Each figure of a card: the line that it was printed in, by whom, and what is doubted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdanalysis import stats
from sdanalysis.codebook.columns import REMARKS
from sdanalysis.sources.declaration import Declaration, RawFile, read_declaration
from sdanalysis.sources.folders import folder_of
from sdanalysis.sources.load import capture_of
from sdanalysis.stats.reasons import WORDS, figure_reasons
from sdanalysis.stats.sides import SUSPICIOUS

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

_UNITS = {"bandwidth": (1e6, " MB/s"), "iops": (1, " IOPS"), "latency": (1, " s")}
_RATIO = (1, " (a printed ratio)")


def figures_of_cards(data: Data, folder: Path) -> Mapping[str, dict[str, Any]]:
    """Return, for each card, its `figures`, the printed `files` and the `sources` behind them."""
    rows = stats.with_test(data.measurements)
    rows = rows.assign(left_out=figure_reasons(rows).map(WORDS))
    places = stats.place_names(data.hosts, usb=True)
    sources = {slug: _Source(folder_of(slug, folder) / slug) for slug in set(rows["source"])}
    return {
        str(specimen): {
            "figures": [_figure(row, places, sources[row.source]) for row in found.itertuples()],
            "files": _files(found, sources),
            "sources": [_source(sources[slug].declaration) for slug in sorted({*found["source"]})],
        }
        for specimen, found in rows.groupby("specimen")
    }


class _Source:
    """What a source declares of its files, and their lines."""

    def __init__(self, folder: Path) -> None:
        self.declaration: Declaration = read_declaration(folder)
        self.files: dict[str, RawFile] = {file.path: file for file in self.declaration.files}
        self.lines = cache(lambda name: capture_of(folder / name).lines)

    def doubts(self, row: Any) -> Iterable[str]:
        """Yield what is remarked on a figure, and why where that was declared for its line."""
        words = row.remarks.split() if pd.notna(row.remarks) else []
        for word in words:
            why = [
                remark.why
                for remark in self.files[row.file].remarks
                if remark.word == word and row.line in remark.lines
            ]
            said = "doubted" if word == SUSPICIOUS and why else REMARKS[word]
            yield ": ".join([said, *dict.fromkeys(why)])


def number(value: float) -> str:
    """Return a figure in three digits, as it is read.

    Examples
    --------
    >>> number(4.9561), number(0.0213), number(91.04), number(203.4), number(1234.5)
    ('4.96', '0.0213', '91.0', '203', '1,234')
    """
    return f"{value:#.3g}".rstrip(".") if value < 999.5 else f"{value:,.0f}"


def _figure(row: Any, places: pd.Series, source: _Source) -> dict[str, Any]:
    unit = f" {row.raw_unit}" if pd.notna(row.raw_unit) else ""
    return {
        "id": row.id,
        "place": places[row.host, row.reader],
        "test": row.test if row.stat == "single" else f"{row.test} ({row.stat})",
        "value": _value(row),
        "printed": f"{row.raw}{unit}" if pd.notna(row.raw) else "a blank cell",
        "at": f"{row.source}/{row.file}:{row.line}",
        "left_out": row.left_out if pd.notna(row.left_out) else None,
        "doubts": list(source.doubts(row)),
    }


def _value(row: Any) -> str | None:
    if pd.isna(row.value):
        return None
    scale, unit = _UNITS.get(row.metric, _RATIO)
    return f"{number(row.value / scale)}{unit}"


def _files(rows: pd.DataFrame, sources: Mapping[str, _Source]) -> list[dict[str, Any]]:
    """Return the printed lines of a card, file by file, and what was corrected in them."""
    found = []
    for (slug, name), group in rows.groupby(["source", "file"]):
        source, numbers = sources[slug], sorted(set(group["line"]))
        file, text = source.files[name], source.lines(name)
        mended = group["remarks"].fillna("").str.contains("corrected").any()
        found.append(
            {
                "file": f"{slug}/{name}",
                "place": file.place,
                "command": file.command,
                "lines": [(int(number), text[number - 1]) for number in numbers],
                "corrections": [
                    f"line {item.line}, {item.field}: printed {item.printed!r}, meant "
                    f"{item.means!r}: {item.why}"
                    for item in file.corrections
                ]
                if mended
                else [],
            }
        )
    return found


def _source(declaration: Declaration) -> dict[str, str]:
    names = ("title", "author", "date", "url")
    return {"slug": declaration.slug} | {name: getattr(declaration, name) for name in names}
