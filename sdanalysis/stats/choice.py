"""The ranking of a host -> which card to take, in three sentences for somebody who owns a Pi."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import check_known
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import card_names, place_names, plainly
from sdanalysis.stats.ranking import USES, bus_shares
from sdanalysis.stats.same_test import columns

_WANTED = {"system": "For the system of", "storage": "For large files on"}
_WANTED |= {"camera": "For the videos of a camera on"}
_LONG = {"storage": "A card that is sold under the same name may be another one"}
_LONG |= {"camera": "Nobody wrote for hours, as a camera does"}
_VIDEO = ("C10", "V30")
_NAMED = 6  # cards named in a sentence; the table has all


def with_names(ranked: pd.DataFrame, media: pd.DataFrame) -> pd.DataFrame:
    """Add what a reader calls card and laboratory: `card` (with its A class), `people`.

    Where several cards of a host have one name, it says whose card it is.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> cards = stats.ranking(data.measurements, data.noise, "pi-3b")
    >>> stats.with_names(cards, data.media)["card"].iloc[[0, 2]].tolist()
    ['SanDisk Extreme 32 GB A1', 'Samsung Evo+ 32 GB (Geerling)']
    """
    cards = ranked["specimen"].map(card_names(media, rated=True))
    people = ranked["measured_by"].map(people_name)
    twice = ranked["specimen"].groupby(cards).transform("nunique") > 1
    return ranked.assign(card=cards.mask(twice, cards + " (" + people + ")"), people=people)


def which_card(
    ranked: pd.DataFrame,
    verdicts: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    prices: pd.DataFrame,
    use: str,
) -> str:
    """Say in three sentences, a line each, which card to take for a use.

    Parameters
    ----------
    ranked : DataFrame
        As of `ranking`, of one host.
    verdicts : DataFrame
        As of `class_verdicts`.
    prices : DataFrame
        As of `sdanalysis.load_prices`.
    use : str
        `system`, `storage` or `camera`; another is an SdAnalysisError.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> data, prices = sdanalysis.load_data(), sdanalysis.load_prices()
    >>> held = data.classes, data.media, data.hosts, data.noise
    >>> verdicts = stats.class_verdicts(data.measurements, *held)
    >>> cards = stats.ranking(data.measurements, data.noise, "pi-3b-sd80")
    >>> text = stats.which_card(cards, verdicts, data.media, data.hosts, prices, "camera")
    >>> text.splitlines()[-1]
    'Below 3 cards nothing is ranked; another Pi may have more.'
    """
    check_known("use", use, USES)
    rows = with_names(ranked, media)
    place = rows.merge(hosts, on=columns("place"))[columns("place")].iloc[0]
    where = place_names(hosts)[tuple(place)]
    sure = rows[~rows["doubted"]]
    deciding = sure[sure["op"] == USES[use][0]]
    if len(deciding) < MINIMUM:
        return "\n".join(_too_few(deciding, where, use))
    beside = {"system": "", "storage": _reading(sure, hosts), "camera": ""}
    held = _held(deciding, verdicts, hosts) if use == "camera" else ""
    return "\n".join(
        [
            f"{_WANTED[use]} a {where}, {_first(deciding, sure, use)}{beside[use]}.",
            f"{_uncertain(deciding)}{held}.",
            f"{_worth(deciding, prices, _a2(deciding, hosts) if use == 'system' else _LONG[use])}.",
        ]
    )


def _first(rows: pd.DataFrame, sure: pd.DataFrame, use: str) -> str:
    """Say which cards come first, and in what; of a system those that are first in both tests."""
    best, doing = rows[rows["place"] == 1], plainly(rows["op"].iloc[0])
    if len(best) == 1:
        return (
            f"take the {best['card'].iloc[0]}: of {len(rows)} cards it alone has the first place "
            f"in {doing} ({_speeds(best)})"
        )
    share = f"of {len(rows)} cards {{}} share the first place in {doing} ({_speeds(best)})"
    both = best
    for op in USES[use][1:]:
        other = sure[(sure["op"] == op) & (sure["place"] == 1)]
        both = both[both["specimen"].isin(other["specimen"])]
    if use != "system" or both.empty or len(both) == len(best):
        return f"take one of these: {_listed(best['card'])}; {share.format(f'these {len(best)}')}"
    also = f"and these {len(both)}" if len(both) > 1 else "and this one"
    taken = f"take one of these: {_listed(both['card'])}"
    taken = taken if len(both) > 1 else f"take the {both['card'].iloc[0]}"
    return f"{taken}; {share.format(len(best))}, {also} in {plainly(USES[use][1])} too"


def _uncertain(rows: pd.DataFrame) -> str:
    """Say what chance leaves open, and what it does not."""
    best, slower, last = rows[rows["place"] == 1], rows[rows["place"] > 1], rows.iloc[-1]
    once = " that ran once" if (rows["runs"] == 1).all() else ""
    which = f"Which of them is the fastest is not certain, as each is one card{once}"
    if len(best) == 1:
        which = (
            f"That another card of this name does as well is not certain, as it is one card{once}"
        )
    if slower.empty:
        return f"{which}; none is slower than the best by more than chance"
    others = f"the other {len(slower)} are" if len(slower) > 1 else "the other one is"
    return (
        f"{which}; {others} slower than the best by more than chance, the {last['card']} "
        f"{in_two_digits(1 / last['ratio'])} times"
    )


def _reading(sure: pd.DataFrame, hosts: pd.DataFrame) -> str:
    """Say whether the computer hides the cards when they read large files."""
    reads = sure[sure["op"] == "read"]
    if len(reads) < MINIMUM:
        return "; reading them is not known of enough cards"
    share = bus_shares(reads, hosts).iloc[0]
    if share["hidden"]:
        return (
            f"; in {plainly('read')} the Pi is the limit and not the card, as {share['at_limit']} "
            f"of {share['cards']} come near the {share['limit'] / 1e6:g} MB/s of its slot"
        )
    first = reads[reads["place"] == 1]
    return f"; first in {plainly('read')} ({_speeds(first)}): {_listed(first['card'])}"


def _held(rows: pd.DataFrame, verdicts: pd.DataFrame, hosts: pd.DataFrame) -> str:
    """Say how many cards keep what a class for video asks, the highest that the slot can carry."""
    keys = [*columns("laboratory", "specimen", "place", "op", "tool")]
    found = verdicts.merge(rows[keys], on=keys).merge(hosts, on=columns("place"))
    found = found[found["class"].isin(_VIDEO) & (found["minimum"] <= found["limit"])]
    found = found[found["minimum"] == found["minimum"].max()]
    found = found.drop_duplicates("specimen")
    passed, missed = ((found["verdict"] == word).sum() for word in ("pass", "fail"))
    return (
        f"; the {found['minimum'].iloc[0] / 1e6:g} MB/s of class {found['class'].iloc[0]} "
        f"{passed} of {len(found)} reach and {missed} miss by more than chance"
    )


def _worth(rows: pd.DataFrame, prices: pd.DataFrame, begins: str) -> str:
    """Say what the cards cost, as far as it is known."""
    priced = rows.merge(prices, on="medium", validate="many_to_one").sort_values("price")
    if priced["medium"].nunique() < 2:
        return f"{begins}; what most of these cards cost is not known"
    cheap, dear = priced.iloc[0], priced.iloc[-1]
    return (
        f"{begins}; of the {priced['medium'].nunique()} whose price is known ({cheap['year']}) the "
        f"cheapest was the {cheap['card']} at {cheap['price']:.2f} dollars, on place "
        f"{cheap['place']}, the dearest the {dear['card']} at {dear['price']:.2f}, on place "
        f"{dear['place']}"
    )


def _a2(rows: pd.DataFrame, hosts: pd.DataFrame) -> str:
    """Say whether cards with the mark A2 are ahead, and whether the slot can use what A2 adds."""
    with_mark = rows["card"].str.contains(r"\bA2\b")
    if not with_mark.any():
        return "No card with the mark A2 was measured there"
    queue = rows.merge(hosts, on=columns("place"))["command_queue"].iloc[0]
    why = "this slot cannot use what A2 adds, and " if pd.notna(queue) and not queue else ""
    first = rows["place"] == 1
    beside = (first & ~with_mark).sum()
    pays = "is no reason to pay more" if beside else "may be worth its price"
    return (
        f"The mark A2 {pays}: {why}{(first & with_mark).sum()} of {with_mark.sum()} cards with it "
        f"share the first place with {beside} of {(~with_mark).sum()} without it"
    )


def _too_few(rows: pd.DataFrame, where: str, use: str) -> list[str]:
    doing = plainly(USES[use][0])
    cards = [f"{row.card} ({in_two_digits(row.value / 1e6)} MB/s)" for row in rows.itertuples()]
    return [
        f"{_WANTED[use]} a {where}, which card to take is not certain.",
        f"Only {counted(len(rows), 'card')} went through the test there, {doing}: "
        f"{_listed(cards) or 'none'}.",
        f"Below {MINIMUM} cards nothing is ranked; another Pi may have more.",
    ]


def _speeds(rows: pd.DataFrame) -> str:
    low, high = (in_two_digits(value / 1e6) for value in (rows["value"].min(), rows["value"].max()))
    return f"{high} MB/s" if low == high else f"{high} to {low} MB/s"


def _listed(names: Sequence[str]) -> str:
    """Return names as words; the first of many, and how many more."""
    known = list(names)
    more = [f"{len(known) - _NAMED} more"] if len(known) > _NAMED + 1 else []
    words = [*known[: _NAMED if more else None], *more]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
