"""Two tables of results -> every condition that differs between them, and what that allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from sdanalysis.stats.same_test import columns, size_in_words
from sdanalysis.stats.test_columns import Results, checked, completed, results_by_test

_SIZES = ("block_size", "file_size")


def differing_conditions(
    base: pd.DataFrame, new: pd.DataFrame, *, by: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return every stated condition that differs between the two sides of their common tests.

    A condition differs where its values, or the shares of the results that have them, are not
    the same on both sides of a test; what only one side states differs, too. Laboratory, card,
    host, reader, system, tool and version, O_DIRECT, sizes, processes, queue depth, mix and the
    remarks of doubt are looked at.

    Parameters
    ----------
    base, new : DataFrame
        Rows of the tidy table or of `sdanalysis.parse`.
    by : sequence of str
        What names a test (default: `test_columns`).

    Returns
    -------
    DataFrame
        `condition`, `base` and `new` (their values, as text), `tests` (in how many tests it
        differs).

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> table = sdanalysis.load()
    >>> mine = table[(table["measured_by"] == "geerling") & (table["tool"] == "hdparm")]
    >>> pi_3, pi_4 = mine[mine["host"] == "pi-3b"], mine[mine["host"] == "pi-4b"]
    >>> list(stats.differing_conditions(pi_3, pi_4)["condition"])
    ['specimen', 'host']
    >>> same_cards = stats.on_both_sides(pi_3, pi_4, on="specimen")
    >>> stats.differing_conditions(*same_cards)
      condition   base    new  tests
    0      host  pi-3b  pi-4b      1
    """
    keys = checked(by, base, new)
    bases, news = results_by_test(base, keys), results_by_test(new, keys)
    common = [key for key in bases if key in news]
    rows = []
    for column in [*_card(base, new), *conditions()]:
        differing = [key for key in common if not _alike(bases[key][column], news[key][column])]
        if differing:
            rows.append(
                {
                    "condition": column,
                    "base": _words(column, (bases[key][column] for key in differing)),
                    "new": _words(column, (news[key][column] for key in differing)),
                    "tests": len(differing),
                }
            )
    return pd.DataFrame(rows, columns=["condition", "base", "new", "tests"])


def not_stated(base: pd.DataFrame, new: pd.DataFrame) -> list[str]:
    """Return the conditions that neither side states, and which may differ all the same.

    Parameters
    ----------
    base, new : DataFrame
        Rows of the tidy table or of `sdanalysis.parse`.

    Returns
    -------
    list of str
        Names of columns; `specimen` stands for the card.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> table = sdanalysis.load()
    >>> hdparm = table[table["tool"] == "hdparm"]
    >>> stats.not_stated(hdparm, hdparm)
    ['tool_version', 'block_size', 'file_size', 'numjobs', 'iodepth', 'read_mix']
    """
    sides = [completed(side) for side in (base, new)]
    stated = [name for name in conditions() if name != "remarks"]  # no doubt is nothing unsaid
    silent = [name for name in stated if all(side[name].isna().all() for side in sides)]
    return silent if _card(base, new) else ["specimen", *silent]


def conditions_that_differ(base: Results, new: Results, columns: Sequence[str]) -> str | None:
    """Return the names of the conditions in which the two sides of one test differ."""
    return ", ".join(name for name in columns if not _alike(base[name], new[name])) or None


def conditions() -> list[str]:
    """Return the conditions that may differ between the sides of a test, but for the card."""
    return columns("laboratory", "place", "context", "test", "cache", "size")


def _card(base: pd.DataFrame, new: pd.DataFrame) -> list[str]:
    """Return the name of the card that a side states: of its three names the most exact."""
    sides = [completed(side) for side in (base, new)]
    names = columns("card", "name")
    stated = [name for name in names if any(side[name].notna().any() for side in sides)]
    return stated[:1]


def _alike(base: Sequence[object], new: Sequence[object]) -> bool:
    """Tell whether two samples of a condition have the same values in the same shares."""
    first, second = Counter(base), Counter(new)
    return first.keys() == second.keys() and all(
        first[value] * len(new) == second[value] * len(base) for value in first
    )


def _words(condition: str, samples: Iterable[Sequence[Any]]) -> str:
    values = {value for sample in samples for value in sample}
    stated = sorted(values - {None})
    words = [size_in_words(value) if condition in _SIZES else str(value) for value in stated]
    missing = "none" if condition == "remarks" else "not stated"
    return ", ".join([*words, *([missing] if None in values else [])])
