"""Say where one card stands, in about eleven lines; the words themselves are in `answer.j2`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sdanalysis.codebook.units import counted
from sdanalysis.dataset import Data
from sdanalysis.my_card.card import Card, Line, assess
from sdanalysis.my_card.computer import hosts_in_words
from sdanalysis.my_card.figures import Reason
from sdanalysis.my_card.label import names_like, other_sizes
from sdanalysis.my_card.logs import Logs
from sdanalysis.my_card.places import ALL_HOSTS, OTHER_TOOL, SAME_TOOL, Place, rows_of
from sdanalysis.paths import DATA
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import briefly, listed, speed_in_words
from sdanalysis.stats.same_test import MAIN_TESTS

_BLOCK = 4096  # of the small tests; a large one takes more at once, but for the tools that choose
_WHOLE_FILES = ("dd", "hdparm", "ddrescue")
_GRADES = ("good", "middling", "poor")
_CLASSES = ("C10", "U1", "U3", "V30", "A1", "A2")  # the others are in the table


def answer(
    logs: Logs,
    *,
    host: str | None = None,
    reader: str | None = None,
    label: str | None = None,
    data: Data | Path = DATA,
) -> Card:
    """Return where the card stands whose logs were read; see `my_card.read`.

    What is not asked for is as the sessions of the logs say, if they are of `sdanalysis bench`.
    Of a folder of data the companions take part, where only they have figures of the host.
    """
    card = assess(logs, host, reader, label, data)
    best = {op: place_of(op, card) for op in MAIN_TESTS}
    made = Environment(loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined)
    made.filters |= {
        "briefly": briefly,
        "counted": counted,
        "grade": grade,
        "hosts": partial(hosts_in_words, hosts=card.hosts),
        "listed": listed,
        "ordinal": _ordinal,
        "speed": speed_in_words,
    }
    words: Any = made.get_template("answer.j2").make_module(facts(card, best))
    return replace(
        card,
        warnings=_sentences(words.warnings()),
        verdict=_sentences(words.verdict())[0],
        tests=tuple(_line(op, row, card, words) for op, row in best.items()),
        rest=_sentences(words.rest()),
        notes=_sentences(words.notes()),
    )


def _sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text; their per cent signs stay with their numbers."""
    found = (re.sub(r"[ \n]+", " ", part).strip() for part in text.split("¶"))
    return tuple(sentence.replace(" %", "\u00a0%") for sentence in found if sentence)


def facts(card: Card, best: dict[str, Place | None]) -> dict[str, Any]:
    """Return what the sentences need; `best` is the place that tells most of each test."""
    ranked = [row for row in best.values() if row and row.n >= MINIMUM]
    same_tool = [row for row in ranked if row.level == SAME_TOOL]
    unsure = [row for row in same_tool if row.rank_low < row.rank_high]
    sessions = card.logs.sessions
    steps = [flags for session in sessions for _, flags in session.flagged]
    flags = Counter(flag.partition(":")[0] for step in steps for flag in step)
    hint = None if ranked else _hint(card)
    return {
        **vars(card),
        "all_hosts": ALL_HOSTS,
        "same_tool": SAME_TOOL,
        "other_tool": OTHER_TOOL,
        "minimum": MINIMUM,
        "known_hosts": list(card.hosts["host"].unique()),
        "board": card.setting.host_name,
        # the log
        "fast": int((card.not_compared["reason"] == Reason.BUS_LIMITED).sum()),
        "all_fast": bool(card.figures["above_bus"].all()),
        "tests": len(card.figures),
        "places": len(card.places),
        "slot_alone": len(card.buses) > 0 and card.places.empty,
        "why_not": next(iter(card.not_compared["why"]), "no figure in it"),
        "doubts": len(card.doubts),
        "runs": 0 if card.figures.empty else int(card.figures["runs"].max()),
        "indirect": list(dict.fromkeys(s.indirect for s in sessions if s.indirect)),
        "session_notes": list(dict.fromkeys(note for s in sessions for note in s.notes)),
        "flagged_steps": len(steps),
        "flags": flags.most_common(),
        # its places
        "graded": next(iter(same_tool or ranked), None),
        "rough": sorted({row.level for row in ranked} - {SAME_TOOL}),
        "unsure": next(iter(unsure), None),
        "usual": [row for row in card.usual.itertuples() if hint is None or row.op != hint["op"]],
        "hint": hint,
        "near": next(card.closest.itertuples(), None),
        "is_near": len(card.nearest) > 0,
        "classes": _classes(card),
        **_label_facts(card),
    }


def _label_facts(card: Card) -> dict[str, Any]:
    """Return what the sentences need of the label: its product, and what differs."""
    name, tests = card.name, card.name.tests
    unlike = tests[tests["verdict"] == "unlike"]
    numbers = zip(name.candidates["name"], name.candidates["part_number"].fillna(""), strict=True)
    unknown = name.label if name.label and name.candidates.empty else None
    return {
        "differing": [conflict.what for conflict in card.check.conflicts],
        "candidates": list(name.candidates["name"]),
        "product": name.candidates["name"].iloc[0] if len(name.candidates) == 1 else name.product,
        "numbered": [f"{words} ({number})" if number else words for words, number in numbers],
        "reading": next(iter(name.candidates["reading"]), None),
        "sizes": other_sizes(unknown, card.media) if unknown else [],
        "names_like": names_like(unknown, card.media) if unknown else [],
        "name_tests": len(tests),
        "namesakes": 0 if tests.empty else int(tests["n"].max()),
        "unlike": max(unlike.itertuples(), key=lambda row: abs(math.log(row.ratio)), default=None),
    }


def _hint(card: Card) -> dict[str, Any] | None:
    """Return where the card's first figure lies beside those of known cards in another test."""
    for row in card.usual.itertuples():
        for figure in _of_main_test(row.op, card.figures.itertuples()):
            if not figure.above_bus:
                own = figure.value
                word = "above" if own > row.high else "below" if own < row.low else "within"
                return row._asdict() | {"own": own, "word": word}
    return None


def _classes(card: Card) -> dict[str, str]:
    """Return the common classes that are reached, missed, open, or hidden by the board."""
    rows = card.classes.summary[card.classes.summary["class"].isin(_CLASSES)]
    hidden = rows["reason"].fillna("").str.contains("the bus carries less|command queue")
    words = {"pass": "reached", "fail": "missed", "cannot tell": "open"}
    state = rows["verdict"].map(words).mask(hidden & (rows["verdict"] == "cannot tell"), "hidden")
    names = ("reached", "missed", "open", "hidden")
    return {name: ", ".join(rows.loc[state == name, "class"]) for name in names}


def place_of(op: str, card: Card) -> Place | None:
    """Return the place that tells most of one of the four tests: here, of the same tool, main."""
    main = MAIN_TESTS[op].tool

    def order(row: Place) -> tuple[object, ...]:
        few, far = row.n < MINIMUM, row.basis == ALL_HOSTS
        return few, far, row.level != SAME_TOOL, row.tool != main, -row.block_size

    return min(_of_main_test(op, rows_of(card.places)), key=order, default=None)


def _of_main_test(op: str, rows: Iterable[Any]) -> list[Any]:
    """Return the rows of an op whose blocks are those of a main test: 4 KiB, or larger ones."""
    if op.startswith("rand"):
        return [row for row in rows if row.op == op and row.block_size == _BLOCK]
    return [
        row
        for row in rows
        if row.op == op and (row.tool in _WHOLE_FILES or row.block_size > _BLOCK)
    ]


def _line(op: str, row: Place | None, card: Card, words: Any) -> Line:
    figures = _of_main_test(op, card.figures.itertuples())
    below = [figure for figure in figures if not figure.above_bus]
    found = {
        "ranked": row if row and row.n >= MINIMUM else None,
        "bus": next((bus for bus in card.buses.itertuples() if bus.op == op), None),
        "too fast": next(iter(figures), None) if not below else None,
        "few": row,
        "untried": next(iter(below), None),
    }
    kind, place = next(((kind, row) for kind, row in found.items() if row), ("absent", None))
    best = place.best if place and kind == "ranked" else math.nan
    (sentence,) = _sentences(words.line(kind, place))
    return Line(briefly(op), place.value if place else math.nan, best, sentence)


def grade(row: Place) -> str:
    """Return the thirds that the places of a row lie in: `good`, `middling to good`, ..."""
    ranks = (row.rank_low, row.rank, row.rank_high)
    low, middle, high = (min(2, 3 * (rank - 1) // (row.n + 1)) for rank in ranks)
    if low == high:
        return _GRADES[low]
    if high - low == 1:
        return f"{_GRADES[high]} to {_GRADES[low]}"
    return f"{_GRADES[middle]}, as far as one run says,"


def _ordinal(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
