"""Plant a known truth in the real design, and count how often the model's intervals cover it.

    python benchmarks/planted.py --sets 1000

The truth is what the model found; each set has new errors on it. Contrasts between places, ratios
of single cards and of products, new figures where nobody measured, the truly best card.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from sdanalysis import load_data, stats
from sdanalysis.stats.effects import best_quantile
from sdanalysis.stats.fit import Fit, Place, cell, log_sigma, solve, to_speed
from sdanalysis.stats.products import product_ratio, product_spread
from sdanalysis.stats.same_test import MAIN_TESTS, Scale

Errors = Callable[[np.random.Generator, Fit], np.ndarray]  # of the logarithms of the speeds
Hits = dict[str, list[bool]]
_SPEEDS = (8e6, 12e6, 16e6)  # B/s, of contrasts on a scale of times
_OUTLIER = 3  # the factor by which one figure is wrong
_BLOCK_KINDS = ("gaussian", "t3", "two sizes", "one outlier")


def gaussian(generator: np.random.Generator, fit: Fit) -> np.ndarray:
    """Return errors as the model takes them."""
    return generator.normal(0, log_sigma(fit), len(fit.figures))


def t3(generator: np.random.Generator, fit: Fit) -> np.ndarray:
    """Return errors of the same variance with heavy tails."""
    return log_sigma(fit) * generator.standard_t(3, len(fit.figures)) / 3**0.5


def two_sizes(generator: np.random.Generator, fit: Fit) -> np.ndarray:
    """Return errors that are three times as large for one half of the cards."""
    sizes = dict(zip(fit.specimens, generator.permutation(len(fit.specimens)) % 2, strict=True))
    return gaussian(generator, fit) * (0.5 + fit.figures["specimen"].map(sizes).to_numpy(float))


def one_outlier(generator: np.random.Generator, fit: Fit) -> np.ndarray:
    """Return errors with one figure that is wrong by a factor of three."""
    errors = gaussian(generator, fit)
    linked = np.flatnonzero(fit.figures["specimen"].duplicated(keep=False))
    errors[generator.choice(linked)] += np.log(_OUTLIER)
    return errors


ERRORS: dict[str, Errors] = dict(
    zip(_BLOCK_KINDS, (gaussian, t3, two_sizes, one_outlier), strict=True)
)


def planted(fit: Fit, values: np.ndarray) -> Fit:
    """Return the model refitted to other values of its figures."""
    solution = solve(fit.design, values, fit.test.scale)
    return replace(fit, figures=fit.figures.assign(value=values), **vars(solution))


def speed(fit: Fit, specimen: str, place: Place) -> float:
    """Return what the model says that a specimen gives in a place, B/s."""
    return to_speed(float(cell(fit, specimen, place) @ fit.effects), fit.test.scale)


def truths(fit: Fit) -> np.ndarray:
    """Return the fitted speeds of the figures."""
    return np.array([to_speed(number, fit.test.scale) for number in fit.design @ fit.effects])


def linked_places(fit: Fit) -> list[tuple[Place, Place]]:
    """Return the pairs of places that common cards link."""
    islands = dict(zip(fit.places, fit.islands[len(fit.specimens) :], strict=True))
    return [(a, b) for a, b in combinations(fit.places, 2) if islands[a] == islands[b]]


def covers(rows: pd.DataFrame, truth: np.ndarray) -> list[bool]:
    """Tell which intervals hold the truth."""
    return list((rows["low"].to_numpy() <= truth) & (truth <= rows["high"].to_numpy()))


def contrast_hits(truth: Fit, found: Fit) -> Iterator[bool]:
    """Yield whether each contrast of places is covered, at given speeds on a scale of times."""
    speeds = () if truth.test.scale is Scale.LOG else _SPEEDS
    for base, other in linked_places(truth):
        known = stats.place_ratios(truth, base, other, speeds=speeds)["ratio"].to_numpy()
        yield from covers(stats.place_ratios(found, base, other, speeds=speeds), known)


def card_hits(truth: dict[tuple[str, Place], float], found: Fit) -> Iterator[bool]:
    """Yield whether the ratio of each card in two places is covered."""
    for base, other in linked_places(found):
        rows = stats.place_ratios(found, base, other)
        if found.test.scale is Scale.LOG:  # one factor for all: is it that of each card?
            cards = {name for name, place in truth if place in (base, other)}
            rows = pd.concat([rows.assign(specimen=name) for name in sorted(cards)])
        known = [truth[name, other] / truth[name, base] for name in rows["specimen"]]
        yield from covers(rows, np.array(known))


def prediction_hits(
    truth: Fit, found: Fit, kind: str, generator: np.random.Generator
) -> Iterator[bool]:
    """Yield whether a new figure, where nobody measured, is inside its interval."""
    errors = ERRORS["gaussian" if kind == "one outlier" else kind]
    measured = set(zip(truth.figures["specimen"], map(Place._make, places(truth)), strict=True))
    for place in truth.places:
        island = truth.islands[len(truth.specimens) + truth.places.index(place)]
        for specimen, own in zip(truth.specimens, truth.islands, strict=False):
            if own == island and (specimen, place) not in measured:
                new = speed(truth, specimen, place) * np.exp(errors(generator, truth)[0])
                ends = stats.prediction(found, specimen, place)
                yield ends.low <= new <= ends.high


def places(fit: Fit) -> Iterator[tuple[str, ...]]:
    """Return the place of each figure."""
    return fit.figures[["measured_by", "host", "reader"]].itertuples(index=False, name=None)


def best_hits(truth: Fit, found: Fit, *, equal: bool) -> Iterator[bool]:
    """Yield whether the truly best card of each place is in the set of those that may be it.

    With `equal` all cards are alike, the hardest case, and the first of them counts as the best.
    """
    where = list(places(truth))
    known = truths(truth)
    errors = np.log(found.figures["value"].to_numpy(float) / known)
    for place in truth.places:
        here = np.flatnonzero([one == tuple(place) for one in where])
        if len(here) > 1:
            best = here[0] if equal else here[known[here].argmax()]
            logs = errors[here] if equal else np.log(found.figures["value"].to_numpy(float)[here])
            own = errors[best] if equal else np.log(found.figures["value"].iloc[best])
            margin = log_sigma(found) * best_quantile(len(here), found.freedom, 0.95)
            yield bool(own + margin >= logs.max())


def of_test(truth: Fit, kind: str, sets: int, seed: int) -> Hits:
    """Return what is covered in sets of one test with one kind of error."""
    generator = np.random.default_rng(seed)
    hits: Hits = {name: [] for name in ("contrasts", "predictions", "best", "best of equals")}
    for _ in range(sets):
        values = truths(truth) * np.exp(ERRORS[kind](generator, truth))
        found = planted(truth, values)
        hits["contrasts"] += contrast_hits(truth, found)
        hits["predictions"] += prediction_hits(truth, found, kind, generator)
        hits["best"] += best_hits(truth, found, equal=False)
        hits["best of equals"] += best_hits(truth, found, equal=True)
    return hits


def saturating(fit: Fit, power: int, sets: int, seed: int) -> dict[Scale, list[bool]]:
    """Return how often the ratio of single cards is covered by the model on each scale.

    The truth saturates: time ^ power of card and slot add up. Figures are those of the design.
    """
    scale = {1: Scale.TIME, 2: Scale.SQUARED_TIME}[power]
    truth = replace(fit, test=fit.test._replace(scale=scale))
    truth = planted(truth, fit.figures["value"].to_numpy(float))
    linked = [place for pair in linked_places(truth) for place in pair]
    known = {
        (name, place): speed(truth, name, place)
        for name, own in zip(truth.specimens, truth.islands, strict=False)
        for place in linked
        if own == truth.islands[len(truth.specimens) + truth.places.index(place)]
    }
    generator, hits = np.random.default_rng(seed), {scale: [] for scale in Scale}
    for _ in range(sets):
        values = truths(truth) * np.exp(gaussian(generator, truth))
        for model in Scale:
            own = replace(truth, test=truth.test._replace(scale=model))
            hits[model] += card_hits(known, planted(own, values))
    return hits


def products(figures: pd.DataFrame, sets: int, seed: int) -> list[bool]:
    """Return what is covered of the ratios of two products, of which specimens are draws.

    Nothing but the draws separates the products: the truth of each ratio is 1.
    """
    spread, generator = product_spread(figures), np.random.default_rng(seed)
    several = figures.groupby("medium")["specimen"].transform("nunique") > 1
    media = sorted(set(figures.loc[several, "medium"]))
    hits = []
    for _ in range(sets):
        draws = {name: generator.normal(0, spread.sd) for name in sorted(set(figures["specimen"]))}
        logs = figures["specimen"].map(draws) + generator.normal(0, spread.error_sd, len(figures))
        # product and place are estimated, so that any of theirs will do: they are zero here
        found = figures.assign(value=np.exp(logs))
        for base, other in combinations(media, 2):
            ends = product_ratio(found, base, other)
            hits.append(bool(ends.low <= 1 <= ends.high))
    return hits


def share(hits: list[bool]) -> str:
    """Return the share of hits in per cent."""
    return f"{100 * float(np.mean(hits)):.1f}"


def main() -> None:
    """Print the table of coverage."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    measurements = load_data().measurements
    fits = {op: stats.fit_model(measurements, op) for op in MAIN_TESTS}
    print(f"covered in {options.sets} sets, in %, of intervals of 95 %")
    for kind in ERRORS:
        for op, fit in fits.items():
            hits = of_test(fit, kind, options.sets, options.seed)
            words = ", ".join(f"{name} {share(found)}" for name, found in hits.items())
            print(f"  {kind:<12} {op:<10} {words}", flush=True)
    for power in (1, 2):
        for op in ("write", "read"):
            found = saturating(fits[op], power, options.sets, options.seed)
            words = ", ".join(f"{scale} {share(hits)}" for scale, hits in found.items())
            print(f"  times ^ {power} add, ratios of single cards, {op}: {words}", flush=True)
    for op in ("randwrite", "randread"):
        hits = products(stats.model_figures(measurements, op), options.sets, options.seed)
        print(f"  ratios of two products, {op}: {share(hits)}", flush=True)


if __name__ == "__main__":
    main()
