"""What a comparison found -> text, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from sdanalysis.comparing.text import described, document, heading, in_words
from sdanalysis.text_tables import records

if TYPE_CHECKING:
    import pandas as pd

    from sdanalysis.comparing.comparison import Comparison

FORMATS = ("text", "csv", "json", "markdown")
_UNITS = {"bandwidth": "B/s", "iops": "1/s", "latency": "s"}


def rendered(comparison: Comparison, kind: str) -> str:
    """Return the comparison in one of `FORMATS`, with a line end."""
    if kind == "csv":
        return _csv(comparison)
    if kind == "json":
        return _json(comparison)
    return "\n".join(document(comparison, markdown=kind == "markdown")) + "\n"


def _csv(comparison: Comparison) -> str:
    """Return a row a test, values in base units; those not comparable follow, with their reason."""
    tests = comparison.tests
    if comparison.opinions is not None:
        tests = tests.join(comparison.opinions[["noise_band", "noise_basis", "opinion"]])
    names = [*comparison.keys, *tests.columns, "side", "figures", "reason"]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(names)), lineterminator="\n")
    writer.writeheader()
    writer.writerows([*_rows(tests), *_rows(comparison.left_out)])
    return text.getvalue()


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return list(map(in_words, records(frame)))


def _json(comparison: Comparison) -> str:
    content = {
        "heading": heading(comparison),
        "sides": described(comparison),
        "confidence": comparison.confidence,
        "paired": comparison.paired,
        "not_stated": list(comparison.not_stated),
        "units": _UNITS,
        "conditions": _rows(comparison.conditions),
        "tests": _rows(comparison.tests),
        "not_comparable": _rows(comparison.left_out),
    }
    if comparison.opinions is not None:
        content["second_opinions_from_run_noise_of_another_card"] = _rows(comparison.opinions)
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
