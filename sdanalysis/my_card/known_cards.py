"""The known cards of the figure: where each was measured, and where that is printed."""

from __future__ import annotations

import pandas as pd

from sdanalysis.my_card.figures import Known
from sdanalysis.stats.names import place_names


def with_sources(points: pd.DataFrame, known: Known, hosts: pd.DataFrame) -> pd.DataFrame:
    """Return the points with the computers of each known card's figures, and their ids.

    The ids of a figure over all hosts are rows of those of each host, whose own are of the table.
    """
    if points.empty:
        return points.assign(place=None)
    single = known.by_host.explode("ids").set_index("ids")
    keys = pd.MultiIndex.from_frame(single[["host", "reader"]])
    names = place_names(hosts).reindex(keys).set_axis(single.index)
    names = names[~names.index.duplicated()]
    ids = [_printed(found, known.by_host["ids"]) for found in points["ids"]]
    words = [_joined(names.reindex(list(found))) for found in ids]
    return points.assign(ids=ids, place=pd.Series(words, points.index, dtype="str"))


def listed(points: pd.DataFrame) -> pd.DataFrame:
    """Return the known cards among the points, fastest first in each test, with a `link` to each.

    Adds `mark`, the id of the card's row in a page, and `at`, `file:line` of its figures.
    """
    known = points[points["kind"] == "known"]
    order = known["test"].map({test: at for at, test in enumerate(dict.fromkeys(known["test"]))})
    known = known.assign(order=order).sort_values(["order", "value"], ascending=[True, False])
    marks = [f"known-{number}" for number in range(1, len(known) + 1)]
    at = [list(dict.fromkeys(one.rpartition(":")[0] for one in ids)) for ids in known["ids"]]
    return known.drop(columns="order").assign(mark=marks, at=at, link=[f"#{m}" for m in marks])


def _printed(ids: tuple[str | int, ...], rows: pd.Series) -> tuple[str, ...]:
    """Return the ids of the table that ids of either kind stand for."""
    found = ([one] if isinstance(one, str) else rows[one] for one in ids)
    return tuple(name for names in found for name in names)


def _joined(names: pd.Series) -> str | None:
    words = dict.fromkeys(names.dropna())
    return "; ".join(words) if words else None
