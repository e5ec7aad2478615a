"""What a comparison found -> text, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdanalysis.comparing.text import document, filled

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("text", "csv", "json", "markdown")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All that one run of `compare` found: a class because every format shows it all.

    `groups`, `rows` and `columns` share out the names of a test.
    """

    sides: Sequence[str]
    heading: str
    conditions: pd.DataFrame
    not_stated: Sequence[str]
    tests: pd.DataFrame
    left_out: pd.DataFrame
    groups: Sequence[str]
    rows: Sequence[str]
    columns: Sequence[str]
    confidence: float
    paired: str | None = None
    opinions: pd.DataFrame | None = None

    @property
    def keys(self) -> list[str]:
        """The columns that name what was left out: a test, and what was paired in it."""
        paired = [self.paired] if self.paired else []
        return [*self.groups, *self.rows, *self.columns, *paired]


def rendered(one: Comparison, kind: str) -> str:
    """Return the comparison in one of `FORMATS`, with a line end."""
    if kind == "csv":
        return _csv(one)
    if kind == "json":
        return _json(one)
    return "\n".join(document(one, markdown=kind == "markdown")) + "\n"


def _csv(one: Comparison) -> str:
    """Return a row a test, values in base units; those not comparable follow, with their reason."""
    opinions = [] if one.opinions is None else ["noise_band", "noise_basis", "opinion"]
    tests = one.tests if one.opinions is None else one.tests.join(one.opinions[opinions])
    names = list(dict.fromkeys([*one.keys, *tests.columns, "side", "figures", "reason"]))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    for frame in (tests, one.left_out):
        writer.writerows(filled(row) for row in frame.to_dict("records"))
    return text.getvalue()


def _json(one: Comparison) -> str:
    frames = {"conditions": one.conditions, "tests": one.tests, "not_comparable": one.left_out}
    if one.opinions is not None:
        frames["second_opinions_from_run_noise_of_another_card"] = one.opinions
    content = {
        "heading": one.heading,
        "sides": list(one.sides),
        "confidence": one.confidence,
        "paired": one.paired,
        "not_stated": list(one.not_stated),
        "units": {"bandwidth": "B/s", "iops": "1/s", "latency": "s"},
        **{
            name: [filled(row) for row in frame.to_dict("records")]
            for name, frame in frames.items()
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=2, default=_plain) + "\n"


def _plain(cell: Any) -> Any:
    """Return what numpy holds as Python's own."""
    return cell.item()
