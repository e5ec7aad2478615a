"""iozone's throughput mode (`-t`, `-l` and `-u`): a block of lines a test (iozone.c 3.471:4158).

`Children see throughput for <n> <name> = <dec 2> kB/sec`, then `Parent sees`, `Min`, `Max` and
`Avg throughput per process`, last `Min xfer` with the bytes of the slowest. `Parent sees` is
missing in distributed mode; -C adds `Child[i]` lines, -+u one of CPU times. A block that lacks a
line ended early: its figures are `partial`, or what the lines below it say.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.codebook.units import counted, figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.iozone.run import Run, why_ended

_STATS = {"Children": "single", "Parent": "parent", "Min": "min", "Max": "max", "Avg": "mean"}
_WHOLE = {"Children", "Min", "Max", "Avg", "xfer"}
_OPS = {
    **{"initial writers": "write", "rewriters": "rewrite", "readers": "read"},
    **{"re-readers": "reread", "reverse readers": "bkwd_read", "stride readers": "stride_read"},
    **{"random readers": "randread", "random writers": "randwrite", "mixed workload": "mixed"},
    **{"pwrite writers": "pwrite", "pread readers": "pread", "fwriters": "fwrite"},
    **{"freaders": "fread"},
}
_LINE = re.compile(
    r"\s*+(?:(?:(?P<who>Children|Parent) sees? throughput for +(?P<count>[0-9]{1,6}) +"
    r"(?P<name>[a-z][a-z -]{0,40}[a-z])"
    r"|(?P<stat>Min|Max|Avg) throughput per (?:process(?:es)?|threads?))\s*="
    r"\s*(?P<value>[0-9]{1,18}\.[0-9]{2}) +(?P<unit>[kK]B/sec|ops/sec)(?!\S)"
    r"|Min (?P<xfer>xfer)\s*=\s*[0-9.]{1,20} +(?:[kK]B|ops)(?!\S)"
    r"|(?P<spare>Child\[ *[0-9]+\] xfer|CPU [uU]tilization: Wall)"
    r"|(?P<broken>(?:(?:Parent|Children) sees?|Min|Max|Avg) throughput|Min xfer))"
)
_BETWEEN = 4  # foreign lines in a block
_NOTHING = (
    "a process did nothing before the first one ended: `Children see` is too high, "
    "`Parent sees` too low"
)


def test_of(text: str, run: Run) -> tuple[object, ...]:
    """Return what tells the block that a line begins from the other blocks of its run."""
    match = _LINE.match(text)
    return (match["name"], match["count"], run.record, run.file_size) if match else ()


def read_block(capture: Capture, index: int, run: Run) -> Generator[Item, None, int]:
    """Yield the figures of the block at a line; return the index of the line after it."""
    lines = capture.lines
    first = _LINE.match(lines[index])
    if first is None or first["name"] not in _OPS:
        text = f"found {lines[index].strip()[:100]!r}, expected a test's name and its kB/sec"
        yield run.refuse(index + 1, text)
        return index + 1
    run.blocks.add(test_of(lines[index], run))
    block = _block_at(lines, index)
    kinds = {match["who"] or match["stat"] or match["xfer"] for _, match in block}
    broken = [number for number, match in block if match["broken"]]
    is_whole, end = kinds >= _WHOLE and not broken, block[-1][0]
    shared = [*run.shared(int(first["count"]), mixed=first["name"] == "mixed workload")]
    shared[-2] = "measured" if is_whole else why_ended(lines[end : end + 6]) or "partial"
    for number, match in block:
        if match["value"]:
            yield from _figure(number, match, first, shared, run)
    spare = [number for number, match in block if match["spare"]]
    if not is_whole:
        text = "found some lines of a block, expected all: Children, Min, Max, Avg and Min xfer"
        yield run.refuse(broken[0] if broken else end, text)
    elif spare:
        text = f"{counted(len(spare), 'line')} of single processes or CPU times not read"
        yield Problem(spare[0], text, "note")
    return end


def _block_at(lines: Sequence[str], index: int) -> list[tuple[int, re.Match[str]]]:
    block, others = [], 0
    for number in range(index + 1, len(lines) + 1):
        text = lines[number - 1]
        is_next = number > index + 1 and text.lstrip().startswith("Children see")
        if is_next or text.lstrip().startswith("Iozone:") or others > _BETWEEN:
            break
        if match := _LINE.match(text):
            block.append((number, match))
        others += bool(text.strip()) and not match
    return block


def _figure(
    number: int, match: re.Match[str], first: re.Match[str], shared: Sequence[Any], run: Run
) -> Iterator[Item]:
    stat = _STATS[match["who"] or match["stat"]]
    try:
        if match["who"] and match["name"] != first["name"]:
            text = f"found {match['name']!r} in the block of {first['name']!r}, expected one test"
            raise SdAnalysisError(text)
        found = figure("iozone", match["value"], match["unit"], truncated=False)
        if not found.value and stat != "min":
            raise SdAnalysisError(f"found {found.raw} {found.raw_unit}, expected more than zero")
    except SdAnalysisError as error:
        yield run.refuse(number, str(error))
        return
    run.results += 1
    place = (number, match.start("value") + 1, _OPS[first["name"]], found.unit.metric, stat)
    # iozone takes a throughput of zero for one that it has not seen yet, and prints the next
    mean = float(first["value"]) / max(int(first["count"]), 1)
    cells: tuple[Any, ...] = (*place, *found, *shared)
    row = Measurement(*cells)
    if stat == "min" and (not found.value or float(match["value"]) > mean + 0.01):
        row = row._replace(value=None, value_low=None, value_high=None, status="not_measured")
        yield Problem(number, _NOTHING, "note")
    yield row
