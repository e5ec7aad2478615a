"""Plots of lines: a run over time, its percentiles, a pair, a card's gain, a ratio by processes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import FixedLocator, NullLocator

from sdanalysis.codebook.units import in_two_digits
from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.plots.cells import ramp
from sdanalysis.plots.marks import describe, fix_colours, number, titles
from sdanalysis.plots.style import (
    FAINT,
    INK,
    PLAIN,
    finish,
    kinds,
    label_right,
    log_axis,
    name_rows,
    new_axes,
    say,
)  # fmt: skip

_LINES = 6  # runs: more than these are strips, for lines would hide one another
_DOTS = 200  # samples: more than these are a line without dots
_WIDE = 10  # greatest over least: from here on an axis is logarithmic
_EARLY = 0.6  # of the time: a line that ends before has its name at its end
_UNITS = {
    "bandwidth": ("MB/s (10^6 B/s)", 1e-6, "up is faster"),
    "iops": ("operations a second (1/s)", 1.0, "up is faster"),
    "latency": ("latency, ms", 1e3, "down is faster"),
}
_AS_PRINTED = ("latency as printed (us before fio 3, ns since)", 1.0, "down is faster")
_SHARES = (50.0, 90.0, 99.0, 99.9, 99.99, 99.999)  # ticks, as far as there are percentiles

Run = tuple[str, pd.DataFrame, str, str]  # its name, rows, colour and marker


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
    """
    require(samples, [*by, "metric", "time", "value", "raw"], "parse(paths, what='samples')")
    metrics = list(samples["metric"].unique())
    if len(metrics) != 1:
        found = ", ".join(map(str, metrics)) or "no sample"
        raise SdAnalysisError(f"found {found}, expected samples of one metric")
    is_open = bool(samples["value"].isna().all())
    unit, factor, better = _AS_PRINTED if is_open else _UNITS[metrics[0]]
    scaled = samples.assign(scaled=samples["raw" if is_open else "value"].astype(float) * factor)
    runs = list(_runs(scaled.dropna(subset="scaled"), by, "time"))
    if len(runs) > _LINES:
        ax = _strips(ax, runs, unit, entitled=bool(title))
    else:
        ax = ax or new_axes(width=8.4, rows=16, margin=0.9)
        word = unit.partition(" (")[0]

        def says(row: Any) -> str:
            return f"{number(row.scaled)} {word} at {number(row.time)} s"

        _draw(ax, runs, "time", says, unit, linewidth=1.1, markersize=2.6)
        _value_axis(ax, runs, f"{unit}; {better}")
        ax.set_xlim(left=0)
        ax.grid(axis="y", color=FAINT, linewidth=0.7)
        ax.set_axisbelow(True)
        if levels is not None:
            line = {"color": INK, "linewidth": 1.8, "zorder": 4}
            ax.hlines(levels["level"] * factor, levels["begin"], levels["end"], **line)
            for begin in levels.loc[levels["ratio"].notna(), "begin"]:
                ax.axvline(begin, color=INK, linewidth=0.9, linestyle="--", zorder=3)
        _name_ends(ax, runs, "time")
    ax.set_xlabel("time since the start of the job, s")
    return finish(ax, title)


def _runs(frame: pd.DataFrame, by: Sequence[str], x: str) -> Iterator[Run]:
    """Yield the name of each run, its rows in the order of `x`, a colour and a marker.

    A name holds no more than tells the runs apart; of a path it is the file's.
    """
    varying = [name for name in by if frame[name].nunique(dropna=False) > 1] or list(by[:1])
    count = len(frame[varying].drop_duplicates())
    enough = (varying[:end] for end in range(1, len(varying) + 1))
    names_of = next(some for some in enough if len(frame[some].drop_duplicates()) == count)
    groups = frame.groupby(names_of, observed=True, sort=False, dropna=False)
    for (names, rows), colour, marker in kinds(groups):
        words = [str(name).rpartition("/")[2] for name in names if not pd.isna(name)]
        yield ", ".join(words), rows.sort_values(x, kind="stable"), colour, marker


def _draw(
    ax: Axes, runs: Sequence[Run], x: str, says: Callable[[Any], str], unit: str, **style: Any
) -> None:
    """Draw a line a run, with a dot that says something for each of its rows, if there is room."""
    for name, rows, colour, marker in runs:
        dots = marker if len(rows) <= _DOTS else ""
        style |= {"color": colour, "marker": dots, "label": name}
        [line] = ax.plot(rows[x], rows["scaled"], **style)
        words = titles(rows.assign(name=name), map(says, rows.itertuples()))
        describe(line, words if dots else [_whole(rows, name, unit)])


def _value_axis(ax: Axes, runs: Sequence[Run], label: str) -> None:
    """Make the axis logarithmic where values differ by much; else it begins at 0."""
    values = pd.concat([rows["scaled"] for _, rows, _, _ in runs])
    if values.min() > 0 and values.max() / values.min() >= _WIDE:
        log_axis(ax, "y", _of_logarithms(label))
    else:
        ax.set_ylim(0, values.max() * 1.06 or 1)
        ax.set_ylabel(label)


def _of_logarithms(label: str) -> str:
    return label.replace(")", ", log scale)", 1)


def _name_ends(ax: Axes, runs: Sequence[Run], x: str) -> None:
    """Name each line at its end: there, where it ends early, else right of the axes."""
    last = [rows.loc[rows[x].idxmax(), [x, "scaled"]].tolist() for _, rows, _, _ in runs]
    edge = max(at for at, _ in last)
    late = []
    for (name, _, colour, _), end in zip(runs, last, strict=True):
        if x == "time" and end[0] < _EARLY * edge:
            say(ax, name, tuple(end), (5, 0), ha="left", va="center", color=colour)
        else:
            late.append((tuple(end), name, colour))
    if late:
        label_right(ax, *map(list, zip(*late, strict=True)))


def _whole(rows: pd.DataFrame, name: str, unit: str) -> str:
    """Return what a run says whose samples are too many to have a mark each."""
    low, high = rows["scaled"].min(), rows["scaled"].max()
    return f"{name}\n{number(low)} to {number(high)} {unit.partition(' (')[0]}\n{len(rows)} samples"


def _strips(ax: Axes | None, runs: Sequence[Run], unit: str, *, entitled: bool) -> Axes:
    """Draw a strip a run, whose colour is the value: light is low, the scale stands beside."""
    ax = ax or new_axes(width=8.4, rows=len(runs) + 2, margin=0.9 + 0.2 * entitled)
    low = min(rows["scaled"].min() for _, rows, _, _ in runs)
    high = max(rows["scaled"].max() for _, rows, _, _ in runs)
    wide = low > 0 and high / low >= _WIDE
    norm = LogNorm(low, high) if wide else Normalize(0, high)
    for place, (name, rows, _, _) in enumerate(runs):
        edges = np.concatenate([[0.0], rows["time"].to_numpy()])
        cells = rows["scaled"].to_numpy()[np.newaxis]
        marks = ax.pcolormesh(edges, [place - 0.4, place + 0.4], cells, norm=norm, cmap=ramp())
        fix_colours(describe(marks, [_whole(rows, name, unit)]))
        marks.set_rasterized(True)  # a strip is one mark
    name_rows(ax, [name for name, *_ in runs])
    ax.set_ylim(len(runs) - 0.5, -0.5)
    scale = {"label": _of_logarithms(unit) if wide else unit, "format": PLAIN}
    ax.figure.colorbar(marks, ax=ax, aspect=40, pad=0.02, **scale)
    return ax


def percentiles(
    table: pd.DataFrame,
    ax: Axes | None = None,
    *,
    by: Sequence[str] = ("file", "job", "entry", "op", "kind"),
    title: str = "",
) -> Axes:
    """Draw the latency that a share of the operations stayed within: a line a run, its name beside.

    To the right each step is ten times as rare, so that the slowest operations are seen. The table
    is as of `parse(paths, what="percentiles")`; a percentile of 100 has no place on the axis. The
    columns of `by` name a run; those that are the same for all are not shown.
    """
    require(table, [*by, "percentile", "latency"], "parse(paths, what='percentiles')")
    known = table[table["latency"].gt(0) & table["percentile"].lt(100)]
    if known.empty:
        raise SdAnalysisError("found no percentile, expected some below 100 with a latency above 0")
    middle = (known["latency"].min() * known["latency"].max()) ** 0.5
    word, factor = ("us", 1e6) if middle < 1e-3 else ("ms", 1e3) if middle < 1 else ("s", 1.0)
    runs = list(_runs(known.assign(scaled=known["latency"] * factor), by, "percentile"))
    ax = ax or new_axes(width=8.4, rows=max(16, 1.2 * len(runs)), margin=0.9)

    def says(row: Any) -> str:
        return f"{row.percentile:g} % within {number(row.scaled)} {word}"

    _draw(ax, runs, "percentile", says, word, linewidth=1.4, markersize=4)
    log_axis(ax, "y", f"latency, {word} (log scale; down is faster)")
    _share_axis(ax, known["percentile"].min(), known["percentile"].max())
    ax.grid(color=FAINT, linewidth=0.7)
    _name_ends(ax, runs, "percentile")
    return finish(ax, title)


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


def ratios_by_jobs(
    printed: pd.DataFrame, *, label: str = "specimen", title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw each card's read/write ratio at equal process counts, beside the printed average.

    The frame is as `stats.printed_beside_matched` returns it; `label` is the column that names a
    line.
    """
    require(printed, [label, "value", "raw"], "stats.printed_beside_matched")
    ax = ax or new_axes(width=8.2, rows=16, margin=0.8)
    columns = [name for name in printed if name.startswith("jobs_")]
    counts = [int(name.removeprefix("jobs_")) for name in columns]
    ends = []
    for row, colour, marker in kinds(printed.itertuples()):
        values, card = [getattr(row, name) for name in columns], getattr(row, label)
        [line] = ax.plot(counts, values, marker=marker, color=colour)
        pairs = zip(values, counts, strict=True)
        describe(line, [f"{card}\n{value:.3g} times at {n} + {n} processes" for value, n in pairs])
        printed_line = ax.axhline(row.value, color=colour, linestyle=":", linewidth=1.2)
        describe(printed_line, [f"{card}\nprinted: {row.raw}"])
        style = {"ha": "left", "color": colour, "xycoords": ("axes fraction", "data")}
        say(ax, f"printed {row.raw}", (0.01, row.value), (0, 2), **style)
        ends.append(((counts[-1], values[-1]), card, colour))
    ax.set_xscale("log", base=2)
    ax.margins(x=0.12, y=0.12)
    log_axis(ax, "y", "how many times as fast reads are (log scale)")
    ax.xaxis.set_major_locator(FixedLocator(counts))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(PLAIN)
    ax.set_xlabel("readers, and as many writers (processes)")
    finish(ax, title)
    label_right(ax, *map(list, zip(*ends, strict=True)))
    return ax


def gain_curves(
    curves: pd.DataFrame, cards: pd.DataFrame, *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw how much a card gains on another host over its speed on the first, with its interval.

    The curves have `label` (of the legend), `speed` (B/s), `ratio`, `low` and `high`; the cards are
    the measured gains, a point a card.
    """
    require(curves, ["label", "speed", "ratio", "low", "high"], "stats.gain_curves")
    require(cards, ["label", "speed", "ratio"], "stats.gains_by_card")
    ax = ax or new_axes(width=8.4, rows=12, margin=1.0)
    for label, colour, marker in kinds(list(dict.fromkeys(curves["label"]))):
        line = curves[curves["label"] == label]
        speed = line["speed"] / 1e6
        ax.fill_between(speed, line["low"], line["high"], color=colour, alpha=0.15, linewidth=0)
        ax.plot(speed, line["ratio"], color=colour, linewidth=1.4)
        points = cards[cards["label"] == label]
        style = {"color": colour, "marker": marker, "s": 30, "label": label, "zorder": 3}
        marks = ax.scatter(points["speed"] / 1e6, points["ratio"], **style)
        words = [f"{in_two_digits(ratio)} times" for ratio in points["ratio"]]
        describe(marks, titles(points.assign(name=label), words))
    ax.axhline(1, color=INK, linewidth=0.8)
    ax.grid(color=FAINT, linewidth=0.6)
    ax.set(xlabel="speed on the first computer, MB/s (10^6 B/s)", ylabel="times as fast")
    return finish(ax, title, legend=2)
