"""Rules about what is printed: decimal marks, types that cannot be, names that disagree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd

from sdanalysis.audit.finding import Finding, doubts
from sdanalysis.stats.same_test import columns

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

_TYPE = re.compile(r"\bm?SD(?:HC|XC)\b|\bUSB \d\.\d\b")
_OTHERS = "the other rows with points"
SDHC_LIMIT = 32e9  # bytes; SDHC ends at 32 GB, SDXC begins above it (SD Association)


def decimal_marks(data: Data) -> tuple[int, list[Finding]]:
    """Does a file mix decimal commas and points, so that a row was typed by hand?"""
    rows = data.measurements[data.measurements["raw"].notna()]
    marks = rows["raw"].str.extract(r"\d([.,])\d")[0]
    rows = rows.assign(mark=marks)[marks.notna()]
    found = []
    for _, file in rows.groupby(["source", "file"], sort=True):
        if file["mark"].nunique() < 2:
            continue
        commas = file[file["mark"] == ","]
        for line, odd in commas.groupby("line", sort=True):
            points = " ".join(file.loc[(file["line"] == line) & (file["mark"] == "."), "raw"])
            others = f"{points} with points in the same row" if points else _OTHERS
            evidence = f"{' '.join(odd['raw'])} with commas, {others}"
            found.append(Finding(tuple(odd["id"]), str(odd["specimen"].iloc[0]), evidence))
    return int(rows.groupby(["source", "file", "line"]).ngroups), found


def type_and_capacity(data: Data) -> tuple[int, list[Finding]]:
    """Is a card of more than 32 GB called SDHC?"""
    labels = _labels(data)
    sdhc = labels[labels["label"].str.contains(r"SDHC\b")]
    found = sdhc[sdhc["capacity"] > SDHC_LIMIT]
    return len(sdhc), doubts(
        found.assign(capacity=found["capacity"] / 1e9),
        "{row.label!r}: SDHC ends at 32 GB, a card of {row.capacity:.0f} GB is SDXC",
    )


def types_disagree(data: Data) -> tuple[int, list[Finding]]:
    """Is one specimen printed with two types?"""
    labels = _labels(data)
    labels = labels.assign(type=labels["label"].map(lambda text: " ".join(_TYPE.findall(text))))
    labels = labels[labels["type"] != ""]
    found = []
    groups = labels.groupby("specimen", sort=True)
    for specimen, group in groups:
        kinds = sorted(set(group["type"]))
        if len(kinds) > 1:
            ids = tuple(group.drop_duplicates("type")["id"])
            found.append(Finding(ids, str(specimen), f"printed as {' and as '.join(kinds)}"))
    return groups.ngroups, found


def one_name(data: Data) -> tuple[int, list[Finding]]:
    """Does one laboratory have several media of one name and capacity?"""
    labels = _labels(data)
    product = labels["product"].str.lower().str.replace("+", "plus").str.replace(" ", "")
    named = labels.assign(product=product)[labels["product"] != "unknown"]
    groups = named.groupby(["measured_by", "maker", "product", "capacity"], sort=True)
    found = []
    for (measured_by, maker, product, _), group in groups:
        specimens = sorted(group["specimen"].unique())
        if len(specimens) > 1:
            evidence = (
                f"{measured_by} has {len(specimens)} media that are called {maker} {product}: "
                "the part number, form or identifier is the key"
            )
            ids = tuple(group.drop_duplicates("specimen")["id"])
            found.append(Finding(ids, ", ".join(specimens), evidence))
    return groups.ngroups, found


def _labels(data: Data) -> pd.DataFrame:
    """Return one row a label of a line, with its medium's columns."""
    rows = data.measurements.drop_duplicates([*columns("source", "file", "name"), "line"])
    media = data.media[["specimen", "maker", "product", "capacity"]]
    return rows.merge(media, on="specimen", how="left", validate="many_to_one")
