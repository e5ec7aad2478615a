"""What the verdicts on classes say about the cards of one computer, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.stats.classes import PARTS, QUEUED, together
from sdanalysis.stats.intervals import MINIMUM, geometric_mean
from sdanalysis.stats.names import briefly
from sdanalysis.stats.same_test import columns

_CARD = columns("laboratory", "specimen", "place")


def class_in_words(
    name: str, summary: pd.DataFrame, verdicts: pd.DataFrame, hosts: pd.DataFrame, cards: pd.Series
) -> str:
    r"""Say which cards of one host reach the minimums of a class, those that carry it first.

    Parameters
    ----------
    name : str
        The class: A1, A2, ...
    summary, verdicts : DataFrame
        Rows of `class_summary` and `class_verdicts` of one host.
    hosts : DataFrame
        `host`, `reader` and `command_queue`.
    cards : Series
        As `card_names(..., rated=True)` returns it.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> figures = data.measurements.query("measured_by == 'chilina'")
    >>> yardsticks = data.classes, data.media, data.hosts, data.noise
    >>> verdicts = stats.class_verdicts(figures, *yardsticks)
    >>> summary = stats.class_summary(verdicts, data.classes)
    >>> names = stats.card_names(data.media, rated=True)
    >>> says = stats.class_in_words("A2", summary, verdicts, data.hosts, names)
    >>> print(says.replace(". ", ".\n"))
    A2: none of 5 cards reaches all its minimums (0 of them carry A2).
    The fastest come to 2148 of 4000 small reads a second, 1108 of 2000 small writes a second.
    A card that misses them has not failed: the computer has no command queue, on which A2 counts.
    """
    rows = summary[summary["class"] == name]
    found, carry = _carried(name, summary)
    carries = found["rated"] == "yes"
    called = cards.reindex(found.index)
    own, others = (_verdicts(found[of], called) for of in (carries, ~carries))
    says = [
        f"{name}: of {counted(carries.sum(), 'card')} that carry {carry}, {own}.",
        f"Of {(~carries).sum()} others, {others}.",
    ]
    if not found["verdict"].isin(["pass", "fail"]).any():
        carried = f"{carries.sum()} of them carry {carry}"
        says = [f"{name}: none of {len(found)} cards reaches all its minimums ({carried})."]
    held = verdicts[verdicts["class"] == name]
    if not (found["verdict"] == "pass").any():
        says.append(f"The fastest come to {', '.join(_fastest(held))}.")
    places = hosts.merge(rows[["host", "reader"]].drop_duplicates(), on=["host", "reader"])
    if name in QUEUED and places["command_queue"].eq(False).all():
        queue = f"the computer has no command queue, on which {name} counts"
        says.append(f"A card that misses them has not failed: {queue}.")
    return " ".join(says)


def classes_in_short(names: Sequence[str], summary: pd.DataFrame, place: str) -> str:
    """Say in a sentence how many cards of a place reach what the classes promise.

    Parameters
    ----------
    names : sequence of str
        The classes: A1, A2, ...
    summary : DataFrame
        Rows of `class_summary` of one host.
    place : str
        What a reader calls it.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> figures = data.measurements.query("measured_by == 'chilina' and reader == 'slot'")
    >>> yardsticks = data.classes, data.media, data.hosts, data.noise
    >>> summary = stats.class_summary(stats.class_verdicts(figures, *yardsticks), data.classes)
    >>> stats.classes_in_short(["A2"], summary, "Raspberry Pi 3 Model B")
    'In a Raspberry Pi 3 Model B none of 5 cards reaches all that A2 promises.'
    """
    says = []
    for name in names:
        found, carry = _carried(name, summary)
        reach, own = found["verdict"] == "pass", found["rated"] == "yes"
        if not reach.any():
            says.append(f"none of {counted(len(found), 'card')} reaches all that {name} promises")
            continue
        rest = (found["verdict"] == "cannot tell").sum()
        says.append(
            f"{(reach & own).sum()} of {counted(own.sum(), 'card')} with {carry} and "
            f"{(reach & ~own).sum()} of {(~own).sum()} others reach all that {name} promises"
            + (f" (of {rest} it cannot be told)" if rest else "")
        )
    return f"In a {place} {'; '.join(says)}."


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
        As for `class_in_words`.
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


def _carried(name: str, summary: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the verdict of each card on a class, and which marks on a card promise it."""
    rows = summary[summary["class"] == name]
    found = rows.groupby("specimen").agg(verdict=("verdict", together), rated=("rated", "first"))
    # a card with A2 keeps what A1 promises, too
    return found, f"{name} or {QUEUED[0]}" if name == "A1" else name


def _verdicts(found: pd.DataFrame, cards: pd.Series) -> str:
    """Return how many cards reach, miss and neither, with the names of the first two."""
    says = []
    for verdict, one, many in (
        ("pass", "reaches all its minimums", "reach all its minimums"),
        ("fail", "clearly misses one", "clearly miss one"),
    ):
        names = sorted(cards[found.index[found["verdict"] == verdict]])
        if names or verdict == "pass":
            listed = f" ({', '.join(names)})" if names else ""
            says.append(f"{len(names)} {one if len(names) == 1 else many}{listed}")
    if rest := int(found["verdict"].isin(["cannot tell"]).sum()):
        says.append(f"of {rest} it cannot be told")
    return ", ".join(says)


def _fastest(held: pd.DataFrame) -> Iterator[str]:
    """Return the fastest figure of each random minimum that no card reaches."""
    for part in PARTS[1:]:
        rows = held[held["op"] == part]
        if len(rows) and not (rows["verdict"] == "pass").any():
            most, minimum = rows["value"].max(), rows["minimum"].max()
            yield f"{most:.0f} of {minimum:.0f} {briefly(part)} a second"
