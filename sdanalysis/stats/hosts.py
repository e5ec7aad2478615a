"""What another computer changes: factors of the same card, and how near its bus the cards come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.stats.effects import place_ratios
from sdanalysis.stats.fit import Fit, Place, fit_figures, model_figures
from sdanalysis.stats.intervals import MINIMUM, geometric_mean, verdict
from sdanalysis.stats.names import briefly
from sdanalysis.stats.reasons import HIDDEN
from sdanalysis.stats.same_test import MAIN_TESTS, Scale, columns

_CARD = ["host", *columns("laboratory", "specimen")]
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


def host_gains(
    measurements: pd.DataFrame, hosts: pd.DataFrame, base: str, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Return by which factor a card is faster on another host, by the model of each main test.

    Each person's cards are kept apart. In small reads and writes one factor holds for all cards. In
    large ones a slot adds its own time to the card's, so a factor is that of a card's speed: it is
    given for the slowest, the middle and the fastest card that met both hosts.

    Parameters
    ----------
    hosts : DataFrame
        `host`, `host_name` and `limit` (B/s) of the slots, one row a host, the oldest first.
    base : str
        The host that the others are compared with; one that nobody measured gives no row.

    Returns
    -------
    DataFrame
        One row a test, person, host and speed, the newest host first: `op`, `what` (the test in
        two words), `measured_by`, `base`, `other`, `place`, `base_place` (the hosts' names),
        `cards` (measured on both), `speed` (B/s on the base; missing where one factor holds for
        all), `ratio`, `low`, `high`, `at_least`, `reason` (why there is none), `verdict`, `bus`
        (the ratio of the slots' limits) and `note`. No end is above what the slot carries.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> slots = data.hosts[data.hosts["reader"] == "slot"]
    >>> gains = stats.host_gains(data.measurements, slots, "pi-3b")
    >>> gains = gains[(gains["other"] == "pi-4b") & (gains["measured_by"] == "geerling")]
    >>> gains.loc[gains["op"] != "read", ["what", "speed", "ratio", "low", "high"]].round(2)
                what       speed  ratio   low  high
    13  large writes   7900000.0   1.05  1.04  1.06
    14  large writes  20200000.0   1.63  1.48  1.84
    15  large writes  22100000.0   1.99  1.69  2.26
    26   small reads         NaN   1.08  1.02  1.15
    31  small writes         NaN   1.08  1.00  1.17
    """
    require(hosts, ["host", "host_name", "limit"])
    own = hosts.set_index("host")
    order = [*reversed(own.index)]
    rows = []
    for fit in _fits(measurements, _OPS):
        op = fit.test.op
        for below, above in _both(fit, base, own.index):
            speeds = _speeds(fit, below, above)
            of_card = sorted({speeds[at] for at in (0, len(speeds) // 2, -1)})
            asked = [] if fit.test.scale is Scale.LOG else of_card
            found = place_ratios(fit, below, above, speeds=asked, confidence=confidence)
            limits = own["limit"][[base, above.host]].to_numpy(float)
            rows.append(
                _within(found.drop(columns="specimen"), limits[1]).assign(
                    op=op,
                    what=briefly(op),
                    measured_by=above.measured_by,
                    base=base,
                    other=above.host,
                    place=own["host_name"][above.host],
                    base_place=own["host_name"][base],
                    cards=len(speeds),
                    bus=limits[1] / limits[0],
                    order=order.index(above.host),
                    turn=_OPS.index(op),
                )
            )
    if not rows:
        return pd.DataFrame(columns=_GAINS)
    gains = pd.concat(rows, ignore_index=True)
    says = [verdict(low, high) for low, high in zip(gains["low"], gains["high"], strict=True)]
    gains = gains.assign(verdict=says)
    gains["note"] = [_note(row) for row in gains.itertuples()]
    by = ["turn", "order", "cards", "speed"]
    return gains.sort_values(by, ascending=[True, True, False, True], ignore_index=True)[_GAINS]


def gains_by_card(measurements: pd.DataFrame, base: str, hosts: Sequence[str]) -> pd.DataFrame:
    """Return the measured gain of each card that met the base and another host, with the model's.

    Returns
    -------
    DataFrame
        `op`, `what`, `measured_by`, `specimen`, `other`, `speed` (B/s on the base), `ratio` (as
        measured), `model` (the factor of the card by all its figures, with `low` and `high`).

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> cards = stats.gains_by_card(load(), "pi-3b", ["pi-4b"])
    >>> cards[cards["op"] == "write"][["specimen", "ratio", "model"]].round(2).head(2)
                            specimen  ratio  model
    10      arthur/samsung-evo+-16gb   1.06   1.10
    11  arthur/samsung-evo-plus-32gb   1.30   1.33
    """
    rows = []
    for fit in _fits(measurements, _OPS):
        op = fit.test.op
        values = fit.figures.set_index(["specimen", *columns("laboratory", "place")])["value"]
        for below, above in _both(fit, base, hosts):
            found = place_ratios(fit, below, above)
            if fit.test.scale is Scale.LOG:
                found = found.drop(columns=["specimen", "speed"])
                found = pd.DataFrame({"specimen": _common(fit, below, above)}).merge(found, "cross")
            found = found[found["specimen"].isin(_common(fit, below, above))]
            slow, fast = (
                [float(values[(name, *place)]) for name in found["specimen"]]
                for place in (below, above)
            )
            pairs = {
                "speed": slow,
                "ratio": [new / old for new, old in zip(fast, slow, strict=True)],
            }
            where = {"op": op, "what": briefly(op), "measured_by": above.measured_by}
            found = found.rename(columns={"ratio": "model"})
            rows.append(found.assign(**pairs, **where, other=above.host))
    if not rows:
        return pd.DataFrame(columns=_CARDS)
    return pd.concat(rows, ignore_index=True)[_CARDS]


def gain_curves(
    measurements: pd.DataFrame, hosts: pd.DataFrame, base: str, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Return the gain in large reads and writes over the speeds that cards had on the base.

    Returns
    -------
    DataFrame
        As of `host_gains`, with 25 speeds from the slowest to the fastest card of each person.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> slots = data.hosts[data.hosts["reader"] == "slot"]
    >>> curves = stats.gain_curves(data.measurements, slots, "pi-3b")
    >>> sorted(set(curves["op"]))
    ['read', 'write']
    """
    own = hosts.set_index("host")
    rows = []
    for fit in _fits(measurements, ("read", "write")):
        op = fit.test.op
        for below, above in _both(fit, base, own.index):
            speeds = _speeds(fit, below, above)
            if len(speeds) < MINIMUM:
                continue
            asked = np.geomspace(speeds[0], speeds[-1], 25).tolist()
            found = place_ratios(fit, below, above, speeds=asked, confidence=confidence)
            place = {"place": own["host_name"][above.host], "measured_by": above.measured_by}
            found = _within(found, float(own["limit"][above.host]))
            rows.append(found.assign(op=op, what=briefly(op), other=above.host, **place))
    names = ["op", "what", "measured_by", "other", "place", "speed", "ratio", "low", "high"]
    return pd.concat(rows, ignore_index=True)[names] if rows else pd.DataFrame(columns=names)


def host_gains_in_words(gains: pd.DataFrame) -> list[str]:
    r"""Say in at most three sentences what the newest host of `host_gains` changes.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> slots = data.hosts[data.hosts["reader"] == "slot"]
    >>> gains = stats.host_gains(data.measurements, slots, "pi-3b")
    >>> print(stats.host_gains_in_words(gains)[1])
    Large writes are 1.1 times as fast for the slowest card and 2.0 times for the fastest (7 cards).
    """
    rows = gains[gains["reason"].isna() & (gains["cards"] >= MINIMUM)]
    if rows.empty:
        return [f"No {MINIMUM} cards of one person were measured in two of these computers."]
    newest = rows.iloc[0]
    here = rows[(rows["other"] == newest["other"])]
    most = here.groupby("measured_by")["cards"].max().idxmax()
    here = here[here["measured_by"] == most]
    small, large = here[here["speed"].isna()], here[here["speed"].notna()]
    where = f"In a {newest['place']} instead of a {newest['base_place']}"
    says = [f"{row.what} are {_times(row)}" for row in small.itertuples()]
    count = counted(here["cards"].max(), "card")
    lines = [f"{where}, {' and '.join(says)} ({count})."] if says else []
    parts = [
        f"{what} are {in_two_digits(own['ratio'].iloc[0])} times as fast for the slowest card and "
        f"{in_two_digits(own['ratio'].iloc[-1])} times for the fastest"
        for what, own in large[::-1].groupby("what", sort=False)
        for own in [own[::-1]]
    ]
    lines += [f"{part[:1].upper()}{part[1:]} ({count})." for part in parts]
    return lines


def _times(row: Any) -> str:
    """Say what a factor means: `1.1 times as fast`."""
    if row.verdict not in _SURE:
        return "not certainly faster or slower"
    return f"{in_two_digits(row.ratio)} times as fast"


def _fits(measurements: pd.DataFrame, ops: Iterable[str]) -> Iterator[Fit]:
    """Yield the models of main tests, those of which there are figures."""
    for op in ops:
        figures = model_figures(measurements, op)
        if len(figures):
            yield fit_figures(figures, MAIN_TESTS[op])


def _both(fit: Fit, base: str, hosts: Iterable[str]) -> Iterator[tuple[Place, Place]]:
    """Yield the base and each other place of a person, where cards met both slots."""
    for below in fit.places:
        if below.host == base and below.reader == "slot":
            for host in hosts:
                above = below._replace(host=host)
                if host != base and above in fit.places and _common(fit, below, above):
                    yield below, above


def _common(fit: Fit, *places: Place) -> list[str]:
    """Return the specimens that were measured in all of these places."""
    rows = fit.figures.set_index(columns("laboratory", "place"))["specimen"].sort_index()
    return sorted(set.intersection(*(set(rows.loc[[tuple(place)]]) for place in places)))


def _speeds(fit: Fit, below: Place, above: Place) -> np.ndarray:
    """Return what the common specimens reach on the base (B/s), the slowest first."""
    rows = fit.figures
    for name, wanted in zip(columns("laboratory", "place"), below, strict=True):
        rows = rows[rows[name] == wanted]
    own = rows[rows["specimen"].isin(_common(fit, below, above))]
    return np.sort(own["value"].to_numpy(float))


def _within(found: pd.DataFrame, limit: float) -> pd.DataFrame:
    """Return gains of which no end is above what the slot can carry."""
    most = limit / found["speed"]
    ends = {name: found[name].mask(found[name] > most, most) for name in ("ratio", "low", "high")}
    return found.assign(**ends)


def host_limits(
    figures: pd.DataFrame, hosts: pd.DataFrame, *, near: float = HIDDEN
) -> pd.DataFrame:
    """Return, for each host, how many cards come near what its bus can carry.

    Parameters
    ----------
    figures : DataFrame
        Figures of one test in B/s (`usable` rows); a card's are averaged.
    hosts : DataFrame
        As for `host_gains`.
    near : float
        From which share of the limit on a figure is near it.

    Returns
    -------
    DataFrame
        One row a host, in the order of `hosts`: `host`, `place` (its name), `limit` (B/s), `cards`,
        `near` (those that come near), `mean`, `least`, `greatest` (shares of the limit), `note`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> reads = stats.usable(data.measurements).query("tool == 'hdparm' and reader == 'slot'")
    >>> shares = stats.host_limits(reads, data.hosts[data.hosts["reader"] == "slot"])
    >>> shares[["host", "cards", "near", "mean"]].round(2)
              host  cards  near  mean
    0         pi-b      2     2  0.93
    1        pi-2b     16     1  0.72
    2        pi-3b     12     9  0.85
    3   pi-3b-sd80      1     0  0.83
    4  pi-3b-sd100      7     1  0.75
    5        pi-4b     24    24  0.91
    """
    if not 0 < near <= 1:
        raise SdAnalysisError(f"found the share {near:g} as near, expected it between 0 and 1")
    require(hosts, ["host", "host_name", "limit"])
    cards = figures.groupby(_CARD)["value"].agg(geometric_mean)
    rows = []
    for host in hosts[hosts["host"].isin(figures["host"])].itertuples():
        share = cards[host.host] / host.limit
        counts = {"cards": len(share), "near": int((share >= near).sum())}
        ends = {"mean": geometric_mean(share), "least": share.min(), "greatest": share.max()}
        note = f"{counts['near']} of {counted(len(share), 'card')}"
        place = {"host": host.host, "place": host.host_name, "limit": host.limit}
        rows.append(place | counts | ends | {"note": note})
    return pd.DataFrame(rows)


def bus_in_words(shares: pd.DataFrame, what: str, *, near: float = HIDDEN) -> str:
    r"""Say on which hosts of `host_limits` it is the bus that was measured, and on which it is not.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> reads = stats.usable(data.measurements).query("tool == 'hdparm' and reader == 'slot'")
    >>> reads = reads[reads["measured_by"].isin(["arthur"])]
    >>> shares = stats.host_limits(reads, data.hosts[data.hosts["reader"] == "slot"])
    >>> says = stats.bus_in_words(shares, "large reads")
    >>> print(says.replace(" (most", "\n(most").replace(": ", ":\n"))
    The slot, not the card, is the limit of large reads
    (most cards come to 85 % of what it can carry) in:
    Raspberry Pi 3 Model B (3 of 4 cards), Raspberry Pi 4 Model B (4 of 4 cards).
    """
    few = shares["cards"] < MINIMUM
    most = shares["near"] > shares["cards"] / 2
    come = f"most cards come to {100 * near:g} % of what it can carry"
    limit = f"The slot, not the card, is the limit of {what} ({come}) in"
    kinds = {limit: most & ~few, "Not in": ~most & ~few, "Too few cards to say": few}
    listed = {say: shares[chosen] for say, chosen in kinds.items() if chosen.any()}
    return " ".join(f"{say}: {_places(rows)}." for say, rows in listed.items())


def _note(row: Any) -> str:
    """Return factor, whether it is certain, and cards: `1.1 (~), 6 cards`."""
    sure = "" if row.verdict in _SURE else " (~)"
    return f"{in_two_digits(row.ratio)}{sure}, {counted(row.cards, 'card')}"


def _places(shares: pd.DataFrame) -> str:
    return ", ".join(f"{row.place} ({row.note})" for row in shares.itertuples())
