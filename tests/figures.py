"""Figures of frames made by hand, a few rows each, of every plot and of what it may be told."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sdanalysis import plots

NAN = np.nan
NAMES = ["us/a", "us/b", "them/c", "them/d"]
SUMMARY = pd.DataFrame({
    "host": ["pi-3b", "pi-4b", "pc"], "cards": [7, 2, 0], "ratio": [2.0, 1.1, NAN],
    "low": [1.6, NAN, NAN], "high": [2.5, NAN, NAN], "least": [1.2, 1.0, NAN],
    "greatest": [3.0, 1.2, NAN], "verdict": [">1", "points", "points"],
})  # fmt: skip
GROUPS = SUMMARY.drop(columns=["cards", "least", "greatest"]).assign(
    cards_base=[3, 1, 0], cards_other=[4, 1, 0], verdict=["~", "points", "points"]
)
RATIOS = pd.DataFrame({
    "specimen": ["us/a", "us/b", "us/a", "them/c"], "measured_by": ["us", "us", "us", "them"],
    "host": ["pi-3b", "pi-3b", "pi-4b", "pi-4b"], "ratio": [8.0, 3.0, 2.0, 4.0],
    "read": [8e6, 3e6, 400.0, 4e6], "write": [1e6, 1e6, 200.0, 1e6],
    "metric": ["bandwidth", "bandwidth", "iops", "bandwidth"],
    "kind": ["clean", "suspicious", "clean", "clean"],
    "read_id": [f"s/a.txt:{n}:1" for n in range(4)], "write_id": "s/a.txt:9:1",
})  # fmt: skip
PAIRS = pd.DataFrame({
    "specimen": NAMES, "op": ["read", "write", "read", "write"], "metric": "bandwidth",
    "ratio": [0.5, 1.1, 2.0, 1.5], "ratio_low": [0.4, 1.0, 1.9, 1.4],
    "ratio_high": [0.6, 1.2, 2.1, 1.6], "value_base": [4e6, 2e6, 1e6, 3e6],
    "value_other": [2e6, 2.2e6, 2e6, 4.5e6], "runs_base": [1, 1, 2, 1], "runs_other": [1, 3, 2, 1],
    "kind": ["clean", "suspicious", "cross-laboratory", "perhaps another card"],
    "noise_band": [1.3, NAN, 1.2, 1.3],
    "ids": [("s/a.txt:1:1", "s/b.txt:1:1")] * 4,
})  # fmt: skip
EFFECTS = pd.DataFrame({
    "what": ["reads", "writes", "reads"], "who": ["Us", "Us", "Them"], "ratio": [1.2, 0.9, 1.5],
    "low": [1.1, NAN, 1.2], "high": [1.3, NAN, 1.9], "cards": [5, 2, 4],
    "note": ["1.2, 5 cards", "0.9, 2 cards", "1.5, 4 cards"],
})  # fmt: skip
FIGURES = pd.DataFrame({
    "specimen": NAMES * 2, "measured_by": ["us", "us", "them", "them"] * 2,
    "host": ["pi-3b"] * 4 + ["pi-4b"] * 4, "file": "a.txt", "line": range(1, 9),
    "value": [22e6, 18e6, 23e6, 9e6, 45e6, 30e6, 46e6, 12e6],
    "status": ["counted"] * 7 + ["doubted"],
})  # fmt: skip
LIMITS = pd.DataFrame({
    "host": ["pi-3b", "pi-4b"], "limit": [25e6, 50e6],
    "place": ["Pi 3, slot overclocked", "Pi 4"], "note": ["2 of 4", "1 of 4"],
})  # fmt: skip
POINTS = pd.DataFrame({
    "test": ["small reads"] * 4 + ["large writes"] * 3,
    "kind": ["known", "known", "card", "minimum", "known", "card", "limit"],
    "name": ["A 8 GB", "B 8 GB", "your card", "A1", "A 8 GB", "your card", "bus"],
    "value": [7e6, 9e6, 8e6, 6e6, 20e6, 22e6, 25e6],
    "note": ["", "", "2nd of 3", "", "", "1st", ""],
    "link": ["#a", "#b", None, None, "#c", None, None],
})  # fmt: skip
RATED = pd.DataFrame({
    "place": ["Pi 3"] * 3 + ["Pi 4"] * 2, "rated": ["yes", "no", "unknown", "yes", "no"],
    "value": [700.0, 300.0, 1500.0, 900.0, 250.0], "card": list("abcab"),
})  # fmt: skip
MINIMUMS = pd.DataFrame({"class": ["A1", "A2"], "minimum": [500, 2000]})
SCATTER = pd.DataFrame({
    "tool": ["fio", "iozone", "iozone"], "read": [8e6, 6e6, 7e6], "write": [1e6, 3e6, 2e6],
    "specimen": NAMES[:3], "name": ["A 8 GB", None, "C 8 GB"],
})  # fmt: skip
CORNERS = pd.DataFrame({"class": ["A1"], "randread": [6.1e6], "randwrite": [2e6]})
SHOWN = pd.DataFrame({
    "card": ["A 8 GB", "B 8 GB", "a 8 gb"], "people": ["Us", "Us", "Them"],
    "value": [3.14e6, 2e6, 45e6], "low": [3e6, NAN, 40e6], "high": [3.3e6, NAN, 50e6],
    "group": ["first", "first", None], "mark": ["take", "", "avoid"],
})  # fmt: skip
MISSING = pd.DataFrame({
    "card": ["A", "A", "B"], "way": ["left blank", "did not finish", "left blank"],
    "cells": [2, 1, 4], "ops": ["reads", "writes", "all"],
})  # fmt: skip
LEDGER = pd.DataFrame({
    "claim": ["It is faster.", "It is a great deal slower than all the others that were tried.",
              "It is twice as fast.", "Nobody knows."],
    "verdict": ["undecided", "contradicted", "supported", "untestable"],
    "undecided_by": ["cards differ too much", None, None, None], "who": ["7 cards"] * 3 + [None],
    "source": "s", "place": "captured text line 3", "computed": [1.2, 0.5, 2.1, NAN],
    "low": [0.9, 0.4, 2.0, NAN], "high": [1.6, 0.6, 2.2, NAN], "stated": [1.0, 1.0, 2.0, NAN],
    "stated_low": [1.0, 0.0, 1.6, NAN], "stated_high": [np.inf, 0.8, 2.5, NAN],
})  # fmt: skip
COUNTS = pd.DataFrame({"iozone": [12, 0], "fio": [3, 1]}, index=["Pi 3", "a card reader"])
TABLE = pd.DataFrame({"Pi 3": [1.0e6, NAN], "pi-4b": [2.5e6, 12e6]}, index=["A", "B"])
IDS = pd.DataFrame({"Pi 3": [("s/a.txt:1:1",), None], "pi-4b": [("s/a.txt:2:1",)] * 2},
                   index=["A", "B"])  # fmt: skip
VERDICTS = pd.DataFrame({
    "row": ["A", "A", "B", "B"], "column": ["reads\nA1", "writes\nA1"] * 2,
    "verdict": ["pass", "fail", "cannot tell", "no figure"], "margin": [2.4, 0.28, 1.0, NAN],
    "host": "pi-4b",
})  # fmt: skip
JOBS = pd.DataFrame({"specimen": ["a", "b"], "value": [2.0, 3.1], "raw": ["2", "3,1"],
                     "jobs_1": [2.0, 3.0], "jobs_2": [1.5, 4.0]})  # fmt: skip
CURVES = pd.DataFrame({"label": ["Pi 4"] * 2 + ["Pi 5"] * 2, "speed": [1e7, 2e7] * 2,
                       "ratio": [1.1, 1.6, 1.2, 2.0]})  # fmt: skip
CURVES = CURVES.assign(low=CURVES["ratio"] * 0.9, high=CURVES["ratio"] * 1.1)
SAMPLES = pd.DataFrame({
    "file": ["x/a.log"] * 3 + ["x/b.log"] * 2, "op": "read", "metric": "bandwidth", "raw": "1",
    "time": [1.0, 2.0, 3.0, 0.5, 1.0], "value": [1e6, 4e6, 40e6, 2e6, 3e6],
})  # fmt: skip
LEVELS = pd.DataFrame({"level": [2e6, 40e6], "begin": [0.0, 2.5], "end": [2.5, 3.0],
                       "ratio": [NAN, 20.0]})  # fmt: skip
SHARES = pd.DataFrame({
    "file": ["a.json"] * 3 + ["b.json"] * 2, "job": "j", "entry": 0, "op": "read", "kind": "clat",
    "percentile": [50.0, 99.0, 99.99, 50.0, 99.0], "latency": [1e-4, 4e-4, 9e-3, 2e-4, 1e-3],
})  # fmt: skip


def runs(count):
    """The first log, as of so many runs."""
    first = SAMPLES[SAMPLES["file"] == "x/a.log"]
    return pd.concat([first.assign(file=f"r{number}.log") for number in range(count)])


def on_own_axes(draw, *arguments, **settings):
    """What a plot draws on axes that are there."""
    _, ax = plt.subplots()
    assert draw(*arguments, ax=ax, **settings) is ax
    return ax


SIDES = {"sides": ("old", "new"), "title": "New is faster"}
EVERY = {  # by the name of the plot, and what it is told
    "ratio_forest": lambda: plots.ratio_forest(SUMMARY, ["host"], **SIDES),
    "ratio_forest groups": lambda: plots.ratio_forest(GROUPS, ["host"]),
    "ratio_dots": lambda: plots.ratio_dots(RATIOS, mark=["host"], middle=(2.5, 5.0), **SIDES),
    "ratio_dots plain": lambda: plots.ratio_dots(RATIOS[["specimen", "ratio"]].iloc[:2]),
    "host_effects": lambda: plots.host_effects(
        EFFECTS, ["what"], "who", "Pi 4 / Pi 3", **SIDES),
    "host_effects one": lambda: plots.host_effects(
        EFFECTS.iloc[:2].drop(columns="cards"), ["what"], "who", "ratio"),
    "pair_forest": lambda: plots.pair_forest(PAIRS, ["specimen", "op"], **SIDES),
    "pair_forest marks": lambda: plots.pair_forest(
        PAIRS.drop(columns="noise_band"), ["specimen"], mark="op", ratio="b / a"),
    "pair_slopes": lambda: plots.pair_slopes(PAIRS, ["specimen"], sides=("old", "new")),
    "pair_slopes one": lambda: plots.pair_slopes(
        PAIRS.iloc[1:2].assign(metric="iops", kind="own"), ["specimen"], title="One pair"),
    "bus_roofline": lambda: plots.bus_roofline(
        FIGURES, LIMITS, hue="status", what="large reads", title="Near the limit"),
    "standing": lambda: plots.standing(POINTS, title="Your card"),
    "rated_dots": lambda: plots.rated_dots(RATED, MINIMUMS, "writes, 1/s", title="Rated"),
    "read_against_write": lambda: plots.read_against_write(
        SCATTER, [1, 3], classes=CORNERS, name="name", title="Both"),
    "read_against_write plain": lambda: on_own_axes(plots.read_against_write, SCATTER, 3),
    "speed_bars": lambda: plots.speed_bars(SHOWN, "small writes", title="Fast"),
    "missing": lambda: plots.missing(MISSING, title="Gaps"),
    "outcomes": lambda: plots.outcomes(LEDGER, "Seen"),
    "found_against_stated": lambda: plots.found_against_stated(LEDGER.iloc[:3], "Seen"),
    "coverage": lambda: plots.coverage(COUNTS, title="Counts"),
    "heat_table": lambda: plots.heat_table(TABLE, "writes, MB/s (10^6 B/s)", ids=IDS, title="Heat"),
    "heat_table equal": lambda: plots.heat_table(TABLE[["pi-4b"]].iloc[:1] / 1e4, "reads, 1/s"),
    "heat_table empty": lambda: plots.heat_table(TABLE[["Pi 3"]].iloc[1:], "reads, 1/s"),
    "verdict_matrix": lambda: plots.verdict_matrix(
        VERDICTS.assign(note=["2.4", "0.28", "", ""]), title="Cells"),
    "verdict_matrix plain": lambda: plots.verdict_matrix(VERDICTS.drop(columns="margin")),
    "ratios_by_jobs": lambda: plots.ratios_by_jobs(JOBS, title="Falls"),
    "gain_curves": lambda: plots.gain_curves(CURVES, CURVES.iloc[::2], title="Gains"),
    "over_time": lambda: plots.over_time(SAMPLES, levels=LEVELS, title="Two runs"),
    "over_time level": lambda: plots.over_time(SAMPLES.iloc[:1].assign(metric="iops")),
    "over_time open": lambda: on_own_axes(
        plots.over_time, SAMPLES.assign(metric="latency", value=NAN, raw=list("78912"))),
    "over_time strips": lambda: plots.over_time(runs(7), title="Seven"),
    "over_time strips even": lambda: plots.over_time(runs(7).query("value < 1e7")),
    "percentiles": lambda: plots.percentiles(SHARES, title="Latency"),
    "percentiles slow": lambda: plots.percentiles(SHARES.assign(latency=SHARES["latency"] * 99)),
}  # fmt: skip
