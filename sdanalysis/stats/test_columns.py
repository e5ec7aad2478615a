"""Two tables of results -> which of their tests can be compared, and why the others cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from sdanalysis.codebook import schema
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.reasons import first_reason

TEST = ("op", "metric", "stat")  # two figures that differ in one of these are never compared
# What tells tests apart besides, where it takes several values on one side; in this order.
TELLING = (
    *("measured_by", "host", "reader", "tool", "direct"),
    *("block_size", "file_size", "numjobs", "iodepth", "read_mix"),
)
Results = dict[str, list[Any]]  # the columns of one test's results, and their `row`


def test_columns(base: pd.DataFrame, new: pd.DataFrame) -> list[str]:
    """Return the columns that name a test: two figures that share them may be compared.

    Op, metric and stat always do. Laboratory, host, reader, tool, O_DIRECT, sizes, processes,
    queue depth and mix do where one side has several of them in what would else be one test.
    What is the same within each side but differs between them is no key: it is the difference
    that the comparison is about, and `differing_conditions` lists it.

    Parameters
    ----------
    base, new : DataFrame
        Rows of the tidy table or of `sdanalysis.parse`.

    Returns
    -------
    list of str
        For `by` of the other functions.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> table = sdanalysis.load()
    >>> mine = table[table["measured_by"] == "geerling"]
    >>> pi_3, pi_4 = mine[mine["host"] == "pi-3b"], mine[mine["host"] == "pi-4b"]
    >>> stats.test_columns(pi_3, pi_4)
    ['op', 'metric', 'stat']
    """
    keys = list(TEST)
    sides = [_usable(side) for side in (base, new)]
    for column in TELLING:
        for side in sides:
            counts = side.groupby(keys, dropna=False)[column].nunique(dropna=False)
            if len(counts) and counts.max() > 1:
                keys.append(column)
                break
    return keys


def tests(frame: pd.DataFrame, by: Sequence[str]) -> dict[tuple[Any, ...], Results]:
    """Return the results of each test as plain lists, with None for what is missing.

    Lists, because a table may have thousands of tests of few results each.
    """
    rows = _usable(frame)
    columns = {name: plain(rows[name]) for name in rows} | {"row": rows.index.tolist()}
    places: dict[tuple[Any, ...], list[int]] = {}
    for place, key in enumerate(zip(*(columns[name] for name in by), strict=True)):
        places.setdefault(key, []).append(place)
    return {
        key: {name: [cells[place] for place in found] for name, cells in columns.items()}
        for key, found in places.items()
    }


def plain(cells: pd.Series) -> list[Any]:
    """Return the cells as a list, with None for what is missing."""
    return cells.astype(object).where(cells.notna(), None).tolist()


def not_comparable(
    base: pd.DataFrame, new: pd.DataFrame, *, by: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return what cannot be compared, with the reason: on one side only, or not a result.

    Parameters
    ----------
    base, new : DataFrame
        Rows of the tidy table or of `sdanalysis.parse`.
    by : sequence of str
        What names a test (default: `test_columns`).

    Returns
    -------
    DataFrame
        The columns of `by`, `side` (base, new), `figures` and `reason`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> table = sdanalysis.load()
    >>> kulesz = table[table["measured_by"] == "kulesz"]
    >>> slow, fast = (kulesz[kulesz["reader"] == name] for name in ("cr0015", "cr0034a"))
    >>> left = stats.not_comparable(slow, fast)
    >>> left[left["op"] == "read"][["op", "tool", "side", "figures", "reason"]]
         op      tool side  figures                   reason
    1  read  ddrescue  new        3              only in NEW
    2  read  ddrescue  new        1  no result: not measured
    3  read    iozone  new        1  no result: not measured
    """
    keys = checked(by, base, new)
    groups = tests(base, keys), tests(new, keys)
    rows = [
        {
            **dict(zip(keys, key, strict=True)),
            "side": name,
            "figures": len(found["row"]),
            "reason": reason,
        }
        for (own, other), name in zip((groups, groups[::-1]), ("base", "new"), strict=True)
        for key, found in own.items()
        if key not in other
        for reason in [f"only in {name.upper()}"]
    ]
    for side, name in ((base, "base"), (new, "new")):
        rows += _without_result(side, keys, name)
    return pd.DataFrame(rows, columns=[*keys, "side", "figures", "reason"])


def on_both_sides(
    base: pd.DataFrame, new: pd.DataFrame, *, on: str, by: Sequence[str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return of both sides the results whose `on` stands on both sides of their test.

    Parameters
    ----------
    base, new : DataFrame
        Rows of the tidy table or of `sdanalysis.parse`.
    on : str
        A column, such as `specimen`: then only cards that both sides tested are left.
    by : sequence of str
        What names a test (default: `test_columns`).

    Returns
    -------
    (DataFrame, DataFrame)
        Subsets of the rows of `base` and `new`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> table = sdanalysis.load()
    >>> mine = table[table["measured_by"] == "geerling"]
    >>> pi_3, pi_4 = mine[mine["host"] == "pi-3b"], mine[mine["host"] == "pi-4b"]
    >>> [side["specimen"].nunique() for side in (pi_3, pi_4)]
    [8, 15]
    >>> [side["specimen"].nunique() for side in stats.on_both_sides(pi_3, pi_4, on="specimen")]
    [7, 7]
    """
    keys = [*checked(by, base, new), on]
    groups = tests(base, keys), tests(new, keys)
    common = [key for key in groups[0] if key in groups[1] and key[-1] is not None]
    first, second = ([row for key in common for row in side[key]["row"]] for side in groups)
    return base.iloc[sorted(first)], new.iloc[sorted(second)]


def checked(by: Sequence[str] | None, base: pd.DataFrame, new: pd.DataFrame) -> list[str]:
    """Return the columns that name a test: those of `by` with op, metric and stat, or all found.

    Raises
    ------
    SdAnalysisError
        A name is no column.
    """
    if by is None:
        return test_columns(base, new)
    known = {*schema.COLUMNS, *base.columns, *new.columns}
    for name in by:
        if name not in known:
            raise SdAnalysisError(
                f"found the column {name!r}, expected one of {', '.join(sorted(known))}"
            )
    return list(dict.fromkeys([*by, *TEST]))


def completed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the columns of the table that logs do not have, all missing.

    The rows are numbered from 0: a user's frame may have an index with repetitions.
    """
    absent = {
        name: pd.array([None] * len(frame), dtype=column.dtype)
        for name, column in schema.COLUMNS.items()
        if name not in frame
    }
    return frame.assign(**absent).reset_index(drop=True)


def _usable(frame: pd.DataFrame) -> pd.DataFrame:
    rows = completed(frame)
    return rows[_reasons(rows).isna()]


def _reasons(rows: pd.DataFrame) -> pd.Series:
    """Return why a row is no result to compare; missing where it is one."""
    rules: Iterable[tuple[pd.Series, str | pd.Series]] = [
        (rows["metric"].str.endswith("_ratio"), "a printed ratio, not a measurement"),
        (rows["origin"] == "derived", "a printed summary of other figures"),
        (rows["origin"] == "restated", "restated: counted where it was measured"),
        (rows["status"] != "measured", "no result: " + rows["status"].str.replace("_", " ")),
        (rows["value"].isna(), "no value"),
    ]
    return first_reason(rows.index, rules)


def _without_result(side: pd.DataFrame, keys: list[str], name: str) -> Iterator[dict[str, object]]:
    rows = completed(side)
    rows = rows.assign(reason=_reasons(rows))
    left = rows[rows["reason"].notna()].groupby([*keys, "reason"], dropna=False, sort=False)
    for (*key, reason), count in left.size().items():
        cells = [None if pd.isna(cell) else cell for cell in key]
        yield {
            **dict(zip(keys, cells, strict=True)),
            "side": name,
            "figures": count,
            "reason": reason,
        }
