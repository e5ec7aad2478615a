"""Compute the models of the main tests a second time, from the table alone, and print them as JSON.

    python benchmarks/model_by_hand.py

It imports nothing of the package, and takes other ways wherever there is one: islands by walking,
a base place an island instead of a pseudo-inverse, sums per island instead of the row space, roots
instead of Fieller's formula, quadrature instead of simulation, mixed-model equations instead of
generalised least squares.
"""

import csv
import itertools
import json
import math
import tomllib
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy import optimize, stats

DATA = Path(__file__).resolve().parent.parent / "data"
TESTS = {
    "randwrite": ("iozone", "4096", 0),
    "randread": ("iozone", "4096", 0),
    "write": ("dd", None, 2),
    "read": ("hdparm", None, 1),
}
HIDDEN = 0.85  # of the bus: above it the slot is the limit


def read_rows(companions=False) -> list[dict]:
    """Return the measured bandwidths of the table, of the companions' too, with `log`."""
    names = ["measurements.csv", *(["companions.csv"] if companions else [])]
    wanted = {"metric": "bandwidth", "stat": "single", "read_mix": ""}
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

    def __init__(self, figures, power) -> None:
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
        if islands(rest)[key[0]] != islands(rest)[key[1]]:
            continue
        fit, combination = Model(rest, model.power), {key[0]: 1, key[1]: 1}
        centre, variance = fit.estimate(combination)
        value = model.figures[key]
        y = math.log(value) if model.power == 0 else value**-model.power
        sd = fit.sigma * math.sqrt((1 if model.power == 0 else centre**2) + variance)
        predicted, off = fit.speed(centre), (y - centre) / sd
        factor = 1 if model.power == 0 else model.power * y
        density = stats.t.logpdf(off, fit.freedom) + math.log(factor / sd)
        error = math.log(value / predicted) if math.isfinite(predicted) else math.inf
        found.append((key, error, off, fit.freedom, density))
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


def best_quantile(cards, freedom) -> float:
    """Return how many sigmas the greatest of the others' errors is above the best's, on a grid."""
    z = np.linspace(-8, 8, 801)
    shares = (np.arange(400) + 0.5) / 400
    scales = np.sqrt(stats.chi2.ppf(shares, freedom) / freedom)[:, None]

    def within(q) -> float:
        held = stats.norm.cdf(z + q * scales) ** (cards - 1) * stats.norm.pdf(z)
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


def product_spread(figures, products) -> dict[str, float]:
    """Return the sd of specimens within a product, its freedom, and the sd of the error."""
    keys = sorted(figures)
    y = np.array([math.log(figures[key]) for key in keys])

    def dummies(of) -> np.ndarray:
        known = sorted({of(key) for key in keys}, key=str)
        return np.array([[of(key) == one for one in known] for key in keys], dtype=float)

    product, place = dummies(lambda key: products[key[0]]), dummies(lambda key: key[1][1:])
    specimen = dummies(lambda key: key[0])

    def rest(columns, wanted) -> tuple[float, int]:
        effects, _, rank, _ = np.linalg.lstsq(columns, wanted, rcond=1e-9)
        left = wanted - columns @ effects
        return np.sum(left**2), len(y) - rank

    fixed = np.hstack([product, place])
    (small, few), (large, many) = rest(np.hstack([specimen, place]), y), rest(fixed, y)
    error = small / few
    if many == few:
        return {"sd": math.nan, "error_sd": math.sqrt(error), "freedom": 0}
    trace = sum(rest(fixed, column)[0] for column in specimen.T)
    variance = max(0, (large - many * error) / trace)
    return {"sd": math.sqrt(variance), "error_sd": math.sqrt(error), "freedom": int(many - few)}


def product_ratio(figures, products, base, other) -> list[float]:
    """Return value, low, high of the ratio of a product to a base, by Henderson's equations."""
    spread, keys = product_spread(figures, products), sorted(figures)
    if spread["freedom"] < 3:
        return [math.nan] * 3
    media, places = sorted(set(products.values())), sorted({key[1][1:] for key in keys})
    labels = [*(("m", one) for one in media), *(("p", one) for one in places)]
    labels += [("s", one) for one in sorted({name for name, _ in keys})]

    def row(*wanted) -> np.ndarray:
        return np.array([label in wanted for label in labels], dtype=float)

    design = np.array([row(("m", products[n]), ("p", p[1:]), ("s", n)) for n, p in keys])
    y = np.array([math.log(figures[key]) for key in keys])
    shrink = (spread["error_sd"] / spread["sd"]) ** 2
    whole = design.T @ design + np.diag([shrink * (kind == "s") for kind, _ in labels])
    inverse = np.linalg.pinv(whole, rcond=1e-11)
    wanted = row(("m", other)) - row(("m", base))
    if not np.allclose(wanted @ inverse @ whole, wanted, atol=1e-5):
        return [math.nan] * 3
    centre = float(wanted @ inverse @ design.T @ y)
    half = stats.t.isf(0.025, spread["freedom"]) * spread["error_sd"]
    half *= math.sqrt(float(wanted @ inverse @ wanted))
    return [math.exp(end) for end in (centre, centre - half, centre + half)]


def repeats(op=None, *, reader=None, host="pi-5") -> dict:
    """Return {(specimen, op, reader): logs of the runs} of a board's own tests, at depth 32."""
    runs = defaultdict(list)
    for row in read_rows(companions=True):
        asked = op in (None, row["op"]) and reader in (None, row["reader"])
        if asked and row["host"] == host and row["iodepth"] == "32":
            runs[row["specimen"], row["op"], row["reader"]].append(row["log"])
    return dict(runs)


def pooled(runs) -> tuple[float, int]:
    """Return the standard deviation of a run about its card's mean, and its degrees of freedom."""
    freedom = sum(len(logs) - 1 for logs in runs.values())
    squares = sum(float(np.var(logs)) * len(logs) for logs in runs.values())
    return math.sqrt(squares / freedom), freedom


def own_board(op, limit) -> dict:
    """Return the best cards of the Pi 5 by its own test, the reach of a figure, the queue's gains.

    Each card had as many runs as the others.
    """
    on, off = (repeats(op, reader=reader) for reader in ("slot", "slot-no-queue"))
    count = {len(logs) for logs in on.values()}.pop()
    (sd, freedom), (sd_off, freedom_off) = pooled(on), pooled(off)
    means = {key[0]: math.exp(np.mean(logs)) for key, logs in on.items()}
    margin = math.exp(sd / math.sqrt(count) * best_quantile(len(means), freedom))
    best = sorted(name for name, value in means.items() if value * margin >= max(means.values()))
    if 2 * sum(value >= HIDDEN * limit for value in means.values()) > len(means):
        best = "slot_limits"
    without = {key[0]: math.exp(np.mean(logs)) for key, logs in off.items()}
    both = freedom + freedom_off
    variance = (freedom * sd**2 + freedom_off * sd_off**2) / both / count
    width = math.exp(stats.t.isf(0.025, both) * math.sqrt(2 * variance))
    return {
        "best": best,
        "reach": math.exp(stats.t.isf(0.025, freedom) * sd * math.sqrt(2 / count)),
        "gains": {
            name: [ratio, ratio / width, ratio * width]
            for name in means
            if name in without
            for ratio in [means[name] / without[name]]
        },
    }


def queue_by_size() -> dict:
    """Return {(specimen, op, block size): ratio, adjusted p} of the queue on over off, on the Pi 5.

    Single runs, judged by the repeated runs at random or in sequence; adjusted after Holm.
    """
    random = ("randread", "randwrite")
    judges = {
        kind: pooled({key: logs for key, logs in repeats().items() if (key[1] in random) == kind})
        for kind in (True, False)
    }
    logs = {
        (row["specimen"], row["op"], int(row["block_size"]), row["reader"]): row["log"]
        for row in read_rows(companions=True)
        if row["host"] == "pi-5" and row["iodepth"] == ""
    }
    apart = {
        key[:3]: log - logs[*key[:3], "slot-no-queue"]
        for key, log in logs.items()
        if key[3] == "slot" and (*key[:3], "slot-no-queue") in logs
    }
    p = {}
    for key, difference in apart.items():
        sd, freedom = judges[key[1] in random]
        p[key] = float(2 * stats.t.sf(abs(difference) / (sd * math.sqrt(2)), freedom))
    adjusted, most = {}, 0.0
    for place, key in enumerate(sorted(p, key=p.get)):
        most = max(most, (len(p) - place) * p[key])
        adjusted[key] = min(most, 1.0)
    return {key: (math.exp(apart[key]), adjusted[key]) for key in apart}


def host_gains(model, limits, base="pi-3b") -> dict:
    """Return {(who, other host, speed in the base or None): ratio, low, high} of the slots.

    On a scale of times for the slowest, the middle and the fastest card that met both.
    """
    found = {}
    slots = [place for place in sorted({place for _, place in model.keys}) if place[2] == "slot"]
    for below, above in itertools.permutations(slots, 2):
        names = {name for name, place in model.keys if place == below}
        names &= {name for name, place in model.keys if place == above}
        if below[:2] != (above[0], base) or not names:
            continue
        speeds = sorted(model.figures[name, below] for name in names)
        asked = {speeds[0], speeds[len(speeds) // 2], speeds[-1]} if model.power else {None}
        for speed in asked:
            if speed is None:
                ends = ratio(model, (min(names), below), (min(names), above))
            else:
                most = limits[above[1:]] / speed
                ends = [min(end, most) for end in at_speed(model, below, above, speed)]
            found[above[0], above[1], speed and round(speed)] = ends
    return found


def read_limits() -> dict:
    """Return {(host, reader): B/s that its bus carries}."""
    hosts = tomllib.loads((DATA / "hosts.toml").read_text(encoding="utf-8"))["host"]
    return {(h["id"], r["id"]): r["limit"] * 1e6 for h in hosts for r in h["reader"]}


def contrasts(model) -> dict:
    """Return {(specimen, place, place): ratio, low, high} of each pair of places of an island."""
    places = sorted({place for _, place in model.keys})
    return {
        (name, a, b): ratio(model, (name, a), (name, b))
        for a, b in itertools.combinations(places, 2)
        if model.island[a] == model.island[b]
        for name in sorted({key[0] for key in model.keys if key[1] in (a, b)})
    }


def predictions(model, limits) -> dict:
    """Return {(specimen, place): value, low, high} where nobody measured what can be predicted."""
    names, places = ({key[side] for key in model.keys} for side in (0, 1))
    return {
        (name, place): predict(model, name, place, limits[place[1:]])
        for name, place in itertools.product(sorted(names), sorted(places))
        if (name, place) not in model.figures and model.estimable({name: 1, place: 1})
    }


def leaders(model, limits) -> dict:
    """Return {(host, person or None for all): who may be the best, or why none is ranked}."""
    slots = {place[:2] for _, place in model.keys if place[2] == "slot"}
    asked = {(host, who) for who, host in slots} | {(host, None) for _, host in slots}
    return {(host, who): may_be_best(model, limits, host, who) for host, who in asked}


def computed(op, limits, *, companions=False) -> dict:
    """Return what is computed of a test; of the companions' table what the boards need."""
    figures, products = read_figures(op, companions=companions)
    power = TESTS[op][2]
    model = Model(figures, power)
    found = {
        "freedom": model.freedom,
        "sigma": model.sigma,
        "islands": len(set(model.island.values())),
        "people_p": people(model),
        "predictions": predictions(model, limits),
        "contrasts": contrasts(model),
        "best": leaders(model, limits),
        "spread": product_spread(figures, products),
        "host_gains": host_gains(model, limits),
    }
    if companions:
        return found | {"own_board": own_board(op, limits["pi-5", "slot"])}
    doubted, _ = read_figures(op, doubted=True)
    scales = {other: score(Model(figures, other)) for other in (0, 1, 2)}
    scores = {"score": scales[power], "score_with_doubted": score(Model(doubted, power))}
    return found | scores | {"scales": {other: s["log_score"] for other, s in scales.items()}}


def printable(found) -> object:
    """Return results whose keys are words, as JSON asks."""
    if not isinstance(found, dict):
        return found
    return {
        " ".join(map(str, key)) if isinstance(key, tuple) else str(key): printable(value)
        for key, value in found.items()
    }


if __name__ == "__main__":
    bus = read_limits()
    for beyond in (False, True):
        results = {op: printable(computed(op, bus, companions=beyond)) for op in TESTS}
        print(json.dumps({"companions": beyond} | results, indent=1))
    print(json.dumps(printable(queue_by_size()), indent=1))
