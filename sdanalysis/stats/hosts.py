"""What another computer changes: factors of the same card, and how near its bus the cards come."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.stats.intervals import MINIMUM, geometric_mean, paired_summary
from sdanalysis.stats.model import model_spread
from sdanalysis.stats.names import briefly
from sdanalysis.stats.reasons import HIDDEN
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import CLEAN

_CARD = ["host", *columns("laboratory", "specimen")]
_OPS = ("read", "write", "randread", "randwrite")  # in the order in which people ask for them
_SURE = (">1", "<1")  # verdicts of an interval that leaves 1 out


def host_effects(
    pairs: pd.DataFrame, hosts: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Return by which factor the same card is faster on another host, laboratory by laboratory.

    Parameters
    ----------
    pairs : DataFrame
        As `contrast_pairs` returns it for the factor `host` and one base; the doubted ones are
        left out.
    hosts : DataFrame
        `host`, `host_name` and `limit` (B/s) of the slots, one row a host, the oldest first.

    Returns
    -------
    DataFrame
        `paired_summary` of each test, laboratory and host, the newest host first, with `what` (the
        test in two words), `base`, `place` and `base_place` (the hosts' names), `bus` (the ratio
        of their bus limits) and `note` (factor, whether it is certain, cards).

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data, levels = load_data(), ["pi-3b", "pi-4b"]
    >>> pairs = stats.contrast_pairs(data.measurements, "host", data.noise, levels=levels)
    >>> slots = data.hosts[data.hosts["reader"] == "slot"]
    >>> effects = stats.host_effects(pairs, slots)
    >>> effects.loc[effects["measured_by"] == "geerling", ["what", "note"]]
               what              note
    0   large reads      2.0, 7 cards
    2  large writes      1.6, 6 cards
    4   small reads      1.1, 7 cards
    6  small writes  1.1 (~), 6 cards
    """
    require(hosts, ["host", "host_name", "limit"])
    own = hosts.set_index("host")
    by = ["op", "test", "measured_by", "base", "other"]
    found = paired_summary(pairs[pairs["kind"] == CLEAN], by, confidence=confidence)
    order = [*reversed(own.index)]
    found = found.assign(
        what=found["op"].map(briefly),
        place=found["other"].map(own["host_name"]),
        base_place=found["base"].map(own["host_name"]),
        bus=found["other"].map(own["limit"]) / found["base"].map(own["limit"]),
        note=[_note(row) for row in found.itertuples()],
        rank=found["other"].map(order.index).astype(int),
        turn=found["op"].map(_OPS.index).astype(int),
    )
    ranked = found.sort_values(["turn", "rank", "cards"], ascending=[True, True, False])
    return ranked.drop(columns=["rank", "turn"]).reset_index(drop=True)


def host_effects_in_short(effects: pd.DataFrame) -> str:
    r"""Say in a sentence what the newest host of `host_effects` changes, with the most cards.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data, levels = load_data(), ["pi-3b", "pi-4b"]
    >>> pairs = stats.contrast_pairs(data.measurements, "host", data.noise, levels=levels)
    >>> effects = stats.host_effects(pairs, data.hosts[data.hosts["reader"] == "slot"])
    >>> says = stats.host_effects_in_short(effects)
    >>> print(says.replace(" the same", "\nthe same").replace("; ", ";\n"))
    In a Raspberry Pi 4 Model B instead of a Raspberry Pi 3 Model B
    the same cards are 2.0 times as fast in large reads, 1.6 in large writes, 1.1 in small reads;
    in small writes a difference is not certain (6 to 7 cards).
    """
    if effects.empty:
        return "Nobody measured the same card in two of these computers."
    rows = _by_host(effects)[0]
    row, certain = rows.iloc[0], rows["verdict"].isin(_SURE)
    says = [f"{in_two_digits(sure.ratio)} in {sure.what}" for sure in rows[certain].itertuples()]
    parts = [f"are {', '.join(says).replace(' in', ' times as fast in', 1)}"] if says else []
    open_ = " and ".join(rows["what"][~certain])
    parts += [f"in {open_} a difference is not certain"] if open_ else []
    where = f"In a {row['place']} instead of a {row['base_place']} the same cards"
    where = where if says else f"{where} may be as fast:"
    return f"{where} {'; '.join(parts)} ({_cards(rows)})."


def host_effects_in_words(effects: pd.DataFrame) -> list[str]:
    r"""Say for each host and laboratory of `host_effects` what the same card gains, a line each.

    Hosts with fewer than `MINIMUM` cards are named only where there is nothing else.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data, levels = load_data(), ["pi-3b", "pi-4b"]
    >>> pairs = stats.contrast_pairs(data.measurements, "host", data.noise, levels=levels)
    >>> effects = stats.host_effects(pairs, data.hosts[data.hosts["reader"] == "slot"])
    >>> says = stats.host_effects_in_words(effects)[1]
    >>> print(says.replace(": ", ":\n").replace("), s", "),\ns"))
    The same, Arthur's 3 to 4 cards:
    large reads 1.9 times as fast, large writes 1.4 (not certain),
    small reads 1.4, small writes 1.1 (not certain).
    """
    ranked = _by_host(effects)
    places = [rows["other"].iloc[0] for rows in ranked]
    return [
        _effects_line(rows, first=place not in places[:index])
        for index, (rows, place) in enumerate(zip(ranked, places, strict=True))
    ]


def host_limits(
    figures: pd.DataFrame, hosts: pd.DataFrame, *, near: float = HIDDEN
) -> pd.DataFrame:
    """Return, for each host, how many cards come near what its bus can carry.

    Parameters
    ----------
    figures : DataFrame
        Figures of one test in B/s (`usable` rows); a card's are averaged.
    hosts : DataFrame
        As for `host_effects`.
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


def spread_in_words(measurements: pd.DataFrame, base: str) -> str:
    r"""Say whether the computer or the card decides, by the laboratory with the most figures.

    From `model_spread`: the slowest and the fastest host against the slowest and the fastest card.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> says = stats.spread_in_words(load().query("measured_by == 'arthur'"), "pi-3b")
    >>> print(says.partition(";")[0].replace(": ", ":\n"))
    Fastest against slowest, Arthur's 2 computers and 4 cards:
    the computer decides large reads (computers 2.3 times, cards 1.4)
    """
    spread = model_spread(measurements, base)
    if spread.empty:
        return ""
    sizes = (spread["hosts"] * spread["cards"]).groupby(spread["measured_by"]).sum()
    rows = spread[spread["measured_by"] == sizes.idxmax()]
    rows = rows.iloc[rows["op"].map(_OPS.index).argsort(kind="stable")]
    by_host = rows["host_spread"] > rows["card_spread"]
    kinds = {"the computer decides": rows[by_host], "the card decides": rows[~by_host]}
    says = "; ".join(f"{say} {_spreads(found)}" for say, found in kinds.items() if len(found))
    counts = counted(rows["hosts"].max(), "computer"), counted(rows["cards"].max(), "card")
    who = f"{people_name(sizes.idxmax())}'s {' and '.join(counts)}"
    return f"Fastest against slowest, {who}: {says}."


def _spreads(rows: pd.DataFrame) -> str:
    said = [
        f"{briefly(row.op)} (computers {in_two_digits(row.host_spread)} times, "
        f"cards {in_two_digits(row.card_spread)})"
        for row in rows.itertuples()
    ]
    return ", ".join(said)


def _note(row: Any) -> str:
    """Return factor, whether it is certain, and cards: `1.1 (~), 6 cards`."""
    sure = "" if row.verdict in _SURE else " (~)"
    return f"{in_two_digits(row.ratio)}{sure}, {counted(row.cards, 'card')}"


def _by_host(effects: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the effects of each host and laboratory, the newest host first."""
    groups = [rows for _, rows in effects.groupby(["other", "measured_by"], sort=False)]
    large = [rows for rows in groups if rows["cards"].max() >= MINIMUM]
    newest = list(effects["other"].unique())
    return sorted(large or groups, key=lambda rows: newest.index(rows["other"].iloc[0]))


def _cards(rows: pd.DataFrame) -> str:
    least, most = rows["cards"].min(), rows["cards"].max()
    return counted(most, "card") if least == most else f"{least} to {most} cards"


def _effects_line(rows: pd.DataFrame, *, first: bool) -> str:
    row = rows.iloc[0]
    who = f"{people_name(row['measured_by'])}'s {_cards(rows)}"
    where = f"{row['place']} instead of {row['base_place']}, " if first else "The same, "
    factors = [in_two_digits(ratio) for ratio in rows["ratio"]]
    factors[0] += " times as fast"
    said = [
        f"{row.what} {factor}{'' if row.verdict in _SURE else ' (not certain)'}"
        for row, factor in zip(rows.itertuples(), factors, strict=True)
    ]
    return f"{where}{who}: {', '.join(said)}."


def _places(shares: pd.DataFrame) -> str:
    return ", ".join(f"{row.place} ({row.note})" for row in shares.itertuples())
