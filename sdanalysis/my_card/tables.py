"""Entries of a document -> the cells of its tables, the same for the terminal and the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Entry = dict[str, Any]
PARTS = ("write", "randread", "randwrite")


def place_row(one: Entry) -> list[str]:
    """Return test, figure, place, its range, share slower, median, ratio, share of bus, ..."""
    low, high = one["rank_low"], one["rank_high"]
    share = one["share_of_bus_limit"]
    return [
        one["test"] + ("" if one["tool"] == "same" else " *"),
        f"{one['value']:g}",
        f"{one['rank']} of {one['known_cards'] + 1}",
        f"{low} to {high}" if low != high else str(low),
        f"{one['percentile']:.0f} %",
        f"{one['median']:g}",
        f"{one['verdict']} {one['ratio']:.2f}",
        "-" if share is None else f"{100 * share:.0f} %",
        one["compared_with"],
        one["at"],
    ]


def nearest_row(one: Entry) -> list[str]:
    """Return card, factor, tests, tests within noise."""
    return [one["name"], f"{one['factor']:.2f}", str(one["tests"]), str(one["within_noise"])]


def name_row(one: Entry) -> list[str]:
    """Return name, test, n, ratio, noise and verdict."""
    return [
        one["name"],
        one["test"],
        str(one["specimens"]),
        f"{one['ratio']:.2f}",
        f"{one['noise_band']:.2f}",
        one["verdict_in_words"],
    ]


def class_rows(classes: Sequence[Entry]) -> list[list[str]]:
    """Return verdict, parts and reason of the classes; those with the same ones in one row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for one in classes:
        parts = [one[part] or "not asked" for part in PARTS]
        why = (one["reason"] or "").replace("randread:", "random read:")
        why = why.replace("randwrite:", "random write:")
        rows.setdefault((one["verdict"], *parts, why), []).append(one["class"])
    return [[" ".join(names), *cells] for cells, names in rows.items()]


def class_figure_row(one: Entry) -> list[str]:
    """Return class, op, tool, figure, minimum, verdict, reason and caveats."""
    return [
        one["class"],
        one["op"],
        one["tool"],
        f"{one['value']:g} {one['unit']}",
        f"{one['minimum']:g} {one['unit']}",
        one["verdict"],
        one["reason"],
        one["caveats"] or "",
    ]


def fact_row(one: Entry) -> list[str]:
    """Return name, value and place of a fact."""
    return [one["name"], one["value"], one["at"]]


def left_row(one: Entry) -> list[str]:
    """Return what was left out, how many figures, why, and where the first stands."""
    return [one["what"], str(one["figures"]), one["why"], one["at"]]


FILTERS: dict[str, Callable[..., list]] = {
    "place_row": place_row,
    "nearest_row": nearest_row,
    "name_row": name_row,
    "class_rows": class_rows,
    "class_figure_row": class_figure_row,
    "fact_row": fact_row,
    "left_row": left_row,
}
