"""Plot of fio's samples over time, of one run or of many."""

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import FuncFormatter

from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.plots.axes import COLOURS, MARKERS, entitle, log_axis, new_axes
from sdanalysis.plots.labels import label_right
from sdanalysis.plots.marks import as_drawn, describe, number, titles

_LINES = 6  # runs: more than these are strips, for lines would hide one another
_DOTS = 200  # samples: more than these are a line without dots
_WIDE = 10  # greatest over least: from here on an axis is logarithmic
_UNITS = {
    "bandwidth": ("MB/s (10^6 B/s)", 1e-6, "up is faster"),
    "iops": ("operations a second (1/s)", 1.0, "up is faster"),
    "latency": ("latency, ms", 1e3, "down is faster"),
}
_AS_PRINTED = ("latency as printed (us before fio 3, ns since)", 1.0, "down is faster")


def over_time(
    samples: pd.DataFrame,
    ax: Axes | None = None,
    *,
    by: Sequence[str] = ("file", "op"),
    levels: pd.DataFrame | None = None,
    title: str = "",
) -> Axes:
    """Draw a run's samples over time: a line a run, or, of more than six, a strip of colour a run.

    Parameters
    ----------
    samples : DataFrame
        Of one metric, as of `parse(paths, what="samples")`. Latencies whose unit is open are
        drawn as printed.
    by : sequence of str
        The columns that name a run.
    levels : DataFrame
        Of `stats.levels`: drawn as black lines, the changes dashed, where runs are lines.
    title : str
        What is seen, in words.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import plots
    >>> samples = sdanalysis.parse("data/examples/over-time/*.log", what="samples")
    >>> ax = plots.over_time(samples, by=["file"])
    >>> ax.get_ylabel()
    'MB/s (10^6 B/s, log scale); up is faster'
    """
    require(samples, [*by, "metric", "time", "value", "raw"], "parse(paths, what='samples')")
    metrics = list(samples["metric"].unique())
    if len(metrics) != 1:
        found = ", ".join(map(str, metrics)) or "no sample"
        raise SdAnalysisError(f"found {found}, expected samples of one metric")
    is_open = bool(samples["value"].isna().all())
    unit, factor, better = _AS_PRINTED if is_open else _UNITS[metrics[0]]
    shown = samples.assign(shown=samples["raw" if is_open else "value"].astype(float) * factor)
    runs = list(named_runs(shown.dropna(subset="shown"), by))
    label = f"{unit}; {better}"
    if len(runs) > _LINES:
        ax = _strips(ax, runs, unit, entitled=bool(title))
    else:
        ax = ax or new_axes(width=8.4, rows=16, margin=0.9)
        _lines(ax, runs, label, unit)
        if levels is not None:
            _draw_levels(ax, levels, factor)
        label_right(ax, *_ends(runs))
    ax.set_xlabel("time since the start of the job, s")
    entitle(ax, title)
    return ax


Run = tuple[str, pd.DataFrame, str, str]


def named_runs(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[Run]:
    """Yield the name of each run, its rows, a colour and a marker.

    A name holds no more than tells the runs apart; of a path it is the file's.
    """
    varying = [name for name in by if frame[name].nunique(dropna=False) > 1] or list(by[:1])
    count = len(frame[varying].drop_duplicates())
    enough = (varying[:end] for end in range(1, len(varying) + 1))
    names_of = next(some for some in enough if len(frame[some].drop_duplicates()) == count)
    groups = frame.groupby(names_of, observed=True, sort=False, dropna=False)
    for (names, rows), colour, marker in zip(groups, cycle(COLOURS), cycle(MARKERS), strict=False):
        words = [str(name).rpartition("/")[2] for name in names if not pd.isna(name)]
        yield ", ".join(words), rows, colour, marker


def _lines(ax: Axes, runs: Sequence[Run], label: str, unit: str) -> None:
    for name, rows, colour, marker in runs:
        drawn = rows.sort_values("time", kind="stable")
        dots = marker if len(drawn) <= _DOTS else ""
        style: dict[str, Any] = {"color": colour, "linewidth": 1.1, "marker": dots}
        [line] = ax.plot(drawn["time"], drawn["shown"], markersize=2.6, label=name, **style)
        describe(line, _samples(drawn, name, unit) if dots else [_whole(drawn, name, unit)])
    _value_axis(ax, [rows["shown"] for _, rows, _, _ in runs], label)
    ax.set_xlim(left=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#e4e4e4", linewidth=0.7)
    ax.set_axisbelow(True)


def _samples(rows: pd.DataFrame, name: str, unit: str) -> list[str]:
    """Return what the dots of a run say."""
    words = unit.partition(" (")[0]
    pairs = zip(rows["shown"], rows["time"], strict=True)
    return titles(
        rows.assign(name=name),
        [f"{number(value)} {words} at {number(at)} s" for value, at in pairs],
    )


def _whole(rows: pd.DataFrame, name: str, unit: str) -> str:
    """Return what a run says whose samples are too many to have a mark each."""
    low, high = rows["shown"].min(), rows["shown"].max()
    return f"{name}\n{number(low)} to {number(high)} {unit.partition(' (')[0]}\n{len(rows)} samples"


def _value_axis(ax: Axes, values: Sequence[pd.Series], label: str) -> None:
    """Make the axis of values logarithmic where they differ by much, else begin it at 0."""
    low, high = min(column.min() for column in values), max(column.max() for column in values)
    if low > 0 and high / low >= _WIDE:
        log_axis(ax, "y", label.replace(")", ", log scale)", 1) if ")" in label else label)
    else:
        ax.set_ylim(0, high * 1.06 or 1)
        ax.set_ylabel(label)


def _ends(runs: Sequence[Run]) -> tuple[list[float], list[str], list[str]]:
    """Return where each line ends, what it is called, and its colour."""
    last = [rows.loc[rows["time"].idxmax(), "shown"] for _, rows, _, _ in runs]
    return last, [name for name, *_ in runs], [colour for _, _, colour, _ in runs]


def _draw_levels(ax: Axes, levels: pd.DataFrame, factor: float) -> None:
    line = {"color": "black", "linewidth": 1.8, "zorder": 4}
    ax.hlines(levels["level"] * factor, levels["begin"], levels["end"], **line)
    for begin in levels.loc[levels["ratio"].notna(), "begin"]:
        ax.axvline(begin, color="black", linewidth=0.9, linestyle="--", zorder=3)


def _strips(ax: Axes | None, runs: Sequence[Run], unit: str, *, entitled: bool) -> Axes:
    """Draw a strip a run, whose colour is the value: dark is low, the scale stands beside."""
    ax = ax or new_axes(width=8.4, rows=len(runs) + 2, margin=0.9 + 0.2 * entitled)
    low = min(rows["shown"].min() for _, rows, _, _ in runs)
    high = max(rows["shown"].max() for _, rows, _, _ in runs)
    wide = low > 0 and high / low >= _WIDE
    norm = LogNorm(low, high) if wide else Normalize(0, high)
    for place, (name, rows, _, _) in enumerate(runs):
        ordered = rows.sort_values("time", kind="stable")
        edges = np.concatenate([[0.0], ordered["time"].to_numpy()])
        cells = ordered["shown"].to_numpy()[np.newaxis]
        drawn = ax.pcolormesh(edges, [place - 0.4, place + 0.4], cells, norm=norm, cmap="cividis")
        as_drawn(describe(drawn, [_whole(rows, name, unit)]))
        drawn.set_rasterized(True)  # a strip is one mark
    ax.set_yticks(range(len(runs)), [name for name, *_ in runs], fontsize=8)
    ax.set_ylim(len(runs) - 0.5, -0.5)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    scale = unit.replace(")", ", log scale)", 1) if wide and ")" in unit else unit
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    ax.figure.colorbar(drawn, ax=ax, label=scale, aspect=40, pad=0.02, format=plain)
    return ax
