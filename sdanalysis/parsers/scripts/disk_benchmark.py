"""disk-benchmark.sh of pi-cluster, whose table stands in every sbc-reviews issue.

`| iozone 4K random read | 12.34 MB/s |` is the kB/s of iozone over 1024, with two decimals: `iozone
-e -I -a -r 4k -r 1024k -i 0 -i 1 -i 2`. Its awk takes fields 4 and 6 of iozone's row for
`sequential`, which are rewrite and reread. Tables with other decimals or in another order were
filled in by hand: their MB is 1000 or 1024 of iozone's kB, which the range of a value holds, and
which column of iozone is their `sequential` nobody says. Somebody may have put the results of
several runs beside one another: each column is a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdanalysis.codebook.measurement import Item, Line, Measurement
from sdanalysis.codebook.units import KIB, MIB
from sdanalysis.parsers.scripts.row import MARGIN, note, place, row

SCRIPT = "disk-benchmark.sh"
_TESTS = (
    ("4K random read", 4 * KIB, "randread"),
    ("4K random write", 4 * KIB, "randwrite"),
    ("1M random read", MIB, "randread"),
    ("1M random write", MIB, "randwrite"),
    ("1M sequential read", MIB, "reread"),
    ("1M sequential write", MIB, "rewrite"),
)
_CELL = r"\s{0,20}\|\s{0,20}[0-9]{1,12}(?:\.[0-9]{1,6})?\s{0,3}[A-Za-z]{1,6}/s(?:ec)?"
_ROW = re.compile(
    rf"{MARGIN}(?P<tool>iozone|fio) (?P<test>(?:4K|1M) (?:random|sequential) (?:read|write))"
    rf"(?P<cells>(?:{_CELL}){{1,8}}"
    r"(?P<end>\s{0,20}\|?\s{0,20}))$"
)
BEGINS = re.compile(r"\|\s{0,20}(?=(?:iozone|fio) (?:4K|1M) )|(?<=/s \|)(?=\s{0,20}[^\s|0-9])")
_FIGURE = re.compile(
    r"\|\s{0,20}(?P<figure>[0-9]{1,12}(?:\.[0-9]{1,6})?)(?P<gap>\s{0,3})(?P<unit>[A-Za-z/]{3,10})"
)
_PRINTED = re.compile(r"[0-9]{1,12}\.[0-9]{2}")
_SAID = {"tool": "iozone", "script": SCRIPT, "numjobs": 1, "direct": True}
_BY_HAND = "iozone, by hand"
_SAID_BY_HAND = {"tool": "iozone", "script": SCRIPT, "remarks": ("inferred-unit",)}
_HAND = (
    f"found a result that {SCRIPT} does not print so (six tests, from 4K random read on, with two "
    "decimals and MB/s): its unit and its test are not known"
)


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the rows of the tables that the script printed: six in its order, none between them."""
    number, first, before, blank = 0, "", -2, -2
    for index, line in enumerate(lines):
        if not line.text.strip():  # a forum puts one between all lines
            blank = index
        if "|" not in line.text or not (match := _ROW.match(line.text)):
            continue
        is_next = index == before + 1
        begins = match["test"] == _TESTS[0][0] and not is_next
        is_next = is_next or blank == before + 1 == index - 1
        if begins or not is_next:
            number, first = 0 if begins else len(_TESTS), place(line)
        before = index
        if number >= len(_TESTS) or not _is_printed(match, number):
            number = len(_TESTS)
            yield from _row_by_hand(line, match, first)
            continue
        yield from _row(line, match, number, first)
        number += 1


def _is_printed(match: re.Match[str], number: int) -> bool:
    """Tell whether a row is the script's own at this place of its table."""
    named = match["tool"] == "iozone" and match["test"] == _TESTS[number][0]
    printed = all(
        _PRINTED.fullmatch(cell["figure"]) and cell["gap"] + cell["unit"] == " MB/s"
        for cell in _FIGURE.finditer(match["cells"])
    )
    return bool(named and printed and "|" in match["end"])


def _row_by_hand(line: Line, match: re.Match[str], first: str) -> Iterator[Item]:
    """Yield the figures of a test of which only one column of iozone can be meant."""
    tests = {name: (block, op) for name, block, op in _TESTS[:4]}
    units = {cell["unit"] for cell in _cells(line, match)}
    is_known = match["tool"] == "iozone" and match["test"] in tests and units == {"MB/s"}
    is_cut = "|" in line.text[: match.start("tool")] and "|" not in match["end"]
    if not is_known or is_cut:
        yield note(line, _HAND)
        return
    block, op = tests[match["test"]]
    for cell, run in _runs(line, match, first):
        said = {**_SAID_BY_HAND, "op": op, "block_size": block, "run": run}
        yield row(line, cell, "figure", (_BY_HAND, "MB/s"), said)


def _cells(line: Line, match: re.Match[str]) -> list[re.Match[str]]:
    return list(_FIGURE.finditer(line.text, match.start("cells"), match.end("cells")))


def _runs(line: Line, match: re.Match[str], first: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the figures of a row, each with the name of its run."""
    for number, cell in enumerate(_cells(line, match), 1):
        yield cell, f"{first}-iozone" if number == 1 else f"{first}-iozone-{number}"


def _row(line: Line, match: re.Match[str], number: int, first: str) -> Iterator[Item]:
    _, block, op = _TESTS[number]
    for cell, run in _runs(line, match, first):
        said = {**_SAID, "op": op, "block_size": block, "run": run}
        found = row(line, cell, "figure", (SCRIPT, "MB/s"), said)
        if isinstance(found, Measurement) and found.value_high:
            # iozone had cut its kB/s already
            found = found._replace(value_high=found.value_high + KIB)
        yield found
    if op == "reread":
        yield note(
            line, f"{SCRIPT} takes iozone's reread and rewrite for `sequential`: so named here"
        )
