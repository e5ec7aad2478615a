"""The models of the main tests a second time, from the table alone.

It imports nothing of the package, and takes other ways wherever there is one: islands by walking,
a base place an island instead of a pseudo-inverse, sums per island instead of the row space, roots
instead of Fieller's formula, quadrature instead of simulation, mixed-model equations instead of
generalised least squares.
"""

import csv
import math
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
from scipy import optimize, special, stats

DATA = Path(__file__).resolve().parent.parent / "data"
TESTS = {
    "randwrite": ("iozone", "4096", 0),
    "randread": ("iozone", "4096", 0),
    "write": ("dd", None, 2),
    "read": ("hdparm", None, 1),
}
HIDDEN = 0.85  # of the bus: above it the slot is the limit


def read_rows(companions=False, metric="bandwidth") -> list[dict]:
    """Return the measured figures of a metric, of the companions too, with `log`."""
    names = ["measurements.csv", *(["companions.csv"] if companions else [])]
    wanted = {"metric": metric, "stat": "single", "read_mix": ""}
    wanted |= {"origin": "primary", "status": "measured"}
    rows = []
    for name in names:
        with (DATA / "processed" / name).open(newline="") as file:
            rows += [
                row | {"log": math.log(float(row["value"]))}
                for row in csv.DictReader(file)
                if all(row[column] == word for column, word in wanted.items())
            ]
    return rows


def read_figures(op, *, doubted=False, companions=False) -> tuple[dict, dict]:
    """Return {(specimen, place): value} of a test, runs averaged, and each specimen's product."""
    tool, block, _ = TESTS[op]
    runs, products = defaultdict(list), {}
    for row in read_rows(companions):
        fits = (row["tool"], row["op"], row["block_size"]) == (tool, op, block or row["block_size"])
        alone = row["iodepth"] in ("", "1") and row["numjobs"] in ("", "1")
        if fits and alone and (doubted or "suspicious" not in row["remarks"].split()):
            place = (row["measured_by"], row["host"], row["reader"])
            runs[row["specimen"], place].append(row["log"])
            products[row["specimen"]] = row["medium"]
    return {key: math.exp(sum(logs) / len(logs)) for key, logs in runs.items()}, products


def islands(keys) -> dict:
    """Return {specimen or place: number of its island}, by walking from one to the next."""
    beside = defaultdict(set)
    for specimen, place in keys:
        beside[specimen].add(place)
        beside[place].add(specimen)
    found = {}
    for start in sorted(beside, key=str):
        if start not in found:
            number, ahead = len(set(found.values())), [start]
            while ahead:
                node = ahead.pop()
                if node not in found:
                    found[node] = number
                    ahead += beside[node]
    return found


class Model:
    """The additive model of figures, with power 0 (logarithm), 1 (time) or 2 (squared time)."""

    def __init__(self, figures, power, like=None) -> None:
        """Fit it, on a scale of times from the weights of a model that is like it."""
        self.figures, self.power = figures, power
        self.keys = sorted(figures)
        self.island = islands(self.keys)
        places = sorted({place for _, place in self.keys})
        bases = {self.island[place]: place for place in reversed(places)}
        nodes = [*sorted({name for name, _ in self.keys}), *places]
        nodes = [node for node in nodes if node not in bases.values()]
        self.column = {node: number for number, node in enumerate(nodes)}
        design = np.array([self.row({name: 1, place: 1}) for name, place in self.keys])
        values = np.array([figures[key] for key in self.keys])
        y = np.log(values) if power == 0 else values**-power
        weights = np.ones(len(y)) if power == 0 else 1 / y
        if like and power:
            weights = like.weights[[key in figures for key in like.keys]]
        for _ in range(1 if power == 0 else 100):
            q, r = np.linalg.qr(design * weights[:, None])
            self.effects = np.linalg.solve(r, q.T @ (y * weights))
            self.residuals = (y - design @ self.effects) * weights
            self.design, self.weights = design, weights
            before = weights
            if power:
                weights = 1 / np.maximum(design @ self.effects, y / 10)
            if np.allclose(weights, before, rtol=1e-11, atol=0):
                break
        self.inverse = np.linalg.inv(r) @ np.linalg.inv(r).T
        self.freedom = len(y) - len(nodes)
        self.rss = float(self.residuals @ self.residuals)
        self.sigma = math.sqrt(self.rss / self.freedom)

    def row(self, coefficients) -> np.ndarray:
        """Return the row of the design for {specimen or place: coefficient}."""
        row = np.zeros(len(self.column))
        for node, number in coefficients.items():
            if node in self.column:
                row[self.column[node]] = number
        return row

    def estimable(self, coefficients) -> bool:
        """Tell whether specimens and places of each island have the same sum of coefficients."""
        sums = defaultdict(float)
        for node, number in coefficients.items():
            sums[self.island[node]] += number if isinstance(node, str) else -number
        return not any(sums.values())

    def estimate(self, coefficients) -> tuple[float, float]:
        """Return the centre and the variance (for a sigma of 1) of a combination."""
        row = self.row(coefficients)
        return float(row @ self.effects), float(row @ self.inverse @ row)

    def t(self, share=0.95) -> float:
        """Return the two-sided quantile of Student's t."""
        return stats.t.isf((1 - share) / 2, self.freedom)

    def speed(self, number) -> float:
        """Return a number on the scale as a speed."""
        if self.power == 0:
            return math.exp(number)
        return number ** (-1 / self.power) if number > 0 else math.inf


def ratio(model, below, above) -> list[float]:
    """Return ratio, low, high of the speeds of two cells: `above` to `below`, (specimen, place)."""
    reach = model.t() * model.sigma

    def apart(factor) -> tuple[float, float]:
        wanted = dict.fromkeys(below, 1.0)
        return model.estimate(wanted | {node: wanted.get(node, 0) - factor for node in above})

    centre, variance = apart(1)
    if model.power == 0:
        half = reach * math.sqrt(variance)
        return [math.exp(end) for end in (-centre, -centre - half, -centre + half)]

    def beyond(factor) -> float:
        centre, variance = apart(factor)
        return centre**2 - reach**2 * variance

    middle = apart(0)[0] / model.estimate(dict.fromkeys(above, 1))[0]
    low = optimize.brentq(beyond, 0, middle, xtol=1e-12)
    far = next((far for far in middle * 2.0 ** np.arange(1, 12) if beyond(far) > 0), None)
    high = optimize.brentq(beyond, middle, far, xtol=1e-12) if far else math.inf
    return [end ** (1 / model.power) for end in (middle, low, high)]


def at_speed(model, base, other, speed) -> list[float]:
    """Return ratio, low, high of a card with this speed in the base."""
    centre, variance = model.estimate({other: 1, base: -1})
    half = model.t() * model.sigma * math.sqrt(variance)
    times = [speed**-model.power + centre + side * half for side in (0, 1, -1)]
    return [model.speed(time) / speed for time in times]


def predict(model, specimen, place, limit=math.inf) -> list[float] | None:
    """Return value, low, high of a new figure; None across islands."""
    combination = {specimen: 1, place: 1}
    if not model.estimable(combination):
        return None
    centre, variance = model.estimate(combination)
    own = 1 if model.power == 0 else centre**2
    half = model.t() * model.sigma * math.sqrt(own + variance) * (-1 if model.power else 1)
    return [min(model.speed(end), limit) for end in (centre, centre - half, centre + half)]


def left_out(model) -> list[tuple]:
    """Return for each figure that others predict: key, log error, off (in t), freedom, density."""
    found = []
    names, places = ([key[side] for key in model.keys] for side in (0, 1))
    for key in model.keys:
        rest = {other: value for other, value in model.figures.items() if other != key}
        if names.count(key[0]) < 2 or places.count(key[1]) < 2:
            continue
        island = islands(rest)
        if island[key[0]] != island[key[1]]:
            continue
        value, combination = model.figures[key], {key[0]: 1, key[1]: 1}
        if model.power == 0:  # the textbook's way without another fit
            (centre, own), y = model.estimate(combination), math.log(value)
            off, freedom = (y - centre) / (1 - own), model.freedom - 1
            sigma = math.sqrt((model.rss - off * (y - centre)) / freedom)
            centre, sd = y - off, sigma / math.sqrt(1 - own)
        else:
            fit, y = Model(rest, model.power, like=model), value**-model.power
            (centre, variance), freedom = fit.estimate(combination), fit.freedom
            sd = fit.sigma * math.sqrt(centre**2 + variance)
        predicted, off = model.speed(centre), (y - centre) / sd
        factor = 1 if model.power == 0 else model.power * y
        density = stats.t.logpdf(off, freedom) + math.log(factor / sd)
        error = math.log(value / predicted) if math.isfinite(predicted) else math.inf
        found.append((key, error, off, freedom, density))
    return found


def score(model) -> dict[str, float]:
    """Return the numbers of a line of `sdanalysis check`."""
    found, means, outside = left_out(model), [], defaultdict(bool)
    for (name, place), *_, off, freedom, _ in found:
        others = [math.log(v) for k, v in model.figures.items() if k[1] == place and k[0] != name]
        means.append(math.log(model.figures[name, place]) - sum(others) / len(others))
        outside[name] |= abs(off) > stats.t.isf(0.025, freedom)
    errors = [error for _, error, *_ in found if math.isfinite(error)]
    half = [abs(off) < stats.t.isf(0.25, freedom) for *_, off, freedom, _ in found]
    return {
        "figures": len(found),
        "rms_factor": math.exp(math.sqrt(np.mean(np.square(errors)))),
        "place_factor": math.exp(math.sqrt(np.mean(np.square(means)))),
        "specimens_outside": int(sum(outside.values())),
        "specimens": len(outside),
        "inside_half": float(np.mean(half)),
        "log_score": float(np.mean([density for *_, density in found])),
        "tukey_p": tukey(model),
    }


def nested(model, columns) -> float:
    """Return p of an F test of the model against one with more columns, or with fewer."""
    y = model.weights * (model.design @ model.effects) + model.residuals
    other = columns * model.weights[:, None]
    effects, _, rank, _ = np.linalg.lstsq(other, y, rcond=1e-9)
    rss, freedom = float(np.sum((y - other @ effects) ** 2)), len(y) - rank
    (large, few), (small, many) = sorted([(rss, freedom), (model.rss, model.freedom)], reverse=True)
    if few == many:
        return math.nan
    return float(stats.f.sf((large - small) / (few - many) / (small / many), few - many, many))


def tukey(model) -> float:
    """Return Tukey's p: the product of the parts as one more column."""
    parts = [[model.estimate({node: 1})[0] for node in key] for key in model.keys]
    product = np.array([specimen * place for specimen, place in parts])
    return nested(model, np.column_stack([model.design, product / np.abs(product).max()]))


def people(model) -> float:
    """Return p of who measured x place: against one effect a host and reader, whoever measured."""
    hosts = sorted({place[1:] for _, place in model.keys})
    names = sorted({name for name, _ in model.keys})
    rows = [
        [*(name == one for one in names), *(place[1:] == one for one in hosts)]
        for name, place in model.keys
    ]
    return nested(model, np.array(rows, dtype=float))


@cache
def best_quantile(cards, freedom) -> float:
    """Return how many sigmas the greatest of the others' errors is above the best's, on a grid."""
    z = np.linspace(-8, 8, 161)  # of a smooth function that ends at 0: every digit stands
    shares = (np.arange(400) + 0.5) / 400
    scales = np.sqrt(stats.chi2.ppf(shares, freedom) / freedom)[:, None]
    density = stats.norm.pdf(z)

    def within(q) -> float:
        held = special.ndtr(z + q * scales) ** (cards - 1) * density
        return float(held.sum(axis=1).mean() * (z[1] - z[0])) - 0.95

    return optimize.brentq(within, 0.5, 8, xtol=1e-4)


def may_be_best(model, limits, host, who=None) -> list[str] | str:
    """Return the specimens that may be the best in a slot, or the reason to rank none."""
    here = {
        name: value
        for (name, place), value in model.figures.items()
        if place[1:] == (host, "slot") and who in (None, place[0])
    }
    if len(here) < 3:
        return "few_cards"
    if 2 * sum(value >= HIDDEN * limits[host, "slot"] for value in here.values()) > len(here):
        return "slot_limits"
    owners = {place[0] for _, place in model.figures if place[1:] == (host, "slot")}
    if who is None and len(owners) > 1 and people(model) < 0.05:
        return "people_disagree"
    margin = math.exp(model.sigma / (model.power or 1) * best_quantile(len(here), model.freedom))
    return sorted(name for name, value in here.items() if value * margin >= max(here.values()))
