"""What a log holds of a card -> what cannot be the card's: the audit's rules, on one log."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from sdanalysis.audit.neighbours import repeat_outlier
from sdanalysis.audit.physics import above_bus_limit, random_above_sequential, write_above_read

if TYPE_CHECKING:
    from sdanalysis.dataset import Data
    from sdanalysis.my_card.setting import Setting

_RULES = {
    "above the bus limit": above_bus_limit,
    "random above sequential": random_above_sequential,
    "write above read": write_above_read,
    "repeated runs": repeat_outlier,
}
_MOST = 2000  # rows: rules that compare every row with every other one stop being useful


def doubts(bandwidths: pd.DataFrame, data: Data, setting: Setting) -> pd.DataFrame:
    """Return what the audit's rules doubt in a log: `rule`, `at` (`file:line`), `evidence`."""
    figures = bandwidths.head(_MOST)
    table = figures.assign(
        id=[f"{at}:{number}" for number, at in enumerate(figures["at"])],
        raw=figures["raw"].fillna((figures["value"] / 1e6).map("{:.3g} MB/s".format)),  # of sums
        source="log",
        specimen="your card",
        measured_by="you",
        origin="primary",
        host=setting.host or "not given",
        reader=setting.reader or "not given",
        run=[f"{file} {run}" for file, run in zip(figures["file"], figures["run"], strict=True)],
    )
    log = replace(data, measurements=table)
    found = [
        {"rule": rule, "at": ", ".join(finding.places), "evidence": finding.evidence}
        for rule, check in _RULES.items()
        for finding in check(log)[1]
    ]
    return pd.DataFrame(found, columns=["rule", "at", "evidence"])
