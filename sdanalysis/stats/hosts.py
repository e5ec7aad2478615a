"""What another computer changes: factors of the same card, and how near its bus the cards come."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.stats.effects import place_ratios
from sdanalysis.stats.fit import PLACE, Fit, Place, fit_figures, model_figures, own_fit
from sdanalysis.stats.intervals import MINIMUM, geometric_mean, t_quantile, verdict
from sdanalysis.stats.names import briefly
from sdanalysis.stats.reasons import HIDDEN
from sdanalysis.stats.same_test import MAIN_TESTS, Scale, columns

SLOT, QUEUE_OFF = "slot", "slot-no-queue"  # the reader that is part of a board
_OPS = ("read", "write", "randread", "randwrite")  # in the order in which people ask for them
_SURE = (">1", "<1")  # verdicts of an interval that leaves 1 out
_GAINS = [
    *("op", "what", "measured_by", "base", "other", "place", "base_place", "cards", "speed"),
    *("ratio", "low", "high", "at_least", "reason", "verdict", "bus", "note"),
]
_CARDS = [
    *("op", "what", *columns("laboratory", "specimen"), "other", "speed", "ratio", "model"),
    *("low", "high"),
]
_CURVES = ["op", "what", "measured_by", "other", "place", "speed", "ratio", "low", "high"]


def host_gains(
    measurements: pd.DataFrame, hosts: pd.DataFrame, base: str, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Return by which factor a card is faster on another host, by the model of each main test.

    Each person's cards are kept apart. In small reads and writes one factor holds for all cards. In
    large ones a slot adds its own time to the card's, so the factor depends on the card's speed.
    Rows give it for the slowest, middle and fastest card that met both hosts. `hosts` has `host`,
    `host_name` and `limit` (B/s) of the slots, the oldest first.

    One row a test, person, host and speed, the newest host first: `op`, `what` (the test in two
    words), `measured_by`, `base`, `other`, `place`, `base_place` (the hosts' names), `cards`
    (measured on both), `speed` (B/s on the base; missing where one factor holds for all), `ratio`,
    `low`, `high`, `at_least`, `reason` (why there is none), `verdict`, `bus` (the ratio of the
    slots' limits) and `note`. No end is above what the slot carries.
    """
    require(hosts, ["host", "host_name", "limit"])
    name, limit = (hosts.set_index("host")[column] for column in ("host_name", "limit"))
    rows = []
    for where, fit, two, cards in _places_in_common(measurements, _OPS, base, hosts["host"]):
        values = sorted(cards["speed"])
        speeds = sorted({values[at] for at in (0, len(values) // 2, -1)})
        found = _cap(place_ratios(fit, *two, speeds=speeds, confidence=confidence), where, limit)
        bus = limit[where["other"]] / limit[base]
        rows.append(found.assign(cards=len(cards), bus=bus))
    if not rows:
        return pd.DataFrame(columns=_GAINS)
    gains = pd.concat(rows, ignore_index=True)
    says = [verdict(low, high) for low, high in zip(gains["low"], gains["high"], strict=True)]
    ages = [*hosts["host"]]
    gains = gains.assign(
        **{"base": base, "base_place": name[base], "place": gains["other"].map(name)},
        **{"verdict": says, "turn": gains["op"].map(_OPS.index)},
        age=gains["other"].map(ages.index),
    )
    gains["note"] = [
        f"{in_two_digits(row.ratio)}{'' if row.verdict in _SURE else ' (~)'}, "
        f"{counted(row.cards, 'card')}"
        for row in gains.itertuples()
    ]
    by = {"turn": True, "age": False, "cards": False, "speed": True}
    return gains.sort_values([*by], ascending=[*by.values()], ignore_index=True)[_GAINS]


def gains_by_card(measurements: pd.DataFrame, base: str, hosts: Sequence[str]) -> pd.DataFrame:
    """Return the measured gain of each card that met the base and another host, with the model's.

    Columns `op`, `what`, `measured_by`, `specimen`, `other`, `speed` (B/s on the base), `ratio` (as
    measured), `model` (the factor of the card by all its figures, with `low` and `high`).
    """
    rows = []
    for where, fit, two, cards in _places_in_common(measurements, _OPS, base, hosts):
        model = place_ratios(fit, *two)[["specimen", "ratio", "low", "high"]]
        model = model.rename(columns={"ratio": "model"})
        if fit.test.scale is Scale.LOG:  # one factor for all
            found = cards.merge(model.drop(columns="specimen"), "cross")
        else:
            found = cards.merge(model, on="specimen")
        rows.append(found.assign(**where))
    return pd.concat(rows, ignore_index=True)[_CARDS] if rows else pd.DataFrame(columns=_CARDS)


def gain_curves(
    measurements: pd.DataFrame, hosts: pd.DataFrame, base: str, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Return the gain in large reads and writes over the speeds that cards had on the base.

    Columns of `host_gains`, with 25 speeds from the slowest to the fastest card of each person.
    """
    name, limit = (hosts.set_index("host")[column] for column in ("host_name", "limit"))
    rows = []
    tests = _places_in_common(measurements, ("read", "write"), base, name.index)
    for where, fit, two, cards in tests:
        if len(cards) >= MINIMUM:
            speeds = np.geomspace(cards["speed"].min(), cards["speed"].max(), 25).tolist()
            found = place_ratios(fit, *two, speeds=speeds, confidence=confidence)
            rows.append(_cap(found, where, limit).assign(place=name[where["other"]]))
    return pd.concat(rows, ignore_index=True)[_CURVES] if rows else pd.DataFrame(columns=_CURVES)


def _places_in_common(
    measurements: pd.DataFrame, ops: Iterable[str], base: str, hosts: Iterable[str]
) -> Iterator[tuple[dict[str, str], Fit, tuple[Place, Place], pd.DataFrame]]:
    """Yield each model with the base and another slot of a person, and the cards that met both.

    Of these `specimen`, `speed` (B/s on the base) and the measured `ratio`; first `op`, `what`,
    `measured_by` and `other` (host).
    """
    for op in ops:
        figures = model_figures(measurements, op)
        if figures.empty:
            continue
        fit = fit_figures(figures, MAIN_TESTS[op])
        values = fit.figures.pivot(index="specimen", columns=PLACE, values="value")
        bases = [place for place in fit.places if (place.host, place.reader) == (base, SLOT)]
        for below in bases:
            for above in (below._replace(host=host) for host in hosts if host != base):
                if above in fit.places:
                    old, new = values[tuple(below)], values[tuple(above)]
                    cards = pd.DataFrame({"speed": old, "ratio": new / old}).dropna()
                    if len(cards):
                        where = {"measured_by": below.measured_by, "other": above.host}
                        where |= {"op": op, "what": briefly(op)}
                        yield where, fit, (below, above), cards.reset_index()


def _cap(found: pd.DataFrame, where: dict[str, str], limit: pd.Series) -> pd.DataFrame:
    """Return the gains of a place, of which no end is above what the slot can carry."""
    most = (limit[where["other"]] / found["speed"]).fillna(np.inf)
    return found.assign(**found[["ratio", "low", "high"]].clip(upper=most, axis=0), **where)


def host_gains_in_words(gains: pd.DataFrame) -> list[str]:
    r"""Say in at most three sentences what the newest host of `host_gains` changes."""
    rows = gains[gains["reason"].isna() & (gains["cards"] >= MINIMUM)]
    if rows.empty:
        return [f"No {MINIMUM} cards of one person were measured in two of these computers."]
    newest = rows.iloc[0]
    group = rows[rows["other"] == newest["other"]]
    group = group[group["measured_by"] == group.groupby("measured_by")["cards"].max().idxmax()]
    small, large = group[group["speed"].isna()], group[group["speed"].notna()]
    count = counted(group["cards"].max(), "card")
    says = [
        f"{row.what} are {in_two_digits(row.ratio)} times as fast"
        if row.verdict in _SURE
        else f"{row.what} are not certainly faster or slower"
        for row in small.itertuples()
    ]
    where = f"In a {newest['place']} instead of a {newest['base_place']}"
    lines = [f"{where}, {' and '.join(says)} ({count})."] if says else []
    ends = large.groupby("what")["ratio"].agg(["first", "last"])
    return lines + [
        f"{what.capitalize()} are {in_two_digits(ends['first'][what])} times as fast for the "
        f"slowest card and {in_two_digits(ends['last'][what])} times for the fastest ({count})."
        for what in large["what"][::-1].unique()
    ]


def host_limits(
    figures: pd.DataFrame, hosts: pd.DataFrame, *, near: float = HIDDEN
) -> pd.DataFrame:
    """Return, for each host, how many cards come near what its bus can carry.

    A card's figures of one test (B/s) are averaged; `near` is the share of the limit from which on
    they are near it. One row a host, in the order of `hosts` (as for `host_gains`): `host`, `place`
    (its name), `limit` (B/s), `cards`, `near` (those that come near), `mean`, `least`, `greatest`
    (shares of the limit), `note`.
    """
    if not 0 < near <= 1:
        raise SdAnalysisError(f"found the share {near:g} as near, expected it between 0 and 1")
    require(hosts, ["host", "host_name", "limit"])
    cards = figures.groupby(["host", *columns("laboratory", "specimen")])["value"]
    cards = cards.agg(geometric_mean)
    rows = []
    for host in hosts[hosts["host"].isin(figures["host"])].itertuples():
        share = cards[host.host] / host.limit
        counts = {"cards": len(share), "near": int((share >= near).sum())}
        ends = {"mean": geometric_mean(share), "least": share.min(), "greatest": share.max()}
        place = {"host": host.host, "place": host.host_name, "limit": host.limit}
        note = f"{counts['near']} of {counted(len(share), 'card')}"
        rows.append(place | counts | ends | {"note": note})
    return pd.DataFrame(rows)


def bus_in_words(shares: pd.DataFrame, what: str, *, near: float = HIDDEN) -> str:
    """Say on which hosts of `host_limits` it is the bus that was measured, and on which not."""
    few = shares["cards"] < MINIMUM
    most = shares["near"] > shares["cards"] / 2
    come = f"most cards come to {100 * near:g} % of what it can carry"
    kinds = {
        f"The slot, not the card, is the limit of {what} ({come}) in": most & ~few,
        "Not in": ~most & ~few,
        "Too few cards to say": few,
    }
    notes = shares["place"] + " (" + shares["note"] + ")"
    return " ".join(f"{say}: {', '.join(notes[of])}." for say, of in kinds.items() if of.any())


def queue_gains(
    measurements: pd.DataFrame, host: str, op: str, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Return what the command queue of a board does to each card, in the board's own test.

    `specimen`, `ratio` (with the queue over without), `low`, `high`: the interval by the repeated
    runs of that test, pooled over the cards. Empty where nobody switched it off.
    """
    fits = [own_fit(measurements, host, op, reader) for reader in (SLOT, QUEUE_OFF)]
    if not all(fit and fit.freedom for fit in fits):
        return pd.DataFrame(columns=["specimen", "ratio", "low", "high"])
    with_queue, without = (fit.figures.set_index("specimen")["value"] for fit in fits)
    freedom = sum(fit.freedom for fit in fits)
    variance = sum(fit.freedom * fit.sigma**2 for fit in fits) / freedom
    reach = math.exp(t_quantile(confidence, freedom) * math.sqrt(2 * variance))
    ratio = (with_queue / without).dropna().rename("ratio").reset_index()
    return ratio.assign(low=ratio["ratio"] / reach, high=ratio["ratio"] * reach)
