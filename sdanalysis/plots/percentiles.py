"""Plot of fio's percentiles of latency, of one run or of many."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.plots.axes import entitle, log_axis, new_axes
from sdanalysis.plots.labels import label_right
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.over_time import named_runs

_SHARES = (50.0, 90.0, 99.0, 99.9, 99.99, 99.999)  # ticks, as far as there are percentiles


def percentiles(
    table: pd.DataFrame,
    ax: Axes | None = None,
    *,
    by: Sequence[str] = ("file", "job", "entry", "op", "kind"),
    title: str = "",
) -> Axes:
    """Draw the latency that a share of the operations stayed within: a line a run, its name beside.

    To the right each step is ten times as rare, so that the slowest operations are seen.

    Parameters
    ----------
    table : DataFrame
        As of `parse(paths, what="percentiles")`; a percentile of 100 has no place on the axis.
    by : sequence of str
        The columns that name a run; those that are the same for all are not shown.
    title : str
        What is seen, in words.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import plots
    >>> table = sdanalysis.parse("data/examples/over-time/*.json", what="percentiles")
    >>> ax = plots.percentiles(table, by=["job"])
    >>> ax.get_ylabel(), [line.get_label() for line in ax.lines]
    ('latency, us (log scale; down is faster)', ['cache-empty', 'cache-ends'])
    """
    require(table, [*by, "percentile", "latency"], "parse(paths, what='percentiles')")
    known = table[table["latency"].gt(0) & table["percentile"].lt(100)]
    if known.empty:
        raise SdAnalysisError("found no percentile, expected some below 100 with a latency above 0")
    word, factor = _time_unit(known["latency"].min(), known["latency"].max())
    runs = list(named_runs(known.assign(shown=known["latency"] * factor), by))
    ax = ax or new_axes(width=8.4, rows=max(16, 1.2 * len(runs)), margin=0.9)
    for name, rows, colour, marker in runs:
        drawn = rows.sort_values("percentile")
        style: dict[str, Any] = {"color": colour, "linewidth": 1.4, "marker": marker}
        [line] = ax.plot(drawn["percentile"], drawn["shown"], markersize=4, label=name, **style)
        shares = zip(drawn["percentile"], drawn["shown"], strict=True)
        said = [f"{share:g} % within {number(latency)} {word}" for share, latency in shares]
        describe(line, titles(drawn.assign(name=name), said))
    log_axis(ax, "y", f"latency, {word} (log scale; down is faster)")
    _share_axis(ax, known["percentile"].min(), known["percentile"].max())
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#e4e4e4", linewidth=0.7)
    ends = [rows.loc[rows["percentile"].idxmax(), "shown"] for _, rows, _, _ in runs]
    label_right(ax, ends, [name for name, *_ in runs], [colour for _, _, colour, _ in runs])
    entitle(ax, title)
    return ax


def _time_unit(low: float, high: float) -> tuple[str, float]:
    """Return the unit in which a range of times is shortest to print."""
    middle = (low * high) ** 0.5
    return ("us", 1e6) if middle < 1e-3 else ("ms", 1e3) if middle < 1 else ("s", 1.0)


def _share_axis(ax: Axes, low: float, high: float) -> None:
    """Let the axis of percentiles count nines: 90, 99 and 99.9 % are equally far apart."""

    def nines(share: np.ndarray) -> np.ndarray:
        return -np.log10(1 - np.clip(share, 0, 99.999999) / 100)

    def back(place: np.ndarray) -> np.ndarray:
        return 100 * (1 - 10.0 ** -np.asarray(place, dtype=float))

    ax.set_xscale("function", functions=(nines, back))
    ticks = [share for share in _SHARES if low <= share <= high] or [low]
    ax.set_xticks(ticks, [f"{share:g}" for share in ticks])
    ax.set_xlim(min(low, ticks[0]), high)
    ax.set_xlabel("% of the operations, each step ten times as rare")
