"""Which card to buy for a board, in sentences: the product, its reasons, its rivals, its doubts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from sdanalysis.stats.boards import AVOIDED, Case
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import briefly, listed, speed_in_words
from sdanalysis.stats.reasons import HIDDEN, WORDS, Reason
from sdanalysis.stats.same_test import MAIN_TESTS

_FOR = {"system": "the system of", "storage": "large files on", "camera": "a camera on"}
_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_COUNT = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_RIVALS = 4  # other choices that get a line; the table has all


def advice_in_short(case: Case) -> str:
    """Say in at most three sentences, a line each, which card to take."""
    wanted = f"For {_FOR[case.use]} a {case.at(case.host)}"
    if case.pick is None:
        return f"{wanted}, no card is the advice.\n{_no_choice(case)}"
    test, factor = briefly(case.op), case.spread.factor
    own = f"in {test} two of one name may differ {factor:.2g} times"
    if math.isnan(factor):
        own = f"how far two of one name differ in {test} is not known"
    caution = f"Yours may be another card: {own}."
    if case.pick["contested"]:
        caution = f"Look at the pack: others of this name are slower in {test} by more than chance."
    return f"{wanted}, take {_named(case.pick)}.\n{_basis(case)}.\n{caution}"


def advice(case: Case) -> pd.DataFrame:
    """Return the advice for a board and use: a row a statement (`text`) under its `section`."""
    chosen = case.pick is not None
    runs = "one run" if (case.ranked["runs"] == 1).any() else "these runs"
    parts: dict[str, Iterable[str]] = {
        "What was measured on this board": _measured(case),
        "Take": [f"{_capital(_named(case.pick))}." if chosen else _no_choice(case)],
        "Why": _why(case) if chosen else [],
        f"Just as good, as far as {runs} can tell": _as_good(case) if chosen else [],
        **_contested(case),
        "Do not pay for": _not_worth(case),
        "How sure": _sureness(case) if chosen else [],
    }
    lines = [(section, text) for section, texts in parts.items() for text in texts]
    return pd.DataFrame(lines, columns=["section", "text"])


def advice_facts(case: Case) -> pd.DataFrame:
    """Return the advice in short for somebody in a shop: rows of `fact` (Avoid, ...) and `text`."""
    rows = case.ranked
    slow, years = rows[rows["group"] == "slow"].tail(AVOIDED), rows["year"].dropna()
    span = " to ".join(sorted({years.min(), years.max()})) if len(years) else "Year not stated"
    runs = int(rows["runs"].sum())
    ran = f"{runs} run{'' if runs == 1 else 's'} of {_cards(len(rows))}"
    good = _rivals(case).head(_RIVALS)["card"] if case.pick is not None else []
    facts = {
        "Just as good": f"{listed(good)}." if len(good) else "",
        **{heading: _first_sentences(texts) for heading, texts in _contested(case).items()},
        "Avoid": f"{listed(slow['card'])}: the slowest." if len(slow) else "",
        "Do not pay for": _first_sentences(_not_worth(case)),
        "Measured": f"{span}{_elsewhere(case)}: {ran}.",
    }
    lines = [(fact, text) for fact, text in facts.items() if text]
    return pd.DataFrame(lines, columns=["fact", "text"])


def shown_figures(case: Case, *, rows: int = 14) -> pd.DataFrame:
    """Return the figures of the deciding test that tell the story: the fast, the middle, the slow.

    At most `rows` of `case.ranked`, the fastest first, with `mark`: `take`, `avoid` (the last of
    the slow group), `older` or `newer` (where the name is contested), `no name to buy`, `in the
    middle`, or nothing.
    """
    ranked = case.ranked.reset_index(drop=True)
    keys = case.choices.loc[case.choices["contested"].astype(bool), "name_key"]
    contested = ranked["name_key"].isin(keys)
    mark = ranked["specimen"].map(case.age).where(contested)
    mark = mark.mask(ranked["best"] & ~ranked["buyable"], "no name to buy")
    if case.pick is not None:
        pick = ranked["best"] & (ranked["name_key"] == case.pick["name_key"])
        mark = mark.mask(pick, "take")
    last = ranked.index[ranked["group"] == "slow"][-AVOIDED:]
    mark[last] = "avoid"
    middle = len(ranked) // 2
    centre = mark.isna() & (ranked.index == middle) & (ranked["group"] == "middle")
    mark = mark.mask(centre, "in the middle")
    marked = [*mark.index[mark == "take"], *last, *ranked.index[contested], middle]
    chosen = sorted([*dict.fromkeys([*marked, *ranked.index])][:rows])
    return ranked.assign(mark=mark.fillna("")).loc[chosen].reset_index(drop=True)


def board_table(case: Case) -> pd.DataFrame:
    """Return all cards of the board in the four tests, as words: a row a `specimen`, in MB/s.

    A figure has its group behind it; one that is missing or doubted is predicted where the model
    can, behind `≈` with its interval. Cards that were measured on other boards alone are left out.
    """
    rows = case.figures.sort_values(["predicted", "value"], ascending=[True, False])
    rows = rows[rows["specimen"].isin(rows.loc[~rows["predicted"], "specimen"])]
    rows = rows.assign(text=[_cell(row) for row in rows.itertuples()], last=rows["op"] != case.op)
    rows = rows.sort_values("last", kind="stable")
    wide = rows.pivot(index="specimen", columns="op", values="text")
    wide = wide.reindex(columns=[op for op in MAIN_TESTS if op in wide]).rename(columns=briefly)
    cards = rows.drop_duplicates("specimen").set_index("specimen")
    who = cards["people"] + ", " + cards["year"] + cards["beyond"].map({True: " *", False: ""})
    table = cards[["card"]].assign(**{"measured by": who}).join(wide)
    return table.fillna("-").reset_index()


def _cell(row: Any) -> str:
    value, low, high = map(speed_in_words, (row.value, row.low, row.high))
    if row.predicted:
        return f"≈ {value} ({low} to {high})"
    return f"{value} {row.group}" if isinstance(row.group, str) else value


def _first_sentences(texts: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(f"{text.split('. ')[0].rstrip('.')}." for text in texts))


def _measured(case: Case) -> Iterator[str]:
    """Say what is known of a board with too few cards, and why the advice is another board's."""
    if case.host == case.board:
        return
    rows = case.own[(case.own["op"] == case.op) & ~case.own["predicted"]]
    cards = listed(f"{row.card}, {speed_in_words(row.value)} MB/s" for row in rows.itertuples())
    yield (
        f"{_capital(_cards(len(rows)))} went through {briefly(case.op)} on this board"
        f"{': ' if cards else ''}{cards}."
    )
    own = case.standings[case.standings["specimen"].isin(rows["specimen"])]
    for row in own.dropna(subset="rank").itertuples():
        rank = f"{_ordinal(row.rank)} of {row.cards} cards"
        yield f"On a {case.at(row.host)}, the same {row.card} came {rank}."
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
    rows = case.lead(case.pick["name_key"])
    people = rows["measured_by"].nunique()
    who = f"{_capital(_count(people))} people measured one each"
    if people == 1:
        who = f"{_capital(rows['people'].iloc[0])} measured one"
    ranks = listed(map(_ordinal, rows["rank"]))
    cards = int(rows["cards"].iloc[0])
    return f"{who}: {ranks} of {cards} cards in {briefly(case.op)}{_elsewhere(case)}"


def _why(case: Case) -> Iterator[str]:
    name = case.pick["name_key"]
    lead = case.lead(name)
    yield f"{_basis(case)}, at {_speeds(lead)}."
    for op in MAIN_TESTS:
        rows = case.figures[(case.figures["op"] == op) & ~case.figures["predicted"]]
        own = rows[rows["specimen"].isin(lead["specimen"])]
        if op != case.op and len(own) and not (rows["reason"] == Reason.SLOT_LIMITS).any():
            yield f"{_capital(briefly(op))}: {_grouped(own, len(rows))}."
    others = case.standings[case.standings["name_key"] == name]
    for host, rows in others[others["host"] != case.board].dropna(subset="rank").groupby("host"):
        came = listed(
            f"{row.people}'s came {_ordinal(row.rank)} of {row.cards} cards"
            for row in rows.itertuples()
        )
        yield f"On a {case.at(str(host))}, {came}."
    rows = case.ranked
    lost = listed(
        f"{row.card} ({_ordinal(row.rank)}, {speed_in_words(row.value)} MB/s)"
        for row in rows[rows["best"] & ~rows["buyable"]].itertuples()
    )
    if lost:
        yield f"Not to be bought, as no shop knows them by that name: {lost}."
    sizeless = rows["name_key"].str.replace(r"\d+[gm]b", "", regex=True)
    family = sizeless.isin(sizeless[rows["name_key"] == name]) & (rows["name_key"] != name)
    for row in rows[family & rows["slower"]].itertuples():
        yield f"Mind the size: {_article(row.card)} gave only {speed_in_words(row.value)} MB/s."


def _grouped(rows: pd.DataFrame, cards: int) -> str:
    """Return figures with their group; whose cards were compared, where not all were."""
    ranked = rows.dropna(subset="group")
    if ranked.empty:
        return _speeds(rows)
    if (rows["cards"] == cards).all():
        groups = listed(dict.fromkeys(ranked["group"]))
        return f"{_speeds(rows)}, in the {groups} group of {cards} cards"
    return "; ".join(
        f"{speed_in_words(row.value)} MB/s, {row.group} among {row.people}'s {int(row.cards)} cards"
        for row in ranked.itertuples()
    )


def _as_good(case: Case) -> Iterator[str]:
    """Name the other products that may be the best, with what speaks against each."""
    others = _rivals(case)
    for choice in others.head(_RIVALS).sort_values("value", ascending=False).itertuples():
        specimens = case.lead(choice.name_key)["specimen"]
        own = case.figures[case.figures["specimen"].isin(specimens) & ~case.figures["predicted"]]
        own = own[own["reason"] != Reason.SLOT_LIMITS].drop_duplicates("op")
        tests = [f"{briefly(row.op)} {speed_in_words(row.value)}" for row in own.itertuples()]
        weak = own[own["group"].isin(["slow", "middle"])]
        against = listed(f"{row.group} in {briefly(row.op)}" for row in weak.itertuples())
        doubts = f" Against it: {against}." if against else ""
        yield f"{_named(choice, article=False)}: {', '.join(tests)} MB/s.{doubts}"
    if len(others) > _RIVALS:
        yield f"In the table, {_cards(len(others) - _RIVALS)} more may be as fast."
    if others.empty:
        yield "No other card that you can buy by name may be as fast, of those measured."


def _rivals(case: Case) -> pd.DataFrame:
    """Return the other products that may be the best, and of which none is clearly slower."""
    others = case.choices[case.choices["name_key"] != case.pick["name_key"]]
    return others[others["buyable"].astype(bool) & ~others["contested"].astype(bool)]


def _contested(case: Case) -> dict[str, list[str]]:
    """Return the products of which other specimens are clearly slower, under their headings."""
    sections: dict[str, list[str]] = {}
    elsewhere = case.standings[case.standings["host"] != case.board]
    named = pd.concat([case.ranked, elsewhere])
    named = named.assign(age=named["specimen"].map(case.age).fillna("one of them"))
    for choice in case.choices[case.choices["contested"].astype(bool)].itertuples():
        rows = named[named["name_key"] == choice.name_key]
        lead = rows["specimen"].isin(case.lead(choice.name_key)["specimen"])
        older = (rows.loc[lead, "age"] == "older").all() and rows["age"].eq("newer").any()
        text = [f"{_named(choice, article=False)}."]
        for host, group in rows.groupby("host", sort=False):
            ages = group.groupby("age", sort=False)["value"]
            speeds = [f"{age} {listed(map(speed_in_words, values))}" for age, values in ages]
            if len(group) > 1:
                text.append(f"On a {case.at(str(host))}: {', '.join(speeds)} MB/s.")
        heading = "Good only as the older card" if older else "Good, but not every one of the name"
        sections.setdefault(heading, []).append(" ".join(text))
    return sections


def _not_worth(case: Case) -> Iterator[str]:
    """Say what this slot cannot use."""
    queue, rated = case.slot["command_queue"], case.ranked["application_class"] == "A2"
    if pd.notna(queue) and not queue:
        with_a2 = f" With A2: {_speeds(case.ranked[rated])} in {briefly(case.op)}."
        yield (
            f"A2. A {case.at(case.host)} cannot use the command queue that A2 needs."
            f"{with_a2 if rated.any() else ''}"
        )
    if len(case.gains):
        gaining = case.gains.loc[case.gains["low"] > 1, "specimen"]
        names = case.own.drop_duplicates("specimen").set_index("specimen")["card"]
        named = f" They are {listed(gaining.map(names))}." if len(gaining) else ""
        yield (
            f"A2 alone. In {briefly(case.op)} the command queue clearly helped "
            f"{_count(len(gaining))} of {_count(len(case.gains))} cards.{named}"
        )
    reads = case.own[(case.own["op"] == "read") & ~case.own["predicted"]]
    if (reads["reason"] == Reason.SLOT_LIMITS).any():
        near = reads.loc[reads["value"] >= HIDDEN * reads["limit"], "value"]
        yield (
            f"Fast reading on the pack. {_capital(_share(len(near), len(reads)))} read large files "
            f"at {speed_in_words(near.min())} to {speed_in_words(near.max())} MB/s; "
            f"the slot ends at {case.slot['limit'] / 1e6:g}."
        )


def _sureness(case: Case) -> Iterator[str]:
    rows, people = case.ranked, int(case.pick["people"])
    if people > 1:
        yield f"{_capital(_count(people))} people's cards agree on the first choice."
    else:
        yield "The first choice rests on one person's card."
    named = pd.concat([case.lead(case.pick["name_key"]), case.standings])
    named = named[named["name_key"] == case.pick["name_key"]].drop_duplicates("specimen")
    numbered = named[named["part_number"].notna()]
    if 0 < len(numbered) < len(named):
        yield f"The part number is that of {numbered['people'].iloc[0]}'s card; others state none."
    once, reach = int((rows["runs"] == 1).sum()), (rows["value"] / rows["low"]).iloc[0]
    if once:
        runs = f"{_capital(_share(once, len(rows)))} ran once; another run may"
    else:
        runs = f"Each card ran {_count(rows['runs'].min())} times or more; as many runs again may"
    yield f"{runs} differ {reach:.3g} times."
    slower = _capital(_share(int(rows["slower"].sum()), len(rows)))
    yield f"{slower} are slower than the best by more than chance."
    products = case.spread.products
    yield (
        f"How far two cards of one name differ in {briefly(case.op)} is read from "
        f"{case.spread.specimens} cards of {_count(products)} name{'' if products == 1 else 's'}."
    )
    beyond = rows[rows["beyond"]]
    if len(beyond):
        names = listed(dict.fromkeys(beyond["people"]))
        yield f"Beyond the five articles: {_share(len(beyond), len(rows))}, measured by {names}."
    own = rows["test"].dropna()
    if len(own):
        yield f"Its figures compare with no other board's: the test is another ({own.iloc[0]})."
    if case.doubted:
        yield f"Doubted, and left out: {listed(case.doubted)}."


def _named(choice: Any, *, article: bool = True) -> str:
    """Return a product as a buyer asks for it: its part number, or else the year of its figures."""
    name = _article(choice.card) if article else choice.card
    if pd.notna(choice.part_number):
        return f"{name}, part number {choice.part_number}"
    return f"{name} of about {choice.year}" if pd.notna(choice.year) else name


def _elsewhere(case: Case) -> str:
    return "" if case.host == case.board else f" on a {case.at(case.board)}"


def _speeds(rows: pd.DataFrame) -> str:
    return f"{listed(map(speed_in_words, rows['value']))} MB/s"


def _ordinal(rank: float) -> str:
    return _ORDER[int(rank) - 1] if rank <= len(_ORDER) else f"{int(rank)}th"


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _share(number: int, cards: int) -> str:
    return f"all {cards} cards" if number == cards else f"{number} of {cards} cards"


def _cards(number: int) -> str:
    return f"{_count(number) if number else 'no'} card{'' if number == 1 else 's'}"


def _count(number: int) -> str:
    return _COUNT[number] if number < len(_COUNT) else str(number)
