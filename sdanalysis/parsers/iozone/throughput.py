"""iozone's throughput mode (`-t`, `-l` and `-u`): a block of lines a test (iozone.c 3.471:4158).

`Children see throughput for <n> <name> = <dec 2> kB/sec`, then `Parent sees`, `Min`, `Max` and
`Avg throughput per process`, last `Min xfer` with the bytes of the slowest. `Parent sees` is
missing in distributed mode; -C adds `Child[i]` lines, -+u one of CPU times. A block that ends with
the log, or where a signal ended the run, is `partial`; some lines of one are refused.
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
_OPS = {  # where the lines of this mode and the reports of -R have another name
    **{"initial write": "write", "backward read": "bkwd_read", "reverse read": "bkwd_read"},
    **{"stride read": "stride_read", "random read": "randread", "random write": "randwrite"},
    **{"record rewrite": "record_rewrite", "mixed workload": "mixed", "pwrite write": "pwrite"},
    **{"pread read": "pread", "refwrite": "frewrite", "refread": "freread"},
}
_SAME = re.compile(r"(?:re|f|fre)?(?:write|read)|(?:re)?p(?:write|read)v?")
_WHO = re.compile(r"(?<=write)rs?$|(?<=read)ers?$")  # `re-readers` are who does `re-read`
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


def op_named(words: str) -> str | None:
    """Return the operation that words mean: `re-readers`, `Re-reader`, `Initial write`."""
    name = _WHO.sub("", words.strip().lower().replace("-", ""))
    return _OPS.get(name, name if _SAME.fullmatch(name) else None)


def test_of(text: str, run: Run) -> tuple[object, ...]:
    """Return what tells the block that a line begins from the other blocks of its run."""
    match = _LINE.match(text)
    return (match["name"], match["count"], run.record, run.file_size) if match else ()


def read_block(capture: Capture, index: int, run: Run) -> Generator[Item, None, int]:
    """Yield the figures of the block at a line; return the index of the line after it."""
    first = _LINE.match(capture.lines[index])
    op = op_named(first["name"]) if first and first["name"] else None
    if first is None or op is None:
        text = (
            f"found {capture.lines[index].strip()[:100]!r}, expected a test's name and its kB/sec"
        )
        yield run.refuse(index + 1, text)
        return index + 1
    run.blocks.add(test_of(capture.lines[index], run))
    block = _block_at(capture.lines, index)
    kinds = {match["who"] or match["stat"] or match["xfer"] for _, match in block}
    broken = [number for number, match in block if match["broken"]]
    is_whole, end = kinds >= _WHOLE and not broken, block[-1][0]
    is_cut = broken[-1:] == [end]  # the log of a run that ended, with other text below it
    status = "measured" if is_whole else "partial" if is_cut else _status(capture, end)
    if status:
        mixed = op == "mixed"
        shared = [*run.shared(run.record, run.file_size, int(first["count"]), mixed=mixed)]
        shared[-2] = status
        for number, match in block:
            if match["value"]:
                yield from _figure(number, match, first, op, shared, run)
    spare = [number for number, match in block if match["spare"]]
    if not is_whole:
        text = "found some lines of a block, expected all: Children, Min, Max, Avg and Min xfer"
        yield run.refuse(broken[0] if broken else end, text)
    elif spare:
        text = f"{counted(len(spare), 'line')} of single processes or CPU times not read"
        yield Problem(spare[0], text, "note")
    return end


def _block_at(lines: Sequence[str], index: int) -> list[tuple[int, re.Match[str]]]:
    """Return the lines of a block, with their numbers: foreign ones between them are left out."""
    block, others = [], 0
    for number, text in enumerate(lines[index:], index + 1):
        is_next = number > index + 1 and text.lstrip().startswith("Children see")
        if is_next or text.lstrip().startswith("Iozone:") or others > _BETWEEN:
            break
        if match := _LINE.match(text):
            block.append((number, match))
        others += bool(text.strip()) and not match
    return block


def _status(capture: Capture, end: int) -> str:
    """Return the status of a block that has not all its lines; empty where somebody took some."""
    below = [text for text in capture.lines[end : end + 9] if text.strip()]
    is_end = not below or below[0].lstrip().startswith("Iozone:")
    return why_ended(below[:3]) or ("partial" if is_end else "")


def _figure(
    number: int, match: re.Match[str], first: re.Match[str], op: str, shared: list[Any], run: Run
) -> Iterator[Item]:
    least = match["stat"] == "Min"
    try:
        if match["who"] and op_named(match["name"]) != op:
            text = f"found the test {match['name']!r} in the block of {op}, expected one test"
            raise SdAnalysisError(text)
        reading = figure("iozone", match["value"], match["unit"], truncated=False)
        if not reading.value and not least:
            raise SdAnalysisError(f"found {reading.raw} {match['unit']}, expected more than zero")
    except SdAnalysisError as error:
        yield run.refuse(number, str(error))
        return
    run.results += 1
    stat = _STATS[match["who"] or match["stat"]]
    same = (*reading[-1:], *shared)
    place = (number, match.start("value") + 1, op, reading.unit.metric, stat, *reading[:2])
    # iozone takes a throughput of zero for one that it has not seen yet, and prints the next
    mean = float(first["value"]) / max(int(first["count"]), 1)
    if least and (not reading.value or float(match["value"]) > mean + 0.01):
        shared = [*shared[:-2], "not_measured", shared[-1]]
        yield Measurement(*place, None, None, None, reading.unit, *shared)
        yield Problem(number, _NOTHING, "note")
    else:
        bounds = (reading.value, max(reading.value_low, 0.0), reading.value_high)
        yield Measurement(*place, *bounds, *same)
