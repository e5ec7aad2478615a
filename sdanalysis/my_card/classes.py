"""What a log holds of a card -> the classes that it shows, by the rule for the published cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from sdanalysis.codebook import schema
from sdanalysis.my_card.card import Classes
from sdanalysis.stats.classes import PARTS, class_summary, class_verdicts

if TYPE_CHECKING:
    from sdanalysis.dataset import Data
    from sdanalysis.my_card.setting import Setting

CARD = "you/your card"
ANY = "any laboratory"
_NO_HOST = {"host": "not given", "reader": "not given"}


def reached_classes(
    bandwidths: pd.DataFrame, data: Data, setting: Setting, *, claimed: Sequence[str] = ()
) -> Classes:
    """Return the verdicts on a card, class by class and figure by figure.

    What a host costs is bounded by its quickest card, whoever measured it: laboratories are
    therefore not told apart here (their systems differ a little, too). Without a host the bus
    is taken as wide as that of the fastest one, and nothing can be failed. `claimed` are the
    classes that the card itself claims, as `A1` or `U3`.
    """
    own = _own_rows(bandwidths, setting)
    here = (data.measurements["host"] == setting.host) & (
        data.measurements["reader"] == setting.reader
    )
    here &= bool(own["op"].isin(PARTS).any())  # else there is nothing to hold
    others = data.measurements[here]  # only they say what the host costs
    table = pd.concat([others.assign(measured_by=ANY), own], ignore_index=True)
    media = pd.concat([data.media, pd.DataFrame([_entry(claimed)])], ignore_index=True)
    hosts = data.hosts
    if not setting.host:
        widest = pd.DataFrame([{**_NO_HOST, "limit": setting.limit, "bus": "not given"}])
        hosts = pd.concat([hosts, widest], ignore_index=True)
    verdicts = class_verdicts(table, data.classes, media, hosts, data.noise)
    figures = verdicts[verdicts["specimen"] == CARD]
    order = {name: position for position, name in enumerate(data.classes["class"])}
    summary = class_summary(figures, data.classes)
    summary = summary.sort_values("class", key=lambda names: names.map(order), ignore_index=True)
    return Classes(summary[["class", "rated", *PARTS, "verdict", "reason"]], figures)


def _own_rows(bandwidths: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Return the log's figures that a class may be held against, as rows of the table."""
    cached = bandwidths["tool"].isin(["iozone", "fio"]) & ~bandwidths["direct"].fillna(True)
    kept = bandwidths[~cached]  # the page cache is no card
    one_by_one = kept["tool"] != "fio"  # the published tables print neither count for them
    place = {"host": setting.host, "reader": setting.reader} if setting.host else _NO_HOST
    types = {name: column.dtype for name, column in schema.COLUMNS.items()}
    own = kept.assign(
        **place,
        id=kept.index.astype("str"),
        run=None,  # each figure is a run: there are no shares among them
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
    return own.reindex(columns=list(schema.COLUMNS)).astype(types)


def _entry(claimed: Sequence[str]) -> dict[str, str]:
    """Return the card's line of the catalogue, with the classes that it claims."""
    speed = " ".join(name for name in claimed if not name.startswith("A"))
    application = next((name for name in claimed if name.startswith("A")), "unknown")
    entry = {"specimen": CARD, "medium": "your card", "form": "microSD"}
    return entry | {"application_class": application, "speed_class": speed}
