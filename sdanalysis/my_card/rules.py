"""What a log holds of a card -> what the rules for published cards say: its classes, its doubts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from sdanalysis.audit import RULES
from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.stats.classes import PARTS, class_summary, class_verdicts
from sdanalysis.stats.fit import figure_errors

if TYPE_CHECKING:
    from sdanalysis.dataset import Data
    from sdanalysis.my_card.computer import Setting

_ENTRY = {"specimen": "you/your card", "medium": "your card", "form": "microSD"}
_OWN = {"specimen": _ENTRY["specimen"], "source": "your log", "origin": "primary"}
_ANY = {"measured_by": "any laboratory"}
_NO_HOST: dict[str, str | None] = {"host": "not given", "reader": "not given"}
_AUDITED = (
    "above the bus limit", "random above sequential", "write above read", "repeated runs"
)  # fmt: skip
_DOUBTS = ["rule", "at", "evidence"]
_SUMMARY = ["class", "rated", *PARTS, "verdict", "reason"]
_HELD = ["class", "op", "tool", "value", "minimum", "verdict", "reason", "caveats"]
_MOST = 2000  # rows: rules that compare every row with every other one stop being useful


class Classes(NamedTuple):
    """The classes that figures reach: one row a class, and one a figure held against a minimum."""

    summary: pd.DataFrame
    figures: pd.DataFrame


def reached_classes(
    bandwidths: pd.DataFrame, data: Data, setting: Setting, *, claimed: Sequence[str] = ()
) -> Classes:
    """Return the verdicts on a card, class by class and figure by figure.

    What a host costs is bounded by its quickest card, whoever measured it: laboratories are
    therefore not told apart here (their systems differ a little, too). Without a host the bus
    is taken as wide as that of the fastest one, and nothing can be failed. `claimed` are the
    classes that the card itself claims, as `A1` or `U3`.
    """
    cached = bandwidths["tool"].isin(["iozone", "fio"]) & ~bandwidths["direct"].fillna(True)
    kept = bandwidths[~cached]  # the page cache is no card
    if not kept["op"].isin(PARTS).any():  # nothing to hold
        return Classes(pd.DataFrame(columns=_SUMMARY), pd.DataFrame(columns=_HELD))
    own, table, hosts = _own_rows(kept, setting), data.measurements, data.hosts
    application = next((name for name in claimed if name.startswith("A")), "unknown")
    speed = " ".join(name for name in claimed if not name.startswith("A"))
    entry = _ENTRY | {"application_class": application, "speed_class": speed}
    here = (table["host"] == setting.host) & (table["reader"] == setting.reader)
    others = table[here].assign(**_ANY)  # only they say what the host costs
    media = pd.concat([data.media, pd.DataFrame([entry])], ignore_index=True)
    if not setting.host:
        widest = pd.DataFrame([{**_NO_HOST, "limit": setting.limit, "bus": "not given"}])
        hosts = pd.concat([hosts, widest], ignore_index=True)
    rows = pd.concat([others, own], ignore_index=True)
    errors = figure_errors(data.measurements)
    verdicts = class_verdicts(rows, data.classes, media, hosts, data.noise, errors=errors)
    figures = verdicts[verdicts["specimen"] == _OWN["specimen"]]
    order = {name: position for position, name in enumerate(data.classes["class"])}
    summary = class_summary(figures, data.classes)
    summary = summary.sort_values("class", key=lambda names: names.map(order), ignore_index=True)
    return Classes(summary[_SUMMARY], figures[_HELD])


def _own_rows(kept: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Return the log's figures that a class may be held against, as rows of the table."""
    own = kept.assign(
        **_OWN | _ANY | _place(setting),
        id=kept.index.astype("str"),
        run=None,  # each figure is a run: there are no shares among them
        value_low=kept["value_low"].fillna(kept["value"]),
        value_high=kept["value_high"].fillna(kept["value"]),
        # The published tables print neither count where requests come one by one.
        numjobs=kept["numjobs"].mask(kept["numjobs"] == 1),
        iodepth=kept["iodepth"].where(kept["tool"] == "fio"),
        medium=_ENTRY["medium"],
        label=_ENTRY["medium"],
    )
    types = {name: column.dtype for name, column in COLUMNS.items()}
    return own.reindex(columns=list(COLUMNS)).astype(types)


def _place(setting: Setting) -> dict[str, str | None]:
    return {"host": setting.host, "reader": setting.reader} if setting.host else _NO_HOST


def doubts(bandwidths: pd.DataFrame, data: Data, setting: Setting) -> pd.DataFrame:
    """Return what the audit's rules doubt in a log: `rule`, `at` (`file:line`), `evidence`."""
    if bandwidths.empty:
        return pd.DataFrame(columns=_DOUBTS)
    figures = bandwidths.head(_MOST)
    table = figures.assign(
        **_OWN | _ANY | _place(setting),
        id=[f"{at}:{number}" for number, at in enumerate(figures["at"])],
        raw=figures["raw"].fillna((figures["value"] / 1e6).map("{:.3g} MB/s".format)),  # of sums
        run=[f"{file} {run}" for file, run in zip(figures["file"], figures["run"], strict=True)],
    )
    found = [
        (rule, ", ".join(finding.places), finding.evidence)
        for rule in _AUDITED
        for finding in RULES[rule](replace(data, measurements=table))[1]
    ]
    return pd.DataFrame(found, columns=_DOUBTS)
