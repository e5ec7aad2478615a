"""A selection (column = value or values) -> rows of the table -> figures of units and their ratios.

The unit is the specimen, or the specimen in one of several conditions; repeated runs of a unit are
averaged in logarithms. What a claim does not set apart has to be the same in all rows of a side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np
import pandas as pd

from sdanalysis.claims.claim import CONDITIONS, Claim, Selection, as_list
from sdanalysis.stats.intervals import geometric_mean, t_quantile
from sdanalysis.stats.reasons import doubted
from sdanalysis.stats.same_test import average_repeats
from sdanalysis.stats.sides import CARD, pair_sides

_ERROR = ["sd", "freedom", "slack"]
_LISTS = ("remarks", "speed_class")  # columns that hold several words
# A row that is somebody else's, a summary, or a word in place of a figure is asked for by name.
_DEFAULTS = {"origin": "primary", "status": "measured", "metric": "bandwidth"}
# So is what the table got after its article, by the remark: the article's sentences precede it.
_LATER = "added-after-article"


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the tests read: a class because every kind takes it whole.

    `measurements` is the tidy table with the columns `MEDIA` of the catalogue, `limit` (of the
    bus, B/s), the noise of one run (as of `stats.noise_band`) and `slack` (as of `rounding`).
    `classes` is `stats.class_verdicts` of it; `cards` and `places` are what a reader calls a
    specimen, and a host and reader.
    """

    measurements: pd.DataFrame
    classes: pd.DataFrame
    cards: Mapping[str, str]
    places: Mapping[tuple[str, str], str]
    confidence: float

    @cached_property
    def has(self) -> Callable[[str, object], np.ndarray]:
        """What tells which rows hold a value in a column, or among its words."""
        return cache(partial(_has, self.measurements))

    def card(self, specimen: str) -> str:
        """Return what a reader calls a card."""
        return self.cards.get(specimen, specimen)

    def place(self, host: str, reader: str) -> str:
        """Return where something was measured, in words: `on the Pi 4`."""
        name = self.places[host, reader]
        return f"in the {name}" if "reader" in name else f"on the {name}"

    @cached_property
    def without_doubted(self) -> Facts:
        """Return the facts without the figures that the audit doubts: those of every headline."""
        return replace(self, measurements=self.measurements[~doubted(self.measurements)])


def select(facts: Facts, claim: Claim, key: str, step: Selection | None = None) -> pd.DataFrame:
    """Return the rows that the selection under a key, or one of its steps, means.

    Raises
    ------
    DeclarationError
        A value occurs nowhere in its column, or no row has them all.
    """
    selection = claim.whole(claim.parameters[key] if step is None else step)
    for column, wanted in {**_DEFAULTS, **selection}.items():
        for value in as_list(wanted):
            if not facts.has(column, value).any():
                raise claim.error(key, f"found {value!r}, which no row has in {column}")
    selected = matching(facts, selection)
    if selected.empty:
        wanted = {column: map(str, as_list(own)) for column, own in selection.items()}
        words = ", ".join(f"{column} {' or '.join(own)}" for column, own in wanted.items())
        raise claim.error(key, f"found no row with {words}, expected at least one")
    return selected


def matching(facts: Facts, selection: Selection) -> pd.DataFrame:
    """Return the rows that a selection means: none that was added later, unless it asks for it."""
    mask = np.ones(len(facts.measurements), bool)
    if _LATER not in as_list(selection.get("remarks", [])):
        mask = ~facts.has("remarks", _LATER)
    for column, wanted in {**_DEFAULTS, **selection}.items():
        mask &= np.logical_or.reduce([facts.has(column, value) for value in as_list(wanted)])
    return facts.measurements[mask]


def _has(rows: pd.DataFrame, column: str, value: object) -> np.ndarray:
    cells = rows[column]
    if column in _LISTS:
        return np.array([value in text.split(" ") for text in cells.fillna("")], bool)
    return (cells == value).to_numpy(bool, na_value=False)


def unit_figures(claim: Claim, key: str, rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return one row a unit: a specimen in one combination of the conditions `by`.

    As `average_repeats` returns it, with `sd` (of the logarithm of the value, by run noise),
    `freedom` and `slack` (half a step of the last printed digit, relative).

    Raises
    ------
    DeclarationError
        The rows differ in a condition that is not among `by`.
    """
    for condition in CONDITIONS:
        values = rows[condition].array.unique()
        if condition not in by and len(values) > 1:
            words = ", ".join(sorted(map(str, values)))
            expected = f"expected one, or {condition} to be kept"
            raise claim.error(key, f"found several {condition} ({words}), {expected}")
    units = average_repeats(rows, list(dict.fromkeys([*CARD, *by, "tool", "file_size"])))
    known = rows.set_index("id")[["noise_sd", "noise_freedom"]]
    noise = known.loc[[ids[0] for ids in units["ids"]]]  # that of the test, which a unit shares
    slack = dict(zip(rows["id"], rows["slack"], strict=True))
    return units.assign(
        sd=noise["noise_sd"].array / np.sqrt(units["runs"].to_numpy(float)),
        freedom=noise["noise_freedom"].array,
        slack=[max(slack[name] for name in ids) for ids in units["ids"]],
    )


def rounding(raw: str) -> float:
    """Return half a step of the last digit of a printed figure, relative to the figure."""
    digits = raw.strip("%").replace(",", ".")
    decimals = len(digits.partition(".")[2])
    return 0.5 * 10**-decimals / float(digits)


def ratios(above: pd.DataFrame, below: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Return the ratio of every unit above to every unit below that agrees with it in `on`.

    As `pair_sides` returns it (the base is below), with `card_base`, `card_other`, `ratio`, `sd`,
    `freedom` and `slack`. Laboratories are never crossed; stated file sizes that differ only where
    the claim itself sets one tool against another, each of which has a file of its own.
    """
    sides = pd.concat([below.assign(rank=0), above.assign(rank=1)], ignore_index=True)
    keys = list(dict.fromkeys(["measured_by", *on]))
    two_tools = set(above["tool"]) != set(below["tool"])
    both = pair_sides(sides.assign(card=sides["specimen"]), keys, across_sizes=two_tools)
    bases, others = (
        both[[f"{name}_{side}" for name in _ERROR]].set_axis(_ERROR, axis=1)
        for side in ("base", "other")
    )
    return both.assign(ratio=both["value_other"] / both["value_base"], **_joint(others, bases))


def _joint(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the error of the ratio of two figures."""
    return {
        "sd": np.hypot(first["sd"], second["sd"]),
        "freedom": pd.concat([first["freedom"], second["freedom"]], axis=1).min(axis=1),
        "slack": first["slack"] + second["slack"],
    }


def mean_figure(figures: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the geometric mean of figures or ratios as one row: `ratio`, `sd`, `freedom`, ..."""
    mean = {
        "ratio": geometric_mean(figures[column]),
        "sd": float(np.sqrt((figures["sd"].astype(float) ** 2).sum())) / len(figures),
        "freedom": figures["freedom"].min(),
        "slack": float(figures["slack"].mean()),
    }
    return pd.DataFrame([mean])


def ratio_of_means(above: pd.DataFrame, below: pd.DataFrame) -> pd.DataFrame:
    """Return the ratio of the means of two groups as one row, with its error."""
    first, second = (mean_figure(units, "value") for units in (above, below))
    return first.assign(ratio=first["ratio"] / second["ratio"], **_joint(first, second))


def half_widths(figures: pd.DataFrame, confidence: float) -> pd.Series:
    """Return how far noise and rounding may move the logarithm of each figure, if that is known."""
    quantiles = figures["freedom"].map(
        lambda freedom: t_quantile(confidence, int(freedom)) if pd.notna(freedom) else np.nan
    )
    return quantiles.astype(float) * figures["sd"].astype(float) + figures["slack"]
