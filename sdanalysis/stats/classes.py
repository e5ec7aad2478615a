"""What published figures say of a card's class: it reaches the minimum, misses it, or neither.

A1 (SD Physical 5.1) asks 1500 random reads and 500 random writes of 4 KiB a second on average and
10 MB/s in sequence. A2 (SD Physical 6.0) asks 4000 and 2000 with the card's command queue and
cache. The host switches them on: Raspberry Pi's kernel does on the Pi 5 (raspberrypi/linux pull
request 6046). No source ran the rule's test (area, state of the card), so a verdict needs an
argument.

- *Reached.* A host can only take time, and so can a slow bus, a file system and the other half of
  a mixed job: a figure above the minimum is a pass, not if it exceeds the bus (a cache answered).
- *Missed.* The quickest card of the same test bounds what the host takes of each command. A card
  that is too slow even after all of that is taken off misses the minimum. Not decided: A2's random
  minimums without the queue, or not knowing how full it was; any minimum in a mixed job, behind a
  slower bus, or by sequential requests below the rule's 512 KiB (SD Physical 4.10, table 4-60).
- *Near.* A figure whose error and rounding hold the minimum decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.stats.intervals import MINIMUM, geometric_mean
from sdanalysis.stats.names import briefly
from sdanalysis.stats.noise import noise_band, widths
from sdanalysis.stats.reasons import Code, Reason, figure_reasons, first_reason
from sdanalysis.stats.same_test import average_repeats, columns

PARTS = ("write", "randread", "randwrite")  # the ops that classes promise something of
CARDS = ("microSD", "SD")
VERDICTS = ("pass", "fail", "cannot tell")
_BLOCK = 4096  # B, of the random tests
_AREA = 256 * 2**20  # B, of the rule's random tests
_REQUEST = 512 * 2**10  # B, of its sequential ones
_ASKS = ("iozone", "fio")  # tools whose block size is that of the requests
_QUEUED = ("A2",)  # classes whose random minimums count on the command queue
# Without metric and stat: bandwidths and IOPS are brought to the unit of the class.
_SIDE = columns("laboratory", "card", "place", "op", "test", "size")
_TEST = columns("laboratory", "place", "op", "test")
_CARD = columns("laboratory", "card", "place")
_RESULTS = [
    *("family", "class", "rated", "value", "low", "high", "minimum", "margin", "runs"),
    *("verdict", "reason", "caveats", "ids"),
]


class Found(Code):
    """How a figure stands to a minimum."""

    REACHED = "reached", "reached"
    CACHE = "cache", "above the bus limit: a cache answered"
    NEAR = "near", "the band of run noise and rounding holds the minimum"
    MIXED = "mixed", "missed in a mixed job: reads and writes share the time"
    SLOW_BUS = "slow_bus", "missed, and the bus carries less than the minimum"
    SMALL = "small", "missed in requests smaller than the rule's"
    NO_QUEUE = "no_queue", "missed on a host without the command queue that the rule counts on"
    QUEUE_UNKNOWN = (
        "queue_unknown",
        "missed, and whether the host has the command queue that the rule counts on is not known",
    )
    QUEUE_FILL = "queue_fill", "missed, and the table does not tell how full the command queue was"
    HOST = "host", "missed by less than the host may cost"
    HOST_RANDOM = "host_random", "missed at queue depth 1 by less than the host may cost"
    MISSED = "missed", "missed by more than the host can cost"


_DECIDED = {Found.REACHED: "pass", Found.MISSED: "fail"}
_QUEUES = {False: Found.NO_QUEUE, True: Found.QUEUE_FILL}  # of the host, where it is known


def class_reasons(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.Series:
    """Return, for each row, the code of why no minimum is held against it; missing where one is."""
    rows, random = measurements, measurements["op"].isin(["randread", "randwrite"])
    cards = media.loc[media["form"].isin(CARDS), "specimen"]
    in_iops = set(rows.loc[random & (rows["metric"] == "iops"), "run"].dropna())
    also = random & (rows["metric"] == "bandwidth") & rows["run"].isin(in_iops)
    rules = [
        (~rows["specimen"].isin(cards), Reason.NOT_A_CARD),
        (rows["tool"] == "unstated", Reason.TOOL_UNSTATED),
        (~rows["op"].isin(PARTS), Reason.OP_WITHOUT_MINIMUM),
        (random & (rows["block_size"] != _BLOCK).fillna(True), Reason.NOT_4K),
        (also, Reason.IN_IOPS),
        ((rows["op"] == "write") & (rows["metric"] != "bandwidth"), Reason.OTHER_METRIC),
    ]
    return first_reason(rows.index, rules, after=figure_reasons(rows, metric=None, mixed=True))


def class_figures(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    errors: pd.DataFrame | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the figures that classes can be held against, repeats averaged, in their units.

    The conditions of a figure, `value` (B/s for `write`, 1/s for the random ops), `low`, `high`,
    `runs`, `ids`. Rounding and the error of `runs` runs give `low` and `high`. The error is the
    model's where `errors`, as of `figure_errors`, has the test, else that of repeats.
    """
    figures = measurements[class_reasons(measurements, media).isna()]
    in_blocks = (figures["op"] != "write") & (figures["metric"] == "bandwidth")
    scale = figures["block_size"].where(in_blocks, 1).astype(float)
    scaled = {name: figures[name] / scale for name in ("value", "value_low", "value_high")}
    sides = average_repeats(figures.assign(**scaled), _SIDE)
    bands = noise_band(sides, noise, errors=errors, confidence=confidence)
    runs = [(count, math.inf) for count in sides["runs"]]  # the minimum has no noise
    width = widths(bands, runs, confidence)
    sides = sides.assign(low=sides["low"] / width, high=sides["high"] * width)
    return sides.sort_values(_SIDE, ignore_index=True)


def class_verdicts(
    measurements: pd.DataFrame,
    classes: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    errors: pd.DataFrame | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Hold every figure that a class says something of against the class's minimum.

    One row a figure (of `class_figures`) and class: its conditions, `family`, `class`, `value`,
    `low`, `high`, `minimum`, `margin` (value over minimum), `runs`, `verdict` (of `VERDICTS`),
    `reason`, `ids`. `rated` tells whether the card carries the class or a higher one of its letter
    (yes, no, unknown). `caveats` tell where the test may be easier than the rule.
    """
    figures = class_figures(measurements, media, noise, errors=errors, confidence=confidence)
    figures["quickest"] = figures.groupby(_TEST, dropna=False)["low"].transform("max")
    slots = hosts[[*columns("place"), "limit", "command_queue"]]
    carried = media[["specimen", "speed_class", "application_class"]]
    figures = figures.merge(slots, validate="many_to_one").merge(carried, validate="many_to_one")
    minimums = classes.melt(["family", "class"], list(PARTS), "op", "minimum").dropna()
    # Many to many: each figure is held against every class that says something of its op.
    rows = figures.merge(minimums, on="op", validate="many_to_many")
    named = list(rows.rename(columns={"class": "rating"}).itertuples())
    found = [_found(row) for row in named]
    rows = rows.assign(
        rated=[_rated(row) for row in named],
        margin=rows["value"] / rows["minimum"],
        verdict=[_DECIDED.get(code, "cannot tell") for code in found],
        reason=[code.words for code in found],
        caveats=[_caveats(row) for row in named],
    ).astype(dict.fromkeys(["verdict", "reason", "caveats"], "str"))
    rows = rows.sort_values(["class", "op", *_CARD, "tool"], ignore_index=True)
    return rows[[*_SIDE, *_RESULTS]]


def _found(row: Any) -> Found:
    """Return how the figure stands to the minimum; the module's docstring has the argument."""
    most = row.limit if row.op == "write" else row.limit / _BLOCK
    own_time = 1 / row.high - 1 / row.quickest  # a command, or a byte: at least the card's own
    small = row.tool in _ASKS and row.op == "write" and row.block_size < _REQUEST
    queued = row.rating in _QUEUED and row.op != "write"
    # dd's small blocks are gathered by the page cache before they go out
    rules = {
        Found.CACHE: row.value > most,
        Found.REACHED: row.low >= row.minimum,
        Found.NEAR: row.high >= row.minimum,
        Found.MIXED: pd.notna(row.read_mix),
        Found.SLOW_BUS: most < row.minimum,
        Found.SMALL: small,
        _QUEUES.get(row.command_queue, Found.QUEUE_UNKNOWN): queued,
        Found.MISSED: own_time > 1 / row.minimum,
        Found.HOST: row.op == "write",
    }
    return next((code for code, applies in rules.items() if applies), Found.HOST_RANDOM)


def _caveats(row: Any) -> str | None:
    """Say where the test may be easier than the rule, or is one run only."""
    found = ["single run"] if row.runs == 1 else []
    if row.op != "write" and pd.isna(row.file_size):
        found.append("the size of the area is not stated, the rule's is 256 MB")
    elif row.op != "write" and row.file_size < _AREA:
        found.append(f"area of {row.file_size / 2**20:.0f} MB, the rule's is 256 MB")
    elif row.tool == "dd" and pd.isna(row.block_size):
        found.append("whether dd waited for the card is not stated")
    return "; ".join(found) or None


def _rated(row: Any) -> str:
    """Return whether the card carries the class, or a higher one of the same letter."""
    letter, number = row.rating[0], int(row.rating[1:])
    words = f"{row.speed_class} {row.application_class}".split()
    own = [int(word[1:]) for word in words if word[0] == letter and word[1:].isdigit()]
    if own:
        return "yes" if max(own) >= number else "no"
    return "no" if letter == "A" and row.application_class == "no" else "unknown"


def class_summary(verdicts: pd.DataFrame, classes: pd.DataFrame) -> pd.DataFrame:
    """Put the parts of a class together: one verdict a card, host, reader and class.

    A card passes a class where tests reach each of its minimums and fail none. It fails where a
    test fails one that no test reaches.

    `measured_by, specimen, medium, host, reader, class, rated`, a column for each of `PARTS` (its
    verdict; `no figure`; missing where the class has no such minimum), `verdict` and `reason` (of
    what is not passed, part by part).
    """
    keys = [*_CARD, "class", "rated"]
    minimums = classes.set_index("class")[list(PARTS)]
    rows = []
    for key, group in verdicts.groupby(keys, dropna=False, sort=True):
        row = dict(zip(keys, key, strict=True))
        reasons = []
        for part in minimums.loc[row["class"]].dropna().index:
            own = group[group["op"] == part]
            row[part] = _together(own["verdict"])
            if row[part] != "pass":
                why = " / ".join(sorted(set(own["reason"]))) or row[part]
                reasons.append(f"{part}: {why}")
        parts = {row[part] for part in PARTS if part in row}
        whole = "fail" if "fail" in parts else "pass" if parts == {"pass"} else "cannot tell"
        rows.append(row | {"verdict": whole, "reason": "; ".join(reasons)})
    return pd.DataFrame(rows, columns=[*keys, *PARTS, "verdict", "reason"])


def _together(verdicts: Iterable[str]) -> str:
    """Return the verdict of several tests of one minimum; tests that disagree tell nothing."""
    found = set(verdicts)
    decided = found - {"cannot tell"}
    if not found:
        return "no figure"
    return decided.pop() if len(decided) == 1 else "cannot tell"


def classes_in_words(
    names: Sequence[str], summary: pd.DataFrame, hosts: pd.DataFrame, place: str
) -> str:
    """Say how many cards of one computer reach what each class promises, those that carry it first.

    `summary` has the rows of `class_summary` of one host, which a reader calls `place`; `hosts`
    says of each `host` and `reader` whether it has a `command_queue`.
    """
    words = " ".join(_class_in_words(name, summary, hosts) for name in names)
    return f"On a {place}, {words[0].lower()}{words[1:]}"


def _class_in_words(name: str, summary: pd.DataFrame, hosts: pd.DataFrame) -> str:
    rows = summary[summary["class"] == name]
    found = rows.groupby("specimen").agg(verdict=("verdict", _together), rated=("rated", "first"))
    every = f"all that {name} promises"
    if not (found["verdict"] == "pass").any():
        places = hosts.merge(rows[["host", "reader"]].drop_duplicates(), on=["host", "reader"])
        lacks = name in _QUEUED and places["command_queue"].eq(False).all()
        why = f": this board lacks the command queue that {name} needs" if lacks else ""
        return f"None of {counted(len(found), 'card')} reaches {every}{why}."
    # a card with A2 keeps what A1 promises, too
    carry = f"{name} or {_QUEUED[0]}" if name == "A1" else name
    own = found["rated"] == "yes"
    if not own.any():
        return f"No card carries {carry}. Of these cards, {_counts(found, f'reach {every}')}."
    carriers = f"Of the cards with {carry}, {_counts(found[own], f'reach {every}')}."
    return carriers if own.all() else f"{carriers} Of the others, {_counts(found[~own], 'do')}."


def _counts(found: pd.DataFrame, verb: str) -> str:
    """Return how many of the cards do it, do not, and are unclear."""
    counts = found["verdict"].value_counts()
    reach, miss, unknown = (int(counts.get(word, 0)) for word in VERDICTS)
    words = [f"{reach} {verb}"] + ([f"{miss} {'does' if miss == 1 else 'do'} not"] if miss else [])
    return ", ".join(words + ([f"{unknown} cannot be told"] if unknown else []))


def class_cells(
    name: str,
    summary: pd.DataFrame,
    verdicts: pd.DataFrame,
    cards: pd.Series,
    places: pd.Series,
) -> pd.DataFrame:
    """Return a matrix of cards and the minimums of a class, those that carry it first.

    `cards` as of `card_names(..., rated=True)`, `places` as of `place_names`: a row says where
    where there are several.

    One row a card (in a reader) and minimum, and one for all of them: `specimen`, `reader`,
    `rated`, `row` (card, whether it is known not to carry the class, person), `column` (the
    minimum), `verdict`, `margin` (geometric mean over tests, of the minimum), `note` (the margin in
    words). The cards in the order of their random writes.
    """
    card = columns("laboratory", "specimen", "place")
    margins = verdicts[verdicts["class"] == name].groupby([*card, "op"])["margin"]
    margins = margins.agg(geometric_mean)
    long = summary[summary["class"] == name].melt([*card, "rated"], [*PARTS, "verdict"], "op")
    cells = long.rename(columns={"value": "verdict"}).join(margins, on=[*card, "op"])
    unit = cells["specimen"] + " " + cells["reader"]
    row = cells["specimen"].map(cards) + cells["rated"].map({"no": f", not {name}"}).fillna("")
    row += " (" + cells["measured_by"].map(people_name) + ")"
    where = pd.MultiIndex.from_frame(cells[["host", "reader"]])
    place = " in " + pd.Series(places.reindex(where).to_numpy(), index=cells.index)
    cells = cells.assign(
        row=row + (place if place.nunique() > 1 else ""),
        column=cells["op"].map(briefly).replace("verdict", "all"),
        note=[in_two_digits(value) if pd.notna(value) else "" for value in cells["margin"]],
        first=cells["rated"] == "yes",
        rank=unit.map(cells[cells["op"] == PARTS[-1]].groupby(unit)["margin"].max()),
        turn=cells["op"].map([*PARTS, "verdict"].index),
    )
    order = ["first", "rank", "specimen", "reader", "turn"]
    cells = cells.sort_values(order, ascending=[False, False, True, True, True], ignore_index=True)
    return cells[["specimen", "reader", "rated", "row", "column", "verdict", "margin", "note"]]


def rated_in_words(compared: pd.DataFrame, name: str) -> str:
    """Say whether the cards that carry a class are faster than others of the same person.

    `compared` as `compare_groups` returns it by `op` and `measured_by`, of one host.
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
