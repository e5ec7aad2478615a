"""An answer in frames -> one document of plain words and numbers, which is the JSON as well."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from sdanalysis import __version__
from sdanalysis.codebook.measurement import Problem
from sdanalysis.logs.identity import Fact
from sdanalysis.my_card.answer import Answer
from sdanalysis.my_card.sentences import sentences, shown_test
from sdanalysis.my_card.standing import ALL_HOSTS

WITHHELD = "withheld (--show-serial prints it)"
VERDICTS = {
    ">": "faster than the median card by more than run noise",
    "<": "slower than the median card by more than run noise",
    "~": "undecided: the gap to the median card lies within run noise",
}
NAME_VERDICTS = {
    "~": "within run noise",
    "specimens": "further, but not further than specimens of one model are known to differ",
    "unlike": "further than any two specimens of one model that we know",
}


def document(answer: Answer, *, show_serial: bool = False) -> dict[str, Any]:
    """Return the answer as plain words, numbers, lists and tables; missing is None.

    Bandwidths are in MB/s (10^6 B/s). Serial numbers are withheld unless asked for; files appear
    by their names only, without their folders.
    """
    return {
        "question": "Where does this card stand?",
        "answer": sentences(answer),
        "card": _card(answer),
        "identity": [_fact(file, fact, show_serial) for file, fact in answer.found.facts],
        "places": [_place(row, answer) for row in answer.placed.itertuples()],
        "nearest": _records(answer.nearest[["name", "factor", "tests", "within_noise"]]),
        "name": {
            "candidates": _records(answer.candidates[["name", "part_number", "specimens"]]),
            "tests": [_named(row) for row in answer.same.itertuples()],
            "yardstick": answer.yardstick[0],
            "yardstick_from": answer.yardstick[1],
        },
        "classes": _records(
            answer.classes[
                ["class", "rated", "write", "randread", "randwrite", "verdict", "reason"]
            ]
        ),
        "class_figures": _class_figures(answer.class_figures),
        "doubts": _records(answer.doubts),
        "not_compared": _records(answer.not_compared),
        "not_read": [
            _problem(path, problem)
            for path, problem in answer.found.problems
            if problem.kind != "note"
        ],
        # A note quotes its line, and a page that is shared should not quote what nobody chose.
        "notes": sum(problem.kind == "note" for _, problem in answer.found.problems),
        "made_with": f"sd-card-analysis {__version__}",
    }


def _card(answer: Answer) -> dict[str, Any]:
    return {
        "label": answer.label,
        "host": answer.host,
        "reader": answer.reader,
        "host_name": answer.host_name,
        "bus": answer.bus,
        "bus_limit": _mega(answer.limit),
        "files": list(answer.found.files),
        "figures_read": len(answer.found.rows) + sum(one for _, one in answer.found.samples),
        "tests": len(answer.figures),
    }


def _fact(file: str, fact: Fact, show_serial: bool) -> dict[str, str]:
    value = fact.value if show_serial or not fact.private else WITHHELD
    return {"name": fact.name, "value": value, "at": f"{file}:{fact.line}"}


def _problem(path: str, problem: Problem) -> dict[str, str]:
    at = f"{path.rpartition('/')[2]}:{problem.line}"
    return {"at": at, "kind": problem.kind, "text": problem.text}


def _place(row: tuple, answer: Answer) -> dict[str, Any]:
    return {
        "test": shown_test(row.test, row.level),
        "value": _mega(row.value),
        "runs": int(row.runs),
        "compared_with": _basis(row.basis, answer.host),
        "tool": "same" if row.level == "same tool" else "another (fio against iozone): indicative",
        "known_cards": int(row.n),
        "slower_cards": int(row.slower),
        "rank": int(row.rank),
        "rank_low": int(row.rank_low),
        "rank_high": int(row.rank_high),
        "percentile": round(float(row.percentile), 1),
        "median": _mega(row.median),
        "ratio": round(float(row.ratio), 4),
        "noise_band": None if math.isnan(row.band) else round(float(row.band), 4),
        "noise_from": _plain(row.band_basis),
        "verdict": row.verdict,
        "verdict_in_words": VERDICTS[row.verdict],
        "share_of_bus_limit": round(row.value / answer.limit, 4) if answer.host else None,
        "assumed": _plain(row.assumed),
        "at": row.at,
    }


def _basis(basis: str, host: str | None) -> str:
    if basis != ALL_HOSTS:
        return f"cards on {basis}"
    return "cards on other hosts" if host else "cards on all hosts"


def _named(row: tuple) -> dict[str, Any]:
    return {
        "name": row.name,
        "test": row.test,
        "specimens": int(row.n),
        "ratio": round(float(row.ratio), 4),
        "nearest": row.nearest,
        "noise_band": round(float(row.band), 4),
        "verdict": row.verdict,
        "verdict_in_words": NAME_VERDICTS[row.verdict],
    }


def _class_figures(figures: pd.DataFrame) -> list[dict[str, Any]]:
    """Return which figure was held against which minimum: in MB/s for writes, else in IOPS."""
    random = figures["op"] != "write"
    scale = random.map({True: 1.0, False: 1e6}).astype(float)
    shown = figures.assign(
        value=(figures["value"] / scale).round(3),
        minimum=(figures["minimum"] / scale).round(3),
        unit=random.map({True: "IOPS", False: "MB/s"}),
    )
    columns = ["class", "op", "tool", "value", "minimum", "unit", "verdict", "reason", "caveats"]
    return _records(shown[columns])


def _mega(value: float) -> float:
    return float(f"{value / 1e6:.4g}")


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {name: _plain(value) for name, value in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]


def _plain(value: object) -> object:
    if value is None or (not isinstance(value, str | list) and pd.isna(value)):
        return None
    value = value.item() if hasattr(value, "item") else value
    return float(f"{value:.6g}") if isinstance(value, float) else value
