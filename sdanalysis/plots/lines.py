"""Plots of lines: a run over time, its percentiles, a pair, a card's gain, a ratio by processes."""

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.palette import SERIES
from sdanalysis.plots.cells import ramp
from sdanalysis.plots.forests import UNITS, changes, pair_styles
from sdanalysis.plots.marks import as_drawn, describe, number, titles
from sdanalysis.plots.style import (
    FAINT,
    INK,
    LABEL,
    LETTER,
    MARKERS,
    finish,
    kinds,
    label_right,
    log_axis,
    new_axes,
    row_names,
    say,
    widen,
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
    runs = list(_runs(shown.dropna(subset="shown"), by))
    if len(runs) > _LINES:
        ax = _strips(ax, runs, unit, entitled=bool(title))
    else:
        ax = ax or new_axes(width=8.4, rows=16, margin=0.9)
        _time_lines(ax, runs, f"{unit}; {better}", unit)
        if levels is not None:
            line = {"color": INK, "linewidth": 1.8, "zorder": 4}
            ax.hlines(levels["level"] * factor, levels["begin"], levels["end"], **line)
            for begin in levels.loc[levels["ratio"].notna(), "begin"]:
                ax.axvline(begin, color=INK, linewidth=0.9, linestyle="--", zorder=3)
        _name_ends(ax, runs, "time")
    ax.set_xlabel("time since the start of the job, s")
    return finish(ax, title)


def _runs(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[Run]:
    """Yield the name of each run, its rows, a colour and a marker.

    A name holds no more than tells the runs apart; of a path it is the file's.
    """
    varying = [name for name in by if frame[name].nunique(dropna=False) > 1] or list(by[:1])
    count = len(frame[varying].drop_duplicates())
    enough = (varying[:end] for end in range(1, len(varying) + 1))
    names_of = next(some for some in enough if len(frame[some].drop_duplicates()) == count)
    groups = frame.groupby(names_of, observed=True, sort=False, dropna=False)
    for (names, rows), colour, marker in zip(groups, cycle(SERIES), cycle(MARKERS), strict=False):
        words = [str(name).rpartition("/")[2] for name in names if not pd.isna(name)]
        yield ", ".join(words), rows, colour, marker


def _time_lines(ax: Axes, runs: Sequence[Run], label: str, unit: str) -> None:
    """Draw a line a run; the axis is logarithmic where values differ by much, else begins at 0."""
    for name, rows, colour, marker in runs:
        drawn = rows.sort_values("time", kind="stable")
        dots = marker if len(drawn) <= _DOTS else ""
        style: dict[str, Any] = {"color": colour, "linewidth": 1.1, "marker": dots}
        [line] = ax.plot(drawn["time"], drawn["shown"], markersize=2.6, label=name, **style)
        pairs = zip(drawn["shown"], drawn["time"], strict=True)
        word = unit.partition(" (")[0]
        said = [f"{number(value)} {word} at {number(at)} s" for value, at in pairs]
        whole = [_whole(drawn, name, unit)]
        describe(line, titles(drawn.assign(name=name), said) if dots else whole)
    values = pd.concat([rows["shown"] for _, rows, _, _ in runs])
    if values.min() > 0 and values.max() / values.min() >= _WIDE:
        log_axis(ax, "y", label.replace(")", ", log scale)", 1) if ")" in label else label)
    else:
        ax.set_ylim(0, values.max() * 1.06 or 1)
        ax.set_ylabel(label)
    ax.set_xlim(left=0)
    ax.grid(axis="y", color=FAINT, linewidth=0.7)
    ax.set_axisbelow(True)


def _name_ends(ax: Axes, runs: Sequence[Run], x: str) -> None:
    """Name each line at its end: there, where it ends early, else right of the axes."""
    last = [rows.loc[rows[x].idxmax(), [x, "shown"]].tolist() for _, rows, _, _ in runs]
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
    low, high = rows["shown"].min(), rows["shown"].max()
    return f"{name}\n{number(low)} to {number(high)} {unit.partition(' (')[0]}\n{len(rows)} samples"


def _strips(ax: Axes | None, runs: Sequence[Run], unit: str, *, entitled: bool) -> Axes:
    """Draw a strip a run, whose colour is the value: light is low, the scale stands beside."""
    ax = ax or new_axes(width=8.4, rows=len(runs) + 2, margin=0.9 + 0.2 * entitled)
    low = min(rows["shown"].min() for _, rows, _, _ in runs)
    high = max(rows["shown"].max() for _, rows, _, _ in runs)
    wide = low > 0 and high / low >= _WIDE
    norm = LogNorm(low, high) if wide else Normalize(0, high)
    for place, (name, rows, _, _) in enumerate(runs):
        ordered = rows.sort_values("time", kind="stable")
        edges = np.concatenate([[0.0], ordered["time"].to_numpy()])
        cells = ordered["shown"].to_numpy()[np.newaxis]
        drawn = ax.pcolormesh(edges, [place - 0.4, place + 0.4], cells, norm=norm, cmap=ramp())
        as_drawn(describe(drawn, [_whole(rows, name, unit)]))
        drawn.set_rasterized(True)  # a strip is one mark
    ax.set_yticks(range(len(runs)), [name for name, *_ in runs], fontsize=LABEL)
    ax.set_ylim(len(runs) - 0.5, -0.5)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    scale = unit.replace(")", ", log scale)", 1) if wide and ")" in unit else unit
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    ax.figure.colorbar(drawn, ax=ax, label=scale, aspect=40, pad=0.02, format=plain)
    return ax


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
    middle = (known["latency"].min() * known["latency"].max()) ** 0.5
    word, factor = ("us", 1e6) if middle < 1e-3 else ("ms", 1e3) if middle < 1 else ("s", 1.0)
    runs = list(_runs(known.assign(shown=known["latency"] * factor), by))
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


def pair_slopes(
    pairs: pd.DataFrame,
    label: Sequence[str] = ("label",),
    *,
    sides: tuple[str, str] = ("base", "other"),
    mark: str = "kind",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw each pair as a line from the value of its base to that of the other side.

    Parameters
    ----------
    pairs : DataFrame
        As `stats.contrast_pairs` returns it, of one metric.
    label : sequence of str
        The columns whose words stand right of a line, before its ratio.
    mark : str
        The column whose words choose the mark and the line.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> places = ["kulesz-workstation/cr0015", "kulesz-workstation/cr0034a"]
    >>> pairs = stats.contrast_pairs(data.measurements, "reader", data.noise, levels=places)
    >>> ax = plots.pair_slopes(pairs, ["specimen", "op"], sides=("USB 2.0", "USB 3.0"))
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['USB 2.0', 'USB 3.0']
    """
    needed = [*label, mark, "metric", "value_base", "value_other", "ratio"]
    require(pairs, needed, "stats.contrast_pairs")
    names = row_names(pairs, label)
    width = 5.4 + LETTER * names.str.len().max()
    ax = ax or new_axes(width=width, rows=max(14, len(pairs) * 0.8), margin=1.0)
    name, size = UNITS[pairs["metric"].iloc[0]]
    styles = pair_styles(pairs[mark])
    for word, (marker, line, colour, inside) in styles.items():
        here = pairs[pairs[mark] == word]
        ends = np.array([here["value_base"], here["value_other"]]) / size
        style = {"color": colour, "linestyle": line, "linewidth": 1.5, "marker": marker}
        lines = ax.plot([0, 1], ends, markerfacecolor=inside, **style)
        for drawn, said in zip(lines, titles(here, changes(here, sides)), strict=True):
            describe(drawn, [said, said])  # of its two ends
        lines[0].set_label(f"{word} ({counted(len(here), 'result')})")
    ax.set_xlim(-0.12, 1.06)
    ax.margins(y=0.06)
    widen(ax, "y", 3.0)
    log_axis(ax, "y", f"{name}, log scale)")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks([0, 1], sides)
    finish(ax, title, legend=2 if len(styles) > 1 else 0)
    factors = map(in_two_digits, pairs["ratio"])
    texts = [f"{words}  ×{factor}" for words, factor in zip(names, factors, strict=True)]
    ends = [(1.0, value) for value in pairs["value_other"] / size]
    label_right(ax, ends, texts, [styles[word][2] for word in pairs[mark]])
    return ax


def ratios_by_jobs(
    printed: pd.DataFrame, *, label: str = "specimen", title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw each card's read/write ratio at equal process counts, beside the printed average.

    Parameters
    ----------
    printed : DataFrame
        One row a card, as `stats.printed_beside_matched` returns it: `specimen`, `value` (the
        printed ratio), `raw`, and a column `jobs_<n>` for each process count.
    label : str
        The column whose words name a line.

    Examples
    --------
    >>> from sdanalysis import load, plots, stats
    >>> printed = stats.printed_beside_matched(load())
    >>> average = (printed["metric"] == "bandwidth") & (printed["stat"] == "mean")
    >>> plots.ratios_by_jobs(printed[average]).get_ylabel()
    'how many times as fast reads are (log scale)'
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
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlabel("readers, and as many writers (processes)")
    finish(ax, title)
    label_right(ax, *map(list, zip(*ends, strict=True)))
    return ax


def gain_curves(
    curves: pd.DataFrame, cards: pd.DataFrame, *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw how much a card gains on another host over its speed on the first, with its interval.

    Parameters
    ----------
    curves : DataFrame
        Columns `label` (a line of the legend), `speed` (B/s), `ratio`, `low` and `high`.
    cards : DataFrame
        The measured gains: `label`, `speed` and `ratio`, a point a card.

    Examples
    --------
    >>> import pandas as pd
    >>> from sdanalysis import plots
    >>> rows = pd.DataFrame({"label": ["Pi 4"] * 2, "speed": [1e7, 2e7], "ratio": [1.1, 1.6]})
    >>> ax = plots.gain_curves(rows.assign(low=rows["ratio"], high=rows["ratio"]), rows)
    >>> ax.get_xlabel()
    'speed on the first computer, MB/s (10^6 B/s)'
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
        drawn = ax.scatter(points["speed"] / 1e6, points["ratio"], **style)
        words = [f"{in_two_digits(ratio)} times" for ratio in points["ratio"]]
        describe(drawn, titles(points.assign(name=label), words))
    ax.axhline(1, color=INK, linewidth=0.8)
    ax.grid(color=FAINT, linewidth=0.6)
    ax.set(xlabel="speed on the first computer, MB/s (10^6 B/s)", ylabel="times as fast")
    return finish(ax, title, legend=2)
