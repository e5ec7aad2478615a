"""Which card to buy for a board, in sentences: the product, its reasons, its rivals, its doubts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import briefly, speed_in_words
from sdanalysis.stats.reasons import HIDDEN, WORDS, Reason
from sdanalysis.stats.same_test import MAIN_TESTS

if TYPE_CHECKING:
    from sdanalysis.stats.boards import Case

_FOR = {"system": "the system of", "storage": "large files on", "camera": "a camera on"}
_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_COUNT = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LISTED = 4  # other choices that get a line; the table has all
_AVOIDED = 3  # of the slowest


def advice_in_short(case: Case) -> str:
    """Say in at most three sentences, a line each, which card to take.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> case = stats.buyer_case(data.measurements, data.media, data.hosts, "pi-4b", "system")
    >>> print(stats.advice_in_short(case).splitlines()[1])
    Two people measured one each: first and third of 24 cards in small writes.
    """
    wanted = f"For {_FOR[case.use]} a {case.at(case.host)}"
    if case.taken is None:
        return f"{wanted}, no card is the advice.\n{_no_choice(case)}"
    return "\n".join([f"{wanted}, take {_named(case.taken)}.", _basis(case), _caution(case)])


def advice(case: Case) -> pd.DataFrame:
    """Return the advice for a board and use: a row a statement, under the heading it belongs to.

    Returns
    -------
    DataFrame
        `section` (Take, Why, ...), `text` (sentences).

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> case = stats.buyer_case(data.measurements, data.media, data.hosts, "pi-4b", "system")
    >>> lines = stats.advice(case)
    >>> print(*lines["section"].unique()[3:], sep=" | ")
    Good only as the older card | Do not pay for | How sure
    """
    chosen = case.taken is not None
    runs = "one run" if (case.ranked["runs"] == 1).any() else "these runs"
    parts: dict[str, Iterable[str]] = {
        "What was measured on this board": _inferred(case),
        "Take": [f"{_capital(_named(case.taken))}." if chosen else _no_choice(case)],
        "Why": _why(case) if chosen else [],
        f"Just as good, as far as {runs} can tell": _as_good(case) if chosen else [],
        **_contested(case),
        "Do not pay for": _not_worth(case),
        "How sure": _sureness(case) if chosen else [],
    }
    lines = [(section, text) for section, texts in parts.items() for text in texts]
    return pd.DataFrame(lines, columns=["section", "text"])


def advice_facts(case: Case) -> pd.DataFrame:
    """Return the advice for a board and use in short: a row a fact, for somebody in a shop.

    Returns
    -------
    DataFrame
        `fact` (Just as good, Avoid, ...), `text` (names or a sentence).

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> case = stats.buyer_case(data.measurements, data.media, data.hosts, "pi-4b", "system")
    >>> stats.advice_facts(case).set_index("fact")["text"]["Do not pay for"]
    'A2. Fast reading on the pack.'
    """
    rows = case.ranked
    slow, years = rows[rows["group"] == "slow"].tail(_AVOIDED), rows["year"].dropna()
    span = " to ".join(sorted({years.min(), years.max()})) if len(years) else "Year not stated"
    where = "" if case.host == case.board else f" on a {case.at(case.board)}"
    runs = int(rows["runs"].sum())
    good = _rivals(case).head(_LISTED)["card"] if case.taken is not None else []
    facts = {
        "Just as good": f"{_listed(good)}." if len(good) else "",
        **{heading: " ".join(map(_first, texts)) for heading, texts in _contested(case).items()},
        "Avoid": f"{_listed(slow['card'])}: the slowest." if len(slow) else "",
        "Do not pay for": " ".join(dict.fromkeys(map(_first, _not_worth(case)))),
        "Measured": f"{span}{where}: {runs} run{'' if runs == 1 else 's'} of {_cards(len(rows))}.",
    }
    lines = [(fact, text) for fact, text in facts.items() if text]
    return pd.DataFrame(lines, columns=["fact", "text"])


def _first(text: str) -> str:
    return f"{text.split('. ', maxsplit=1)[0].rstrip('.')}."


def _is_slower(rows: pd.DataFrame) -> pd.Series:
    return ~rows["may_be_best"].fillna(True).astype(bool)


def _inferred(case: Case) -> Iterator[str]:
    """Say what is known of a board with too few cards, and why the advice is another board's."""
    if case.host == case.board:
        return
    rows = case.own[(case.own["op"] == case.op) & ~case.own["predicted"]]
    cards = _listed(f"{row.card}, {speed_in_words(row.value)} MB/s" for row in rows.itertuples())
    count = f"{_capital(_cards(len(rows)))} went through {briefly(case.op)} on this board"
    yield f"{count}{': ' if cards else ''}{cards}."
    own = case.standings[case.standings["specimen"].isin(rows["specimen"])]
    for row in own[own["rank"].notna()].itertuples():
        yield f"On a {case.at(row.host)}, the same {row.card} came {_rank(row)}."
    yield (
        f"Fewer than {_count(MINIMUM)} cards are not ranked, so this is the advice for a "
        f"{case.at(case.board)}. Its order of the cards may be expected here, not its speeds."
    )


def _no_choice(case: Case) -> str:
    """Say why no card is the advice."""
    reasons = case.ranked["reason"].dropna()
    if case.choices.empty and len(reasons):
        return f"In {briefly(case.op)} nothing is ranked: {WORDS[reasons.iloc[0]]}."
    return f"None of the fastest in {briefly(case.op)} can be bought by its name."


def _basis(case: Case) -> str:
    """Say how the advised card did in the deciding test, and who measured it."""
    rows = case.lead(case.taken["name_key"])
    people = rows["measured_by"].nunique()
    who = f"{_count(people).capitalize()} people measured one each"
    if people == 1:
        who = f"{_capital(rows['people'].iloc[0])} measured one"
    ranks = _listed(_ordinal(rank) for rank in rows["rank"])
    place = "" if case.host == case.board else f" on a {case.at(case.board)}"
    cards = int(rows["cards"].iloc[0])
    return f"{who}: {ranks} of {cards} cards in {briefly(case.op)}{place}."


def _caution(case: Case) -> str:
    """Say how far another card of the name may be off, as far as that is known."""
    test, factor = briefly(case.op), case.spread.factor
    if case.taken["contested"]:
        return f"Look at the pack: others of this name are slower in {test} by more than chance."
    if math.isnan(factor):
        return f"Yours may be another card: how far two of one name differ in {test} is not known."
    return f"Yours may be another card: in {test} two of one name may differ {factor:.2g} times."


def _why(case: Case) -> Iterator[str]:
    name = case.taken["name_key"]
    lead = case.lead(name)
    yield f"{_basis(case)[:-1]}, at {_listed(map(speed_in_words, lead['value']))} MB/s."
    for op in MAIN_TESTS:
        rows = case.figures[(case.figures["op"] == op) & ~case.figures["predicted"]]
        if op != case.op and not (rows["reason"] == Reason.SLOT_LIMITS).any():
            own = rows[rows["specimen"].isin(lead["specimen"])]
            yield from [f"{briefly(op).capitalize()}: {_grouped(own, len(rows))}."] * bool(len(own))
    others = case.standings[case.standings["name_key"] == name]
    for host, rows in others[others["host"] != case.board].dropna(subset="rank").groupby("host"):
        found = [f"{row.people}'s came {_rank(row)}" for row in rows.itertuples()]
        yield f"On a {case.at(str(host))}, {_listed(found)}."
    rows = case.ranked
    lost = [
        f"{row.card} ({_ordinal(row.rank)}, {speed_in_words(row.value)} MB/s)"
        for row in rows[rows["best"] & ~rows["buyable"]].itertuples()
    ]
    if lost:
        yield f"Not to be bought, as no shop knows them by that name: {_listed(lost)}."
    family = (rows["name_key"].map(_sizeless) == _sizeless(name)) & (rows["name_key"] != name)
    for row in rows[family & _is_slower(rows)].itertuples():
        yield f"Mind the size: {_article(row.card)} gave only {speed_in_words(row.value)} MB/s."


def _grouped(rows: pd.DataFrame, cards: int) -> str:
    """Return figures with their group; whose cards were compared, where not all were."""
    speeds = f"{_listed(map(speed_in_words, rows['value']))} MB/s"
    if rows["group"].isna().all():
        return speeds
    if (rows["cards"] == cards).all():
        groups = _listed(dict.fromkeys(rows["group"].dropna()))
        return f"{speeds}, in the {groups} group of {cards} cards"
    words = [
        f"{speed_in_words(row.value)} MB/s, {row.group} among {row.people}'s {int(row.cards)} cards"
        for row in rows.dropna(subset="group").itertuples()
    ]
    return "; ".join(words)


def _as_good(case: Case) -> Iterator[str]:
    """Name the other products that may be the best, with what speaks against each."""
    others = _rivals(case)
    for row in others.head(_LISTED).sort_values("value", ascending=False).itertuples():
        specimens = case.lead(row.name_key)["specimen"]
        own = case.figures[case.figures["specimen"].isin(specimens) & ~case.figures["predicted"]]
        own = own[own["reason"] != Reason.SLOT_LIMITS].drop_duplicates("op")
        words = [
            f"{briefly(figure.op)} {speed_in_words(figure.value)}" for figure in own.itertuples()
        ]
        weak = own[own["group"].isin(["slow", "middle"])]
        against = [f"{figure.group} in {briefly(figure.op)}" for figure in weak.itertuples()]
        doubts = f" Against it: {_listed(against)}." if against else ""
        yield f"{_named(row, article=False)}: {', '.join(words)} MB/s.{doubts}"
    if len(others) > _LISTED:
        yield f"In the table, {_cards(len(others) - _LISTED)} more may be as fast."
    if others.empty:
        yield "No other card that you can buy by name may be as fast, of those measured."


def _rivals(case: Case) -> pd.DataFrame:
    """Return the other products that may be the best, and of which none is clearly slower."""
    others = case.choices[case.choices["name_key"] != case.taken["name_key"]]
    return others[others["buyable"].astype(bool) & ~others["contested"].astype(bool)]


def _contested(case: Case) -> dict[str, list[str]]:
    """Return the products of which other specimens are clearly slower, under their headings."""
    sections: dict[str, list[str]] = {}
    elsewhere = case.standings[case.standings["host"] != case.board]
    named = pd.concat([case.ranked, elsewhere])
    for choice in case.choices[case.choices["contested"].astype(bool)].itertuples():
        rows = named[named["name_key"] == choice.name_key]
        rows = rows.assign(age=rows["specimen"].map(case.age).fillna("one of them"))
        own = rows["specimen"].isin(case.lead(choice.name_key)["specimen"])
        older = (rows.loc[own, "age"] == "older").all() and rows["age"].eq("newer").any()
        text = [f"{_named(choice, article=False)}."]
        for host, here in rows.groupby("host", sort=False):
            words = [f"{age} {_listed(map(speed_in_words, cards['value']))}"
                     for age, cards in here.groupby("age", sort=False)]  # fmt: skip
            if len(here) > 1:
                text.append(f"On a {case.at(str(host))}: {', '.join(words)} MB/s.")
        heading = "Good only as the older card" if older else "Good, but not every one of the name"
        sections.setdefault(heading, []).append(" ".join(text))
    return sections


def _not_worth(case: Case) -> Iterator[str]:
    """Say what this slot cannot use."""
    marked = case.ranked[case.ranked["application_class"] == "A2"]
    if pd.notna(case.slot["command_queue"]) and not case.slot["command_queue"]:
        yield f"A2. A {case.at(case.host)} cannot use the command queue that A2 needs." + (
            f" With A2: {_listed(map(speed_in_words, marked['value']))} MB/s in {briefly(case.op)}."
            if len(marked)
            else ""
        )
    gaining = case.gains[case.gains["low"] > 1]
    if len(case.gains):
        names = case.own.drop_duplicates("specimen").set_index("specimen")["card"]
        helped = f"{_count(len(gaining))} of {_count(len(case.gains))} cards"
        yield (
            f"A2 alone. In {briefly(case.op)} the command queue clearly helped {helped}."
            + (f" They are {_listed(gaining['specimen'].map(names))}." if len(gaining) else "")
        )
    reads = case.own[(case.own["op"] == "read") & ~case.own["predicted"]]
    if (reads["reason"] == Reason.SLOT_LIMITS).any():
        near = reads[reads["value"] >= HIDDEN * reads["limit"]]
        span = f"{speed_in_words(near['value'].min())} to {speed_in_words(near['value'].max())}"
        yield (
            f"Fast reading on the pack. {_capital(_share(len(near), len(reads)))} read large "
            f"files at {span} MB/s; the slot ends at {case.slot['limit'] / 1e6:g}."
        )


def _sureness(case: Case) -> Iterator[str]:
    rows, people = case.ranked, int(case.taken["people"])
    yield (
        f"{_count(people).capitalize()} people's cards agree on the first choice."
        if people > 1
        else "The first choice rests on one person's card."
    )
    named = pd.concat([case.lead(case.taken["name_key"]), case.standings])
    named = named[named["name_key"] == case.taken["name_key"]].drop_duplicates("specimen")
    numbered = named[named["part_number"].notna()]
    if 0 < len(numbered) < len(named):
        yield f"The part number is that of {numbered['people'].iloc[0]}'s card; others state none."
    once, reach = int((rows["runs"] == 1).sum()), (rows["value"] / rows["low"]).iloc[0]
    if once:
        runs = f"{_capital(_share(once, len(rows)))} ran once"
        yield f"{runs}; another run may differ {reach:.3g} times."
    else:
        yield (
            f"Each card ran {_count(rows['runs'].min())} times or more; as many runs again may "
            f"differ {reach:.3g} times."
        )
    slower = int(_is_slower(rows).sum())
    yield f"{_capital(_share(slower, len(rows)))} are slower than the best by more than chance."
    test, spread = briefly(case.op), case.spread
    yield (
        f"How far two cards of one name differ in {test} is read from {spread.specimens} cards of "
        f"{_count(spread.products)} name{'' if spread.products == 1 else 's'}."
    )
    beyond = rows[rows["beyond"]]
    if len(beyond):
        names = _listed(dict.fromkeys(beyond["people"]))
        yield f"Beyond the five articles: {_share(len(beyond), len(rows))}, measured by {names}."
    own = rows["test"].dropna()
    if len(own):
        yield f"Its figures compare with no other board's: the test is another ({own.iloc[0]})."
    if case.doubted:
        yield f"Doubted, and left out: {_listed(case.doubted)}."


def _named(choice: Any, *, article: bool = True) -> str:
    """Return a product as a buyer asks for it: its part number, or else the year of its figures."""
    name = _article(choice.card) if article else choice.card
    if pd.notna(choice.part_number):
        return f"{name}, part number {choice.part_number}"
    return f"{name} of about {choice.year}" if pd.notna(choice.year) else name


def _rank(row: Any) -> str:
    return f"{_ordinal(row.rank)} of {int(row.cards)} cards"


def _sizeless(key: str) -> str:
    return re.sub(r"\d+[gm]b", "", key)


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _ordinal(rank: float) -> str:
    return _ORDER[int(rank) - 1] if rank <= len(_ORDER) else f"{int(rank)}th"


def _share(number: int, cards: int) -> str:
    return f"all {cards} cards" if number == cards else f"{number} of {cards} cards"


def _cards(number: int) -> str:
    return f"{_count(number) if number else 'no'} card{'' if number == 1 else 's'}"


def _count(number: int) -> str:
    return _COUNT[number] if number < len(_COUNT) else str(number)


def _listed(words: Iterable[str]) -> str:
    known = list(words)
    return " and ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)
