"""What the notebooks say, computed a second time by `model_by_hand.py`; printed as JSON.

python benchmarks/answers_by_hand.py
"""

import itertools
import json
import math
import tomllib
from collections import defaultdict

import numpy as np
from model_by_hand import (
    DATA,
    HIDDEN,
    TESTS,
    Model,
    at_speed,
    best_quantile,
    may_be_best,
    people,
    predict,
    ratio,
    read_figures,
    read_rows,
    score,
)
from scipy import stats


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


def queue_headline() -> dict:
    """Return {(specimen, op): ratio of operations, width of the band} at 4 KiB, queue on over off.

    The band is of the repeats of the same op, and of all reads or writes as one more card.
    """
    rows = read_rows(companions=True, metric="iops")
    logs = {
        (row["specimen"], row["op"], row["reader"]): row["log"]
        for row in rows
        if (row["host"], row["iodepth"], row["block_size"]) == ("pi-5", "", "4096")
    }
    spread = defaultdict(list)  # variances by card and op, on and off
    for (specimen, op, _), runs in repeats().items():
        spread[specimen, op].append(float(np.var(runs, ddof=1)))
    widths = {}
    for op in ("read", "write", "randread", "randwrite"):
        family = defaultdict(list)
        for (specimen, other), variances in spread.items():
            if other.removeprefix("rand") == op.removeprefix("rand"):
                family[specimen] += variances
        own = [np.mean(variances) for (_, other), variances in spread.items() if other == op]
        every = np.mean([np.mean(variances) for variances in family.values()])
        sd = math.sqrt((sum(own) + every) / (len(own) + 1))
        widths[op] = math.exp(stats.t.isf(0.025, len(own)) * sd * math.sqrt(2))
    return {
        (specimen, op): (math.exp(log - logs[specimen, op, "slot-no-queue"]), widths[op])
        for (specimen, op, reader), log in logs.items()
        if reader == "slot"
    }


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
