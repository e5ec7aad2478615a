"""What a log holds of a card -> the classes that it shows, by the rule for the published cards."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdanalysis import stats
from sdanalysis.codebook import schema
from sdanalysis.my_card.same_test import as_bandwidth, reasons
from sdanalysis.stats.class_figures import PARTS

CARD = "you/your card"
ANY = "any laboratory"
_NO_HOST = {"host": "not given", "reader": "not given"}


def class_tables(
    rows: pd.DataFrame,
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    *,
    host: str | None,
    reader: str | None,
    claimed: Sequence[str] = (),
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return table, catalogue and hosts with the card put in beside the known ones.

    What a host costs is bounded by its quickest card, whoever measured it: laboratories are
    therefore not told apart here (their systems differ a little, too). Without a host the bus
    is taken as wide as that of the fastest one, and nothing can be failed.

    Parameters
    ----------
    rows : DataFrame
        Columns of `logs.COLUMNS`.
    claimed : sequence of str
        Classes that the card itself claims, as `A1` or `U3`.
    """
    place = {"host": host, "reader": reader} if host else _NO_HOST
    own = _own_rows(rows).assign(**place).reindex(columns=list(schema.COLUMNS))
    same = (measurements["host"] == host) & (measurements["reader"] == reader)
    same &= bool(own["op"].isin(PARTS).any())  # else there is nothing to hold
    types = {name: column.dtype for name, column in schema.COLUMNS.items()}
    others = measurements[same]  # only they say what the host costs
    table = pd.concat([others.assign(measured_by=ANY), own.astype(types)], ignore_index=True)
    catalogue = pd.concat([media, pd.DataFrame([_entry(claimed)])], ignore_index=True)
    if host is None:
        slots = hosts.loc[hosts["reader"] != "usb", "limit"]
        widest = pd.DataFrame([{**_NO_HOST, "limit": slots.max(), "bus": "not given"}])
        hosts = pd.concat([hosts, widest], ignore_index=True)
    return table, catalogue, hosts


def _own_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the log's figures that a class may be held against, as rows of the table."""
    kept = as_bandwidth(rows[reasons(rows).isna()])
    cached = kept["tool"].isin(["iozone", "fio"]) & ~kept["direct"].fillna(True)
    kept = kept[~cached]  # the page cache is no card
    one_by_one = kept["tool"] != "fio"  # the published tables print neither count for them
    return kept.assign(
        id=[f"{file}:{line}" for file, line in zip(kept["file"], kept["line"], strict=True)],
        value_low=kept["value_low"].fillna(kept["value"]),
        value_high=kept["value_high"].fillna(kept["value"]),
        numjobs=kept["numjobs"].mask(kept["numjobs"] == 1),
        iodepth=kept["iodepth"].mask(one_by_one),
        specimen=CARD,
        medium="your card",
        origin="primary",
        label="your card",
        source="your log",
        measured_by=ANY,
    )


def _entry(claimed: Sequence[str]) -> dict[str, str]:
    """Return the card's line of the catalogue, with the classes that it claims."""
    speed = " ".join(one for one in claimed if not one.startswith("A"))
    application = next((one for one in claimed if one.startswith("A")), "unknown")
    entry = {"specimen": CARD, "medium": "your card", "form": "microSD"}
    return entry | {"application_class": application, "speed_class": speed}


def shown_classes(
    tables: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame],
    classes: pd.DataFrame,
    noise: pd.DataFrame,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts on the card, class by class and figure by figure.

    Parameters
    ----------
    tables
        As `class_tables` returns them.
    classes, noise : DataFrame
        As `reference.classes` and `reference.noise` return them.

    Returns
    -------
    summary, figures : DataFrame
        The card's rows of `stats.class_summary` and of `stats.class_verdicts`.
    """
    table, media, hosts = tables
    verdicts = stats.class_verdicts(table, classes, media, hosts, noise)
    own = verdicts[verdicts["specimen"] == CARD]
    summary = stats.class_summary(own, classes)
    order = {name: place for place, name in enumerate(classes["class"])}
    return summary.sort_values("class", key=lambda one: one.map(order), ignore_index=True), own
