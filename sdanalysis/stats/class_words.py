"""What the verdicts on classes say about the cards of one computer, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.stats.classes import PARTS, QUEUED, VERDICTS, together
from sdanalysis.stats.intervals import MINIMUM, geometric_mean
from sdanalysis.stats.names import briefly
from sdanalysis.stats.same_test import columns

_CARD = columns("laboratory", "specimen", "place")


def classes_in_words(
    names: Sequence[str], summary: pd.DataFrame, hosts: pd.DataFrame, place: str
) -> str:
    """Say how many cards of one computer reach what each class promises, those that carry it first.

    Parameters
    ----------
    names : sequence of str
        The classes: A1, A2, ...
    summary : DataFrame
        Rows of `class_summary` of one host.
    hosts : DataFrame
        `host`, `reader` and `command_queue`.
    place : str
        What a reader calls the computer.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> figures = data.measurements.query("measured_by == 'chilina' and tool == 'iozone'")
    >>> yardsticks = data.classes, data.media, data.hosts, data.noise
    >>> summary = stats.class_summary(stats.class_verdicts(figures, *yardsticks), data.classes)
    >>> stats.classes_in_words(["A1"], summary, data.hosts, "Raspberry Pi 3")
    'In a Raspberry Pi 3 none of 5 cards reaches all that A1 promises.'
    """
    words = " ".join(_class_in_words(name, summary, hosts) for name in names)
    return f"In a {place} {words[0].lower()}{words[1:]}"


def _class_in_words(name: str, summary: pd.DataFrame, hosts: pd.DataFrame) -> str:
    """Say how many cards reach all that one class promises: one sentence, or two."""
    rows = summary[summary["class"] == name]
    found = rows.groupby("specimen").agg(verdict=("verdict", together), rated=("rated", "first"))
    if not (found["verdict"] == "pass").any():
        places = hosts.merge(rows[["host", "reader"]].drop_duplicates(), on=["host", "reader"])
        lacks = name in QUEUED and places["command_queue"].eq(False).all()
        why = ", which asks for a command queue that this computer lacks" if lacks else ""
        return f"None of {counted(len(found), 'card')} reaches all that {name} promises{why}."
    # a card with A2 keeps what A1 promises, too
    carry = f"{name} or {QUEUED[0]}" if name == "A1" else name
    own = found["rated"] == "yes"
    without = _counts(found[~own], "cards without it", "it")
    if not own.any():
        return f"No card carries {carry}; {without}."
    carriers = _counts(found[own], f"cards with {carry}", f"all that {name} promises")
    return f"{carriers}." if own.all() else f"{carriers}. {without}."


def _counts(found: pd.DataFrame, cards: str, what: str) -> str:
    """Return how many of the cards reach it, miss it, and neither."""
    counts = found["verdict"].value_counts()
    reach, miss, unknown = (int(counts.get(word, 0)) for word in VERDICTS)
    words = [f"{reach} of {len(found)} {cards} {'reaches' if reach == 1 else 'reach'} {what}"]
    words += [f"{miss} {'misses' if miss == 1 else 'miss'} it"] if miss else []
    words += [f"of {unknown} it cannot be told"] if unknown else []
    return ", ".join(words)


def class_cells(
    name: str,
    summary: pd.DataFrame,
    verdicts: pd.DataFrame,
    cards: pd.Series,
    places: pd.Series,
) -> pd.DataFrame:
    """Return a matrix of cards and the minimums of a class, those that carry it first.

    Parameters
    ----------
    name, summary, verdicts, cards
        As of `class_summary`, of `class_verdicts`, and of `card_names(..., rated=True)`.
    places : Series
        As `place_names` returns it; a row says where where there are several.

    Returns
    -------
    DataFrame
        One row a card (in a reader) and minimum, and one for all of them: `specimen`, `reader`,
        `rated`, `row` (card, whether it is known not to carry the class, person), `column` (the
        minimum), `verdict`, `margin` (geometric mean over tests, of the minimum), `note` (the
        margin in words). The cards in the order of their random writes.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> figures = data.measurements.query("measured_by == 'arthur' and host == 'pi-4b'")
    >>> yardsticks = data.classes, data.media, data.hosts, data.noise
    >>> verdicts = stats.class_verdicts(figures, *yardsticks)
    >>> summary = stats.class_summary(verdicts, data.classes)
    >>> names = stats.card_names(data.media, rated=True), stats.place_names(data.hosts)
    >>> cells = stats.class_cells("A1", summary, verdicts, *names)
    >>> list(cells.loc[2, ["row", "column", "verdict", "note"]])
    ['SanDisk Extreme PRO 32 GB A1 (Arthur)', 'small writes', 'pass', '2.4']
    """
    held = verdicts[verdicts["class"] == name]
    keys = [*_CARD, "op"]
    margins = held.groupby(keys)["margin"].agg(geometric_mean)
    long = summary[summary["class"] == name].melt([*_CARD, "rated"], [*PARTS, "verdict"], "op")
    cells = long.rename(columns={"value": "verdict"}).join(margins, on=keys)
    last = cells["specimen"] + " " + cells["reader"]
    rank = last.map(cells[cells["op"] == PARTS[-1]].groupby(last)["margin"].max())
    carried = {"no": f", not {name}"}
    who = " (" + cells["measured_by"].map(people_name) + ")"
    row = cells["specimen"].map(cards) + cells["rated"].map(carried).fillna("") + who
    where = pd.MultiIndex.from_frame(cells[["host", "reader"]])
    place = " in " + pd.Series(places.reindex(where).to_numpy(), index=cells.index)
    cells = cells.assign(
        row=row + (place if place.nunique() > 1 else ""),
        column=cells["op"].map(briefly).replace("verdict", "all"),
        note=[in_two_digits(value) if pd.notna(value) else "" for value in cells["margin"]],
        first=cells["rated"] == "yes",
        rank=rank,
        turn=cells["op"].map([*PARTS, "verdict"].index),
    )
    order = ["first", "rank", "specimen", "reader", "turn"]
    cells = cells.sort_values(order, ascending=[False, False, True, True, True], ignore_index=True)
    return cells[["specimen", "reader", "rated", "row", "column", "verdict", "margin", "note"]]


def rated_in_words(compared: pd.DataFrame, name: str) -> str:
    """Say whether the cards that carry a class are faster than others of the same person.

    Parameters
    ----------
    compared : DataFrame
        As `compare_groups` returns it by `op` and `measured_by`, of one host.

    Examples
    --------
    >>> from sdanalysis import stats
    >>> figures = pd.DataFrame({"specimen": list("abcdef"), "op": "randwrite", "measured_by": "us"})
    >>> figures["rated"], figures["value"] = ["no"] * 3 + ["yes"] * 3, [1.0, 2, 4, 8, 16, 32]
    >>> by = ["op", "measured_by"]
    >>> compared = stats.compare_groups(figures, "rated", "no", "yes", by=by)
    >>> stats.rated_in_words(compared, "A1").partition(": ")[2]
    'small writes 8.0 times as fast (Us, 3 and 3 cards).'
    """
    enough = compared[compared["verdict"] != "points"]
    if enough.empty:
        return (
            f"Whether cards with {name} are faster cannot be told: nobody measured {MINIMUM} with "
            f"it and {MINIMUM} without it there (compare no cards of two people)."
        )
    says = [
        f"{briefly(row.op)} {in_two_digits(row.ratio)} times as fast"
        f"{'' if row.verdict in ('>1', '<1') else ', not certain'} "
        f"({people_name(row.measured_by)}, {row.cards_other} and {row.cards_base} cards)"
        for row in enough.itertuples()
    ]
    return f"Cards with {name} beside others of the same person: {'; '.join(says)}."
