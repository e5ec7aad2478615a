"""dbench, a container that measures volumes with fio, and those that others made of it.

`Random Read/Write IOPS: 75.7k/59.7k. BW: 523MiB/s / 500MiB/s` is of four runs of fio with a queue
of 64: IOPS with blocks of 4 KiB, rates with 128 KiB (one offspring, which prints this line alone,
takes 4 KiB). Latencies are of 4 KiB with a queue of 4; `Sequential` is the sum of four threads with
blocks of 1 MiB and a queue of 16 each; `Mixed` is three reads to a write. Size of the file and
`direct` are settings of its user, and without its title or all of its four lines everything may be.

Its `(usec)` stands in the label whatever the unit of fio's line was, 20.49 ms are printed as 20.49:
the IOPS beside them, of a longer queue, tell whether they may be us.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Line, Measurement
from sdanalysis.codebook.units import KIB, MIB
from sdanalysis.parsers.scripts.row import MARGIN, ends_log, note, place, row, unreadable

SCRIPT = "dbench"
_TITLE = re.compile(rf"{MARGIN}(?:[A-Za-z]{{1,20}}[bB]ench|FIO(?: bench)?) Summary\b")
# of an offspring whose user sets blocks and queues
_SETTABLE = re.compile(rf"{MARGIN}Summary =")
_IOPS = r"[0-9]{1,9}(?:\.[0-9]{1,3})?[kM]?"
_RATE = r"[0-9]{1,9}(?:\.[0-9]{1,3})?[KMG]?i?B/s"
_TIME = r"[0-9]{1,9}\.[0-9]{1,2}"
_BEGIN = rf"{MARGIN}(?:\w[\w ./()+-]{{0,40}}:\s{{1,4}})?"  # somebody's name of what was measured


def _line(label: str, cell: str, end: str = r"(?=[\s|`\"'\\]|$)") -> re.Pattern[str]:
    """Return the pattern of a line: its label, and a figure each for reads and writes."""
    return re.compile(
        rf"{_BEGIN}{label}:\s{{0,20}}(?P<read>{cell})?\s{{0,5}}/\s{{0,5}}(?P<write>{cell})?{end}"
    )


_ALL = _line(
    "Random Read/Write IOPS",
    _IOPS,
    rf"\.? BW:\s{{0,20}}(?P<read_rate>{_RATE})?\s{{0,5}}/\s{{0,5}}(?P<write_rate>{_RATE})?"
    r"(?=[\s|`\"'\\]|$)",
)
_SHORT = {"ms": "msec"}  # who wrote this converted what dbench prints
_UNIT = r"(?:\((?P<{0}_unit>[num]sec)\))?"
_LATENCY = re.compile(
    rf"{_BEGIN}Average Latency(?P<label> \((?:usec|ms)\))? Read/Write:\s{{0,20}}"
    rf"(?P<read>{_TIME})?{_UNIT.format('read')}\s{{0,5}}/\s{{0,5}}"
    rf"(?P<write>{_TIME})?{_UNIT.format('write')}(?=[\s|`\"'\\]|$)"
)
_KINDS = {
    "all": _ALL,
    "iops": _line("Random Read/Write IOPS", _IOPS),
    "rate": _line("Random Read/Write BW", _RATE),
    "latency": _LATENCY,
    "sequential": _line("Sequential Read/Write", _RATE),
    "mixed": _line("Mixed Random Read/Write IOPS", _IOPS),
}
_WORDS = re.compile(
    rf"{_BEGIN}(?:(?:Mixed )?Random Read/Write (?:IOPS|BW)|Sequential Read/Write(?: IOPS)?"
    r"|Average Latency(?: \(\w{1,5}\))? Read/Write):"
)
BEGINS = re.compile(
    r"= (?=[A-Za-z]{1,20} Summary =)|(?:Mixed )?Random Read/Write (?:IOPS|BW):"
    r"|Average Latency (?:\(\w{1,5}\) )?Read/Write:|Sequential Read/Write(?: IOPS)?:"
)
_ALONE = {"numjobs": 1, "iodepth": 64}
_SAID: dict[str, dict[str, Any]] = {
    "iops": {**_ALONE, "block_size": 4 * KIB},
    "rate": {**_ALONE, "block_size": 128 * KIB},
    "latency": {"numjobs": 1, "iodepth": 4, "block_size": 4 * KIB, "stat": "mean"},
    "sequential": {"numjobs": 4, "iodepth": 16, "block_size": MIB},
    "mixed": {**_ALONE, "block_size": 4 * KIB, "read_mix": 75.0},
}
_WHOLE = {"latency", "sequential", "mixed"}  # its lines beside the first
_OF_ITSELF = ("stat", "read_mix")  # what a line says without a title
_FAR = 12  # lines from the title to the first line of figures, and to the last from there
_EXPECTED = "`a/b`, figures of fio for reads and writes"
_SLACK = 4


class _Summary:
    """The lines of one summary, by kind."""

    def __init__(self, *, titled: bool = False, settable: bool = False) -> None:
        self.titled, self.settable = titled, settable
        self.found: dict[str, tuple[Line, re.Match[str]]] = {}

    def begins_with(self, line: Line) -> bool:
        """Tell whether the lines so far are of a summary that a line may go on."""
        first = next(iter(self.found.values()), None)
        return first is not None and line.number - first[0].number <= _FAR

    def is_known(self) -> bool:
        """Tell whether it is of dbench's commands: it has the title, or all that dbench prints."""
        return self.titled or (
            not self.settable
            and self.found.keys() >= _WHOLE
            and bool(self.found.keys() & {"all", "rate"})
        )

    def said(self, kind: str, way: str) -> dict[str, Any]:
        """Return what the script's command settles, as fields of a measurement."""
        op = way if kind == "sequential" else f"rand{way}"
        first = next(iter(self.found.values()))[0]
        base = {"tool": "fio", "op": op, "script": SCRIPT, "run": f"{place(first)}-{kind}-{way}"}
        if kind == "mixed":
            base["run"] = f"{place(first)}-mixed"
        if not self.is_known():
            told = [(name, value) for name, value in _SAID[kind].items() if name in _OF_ITSELF]
            return base | dict(told)
        return {**base, **_SAID[kind]}


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the figures of the summaries; of a part without a title only the operation is known."""
    title, other, summary = -2 * _FAR, -2 * _FAR, _Summary()
    for line in lines:
        text = line.text
        if "ummary" in text and _TITLE.match(text):
            title = line.number
        elif "ummary" in text and _SETTABLE.match(text):
            other = line.number
        elif "Read/Write" in text and _WORDS.match(text):
            kind, match = _kind(text)
            if ends_log(line, lines) and not text.endswith("/s"):
                match = None  # a figure that ends with the file may be cut
            if match is None:
                yield unreadable(line, SCRIPT, _EXPECTED)
                continue
            is_next = summary.begins_with(line) and kind not in summary.found
            if not is_next or (kind in ("all", "iops") and summary.found):
                yield from _rows(summary)
                is_titled, is_other = (line.number - at <= _FAR for at in (title, other))
                summary = _Summary(titled=is_titled, settable=is_other)
                title = other = -2 * _FAR
            summary.found[kind] = line, match
    yield from _rows(summary)


def _kind(text: str) -> tuple[str, re.Match[str] | None]:
    """Return what a line has, and its figures."""
    for kind, pattern in _KINDS.items():
        if match := pattern.match(text):
            return kind, match
    return "", None


def _rows(summary: _Summary) -> Iterator[Item]:
    for kind, (line, match) in summary.found.items():
        for way in ("read", "write"):
            if kind == "all":
                yield from _figure(summary, line, match, "iops", way, way)
                yield from _figure(summary, line, match, "rate", way, f"{way}_rate")
            else:
                yield from _figure(summary, line, match, kind, way, way)


def _figure(
    summary: _Summary, line: Line, match: re.Match[str], kind: str, way: str, name: str
) -> Iterator[Item]:
    """Yield one figure of a line: the group `name` of its match."""
    if match[name] is None:
        text = (
            f"found no figure for {way}s in a summary of {SCRIPT}: not printed, or its test failed"
        )
        yield note(line, text)
        return
    if kind == "rate" and summary.is_known() and "sequential" not in summary.found:
        yield note(line, f"found {match[name]} of blocks of 4 or 128 KiB: not given")
        return
    if kind == "mixed" and not summary.is_known() and not _is_three_to_one(match):
        yield note(line, f"found {match[name]} of a mix of reads and writes that is not known")
        return
    unit = ""
    if kind == "latency":
        said = (match["label"] or "").strip(" ()")
        unit = match[f"{way}_unit"] or _SHORT.get(said, said)
        is_own = match[f"{way}_unit"] or said in _SHORT
        if not is_own and not _may_be_microseconds(summary, way, float(match[name])):
            yield note(
                line,
                f"found {match[name]} (usec), which {SCRIPT} prints whatever fio's unit was, "
                "and no IOPS above it that agree with us: not given",
            )
            return
    number = match[name].rstrip("kKMGiBs/")
    word = unit or match[name].removeprefix(number) + "IOPS" * (kind in ("iops", "mixed"))
    maker = "fio" if kind == "latency" or "i" in word else SCRIPT
    found = row(line, match, name, (maker, word), summary.said(kind, way))
    fraction = number.partition(".")[2]
    is_even = kind != "latency" and fraction and not fraction.strip("0")
    if is_even and isinstance(found, Measurement) and found.value:
        # fio before 3.26 printed 24.97 as 24.0
        found = found._replace(value_high=found.value + found.value / float(number))
    yield found


def _may_be_microseconds(summary: _Summary, way: str, time: float) -> bool:
    """Tell whether a latency is us: at a queue of 4 it agrees with the IOPS at a queue of 64."""
    line = summary.found.get("all") or summary.found.get("iops")
    number = _count(line[1][way]) if line else 0
    seconds = time * 1e-6
    return bool(number) and 4 / number / _SLACK <= seconds <= 64 / number * _SLACK


def _is_three_to_one(match: re.Match[str]) -> bool:
    """Tell whether reads and writes are those of the mix that all known versions ask for."""
    read, write = _count(match["read"]), _count(match["write"])
    return 2.7 * write < read < 3.3 * write


def _count(shown: str | None) -> float:
    """Return printed IOPS, 0 where there are none."""
    if not shown:
        return 0
    return float(shown.rstrip("kM")) * {"k": 1e3, "M": 1e6}.get(shown[-1], 1)
