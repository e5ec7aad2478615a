"""A line of dd's report -> what it says: bytes, seconds and rate.

Grammars: GNU dd 5.3 to 9.x and its translations, uutils, BusyBox (no blank before its unit, which
is of 1024), toybox (`26 M/s`, of 1024), NuttX (`300000 usec, 3333 KB/s`, of 1024) and BSD (`bytes
transferred in`). Sources: dd.c (coreutils 9.1), libbb/dd.c, toys/posix/dd.c, dd_main.c, dd/misc.c.
dd's own output says neither direction nor block size nor direct I/O: see commands.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from math import inf
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.codebook.units import (
    Number,
    Unit,
    check_reach,
    interval,
    number_of,
    unit_of,
    whole_number,
)
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.dd.words import BSD, NUMBER, TAIL

Interval = tuple[float, float, float]  # value, low, high in B/s
Figures = tuple[int, str, str, str]

# Its beginning: an integer, perhaps grouped, and a word, then sizes; other words on either side.
# uutils of 2014 had the size first: `10485760 (10.48576 MB) bytes copied`.
_HEAD = re.compile(
    r"(?<![0-9])(?<![0-9]/)(?P<bytes>[0-9]{1,3}(?:[ .,'’][0-9]{3})+(?![0-9])|[0-9]{1,30})\s?"
    r"(?:(?P<word>[^\W\d_]+)\s?|(?=\([^()]{0,40}\) bytes ))"
    r"(?:[(（](?P<sizes>[^()（）]*)[)）])?[^0-9()（）]*$"
)
# A report whose rate was lost: `1048576000 bytes (1.0 GB) copied, 3.31993 s`
_WITHOUT_RATE = re.compile(
    r"(?<![0-9.,])(?P<bytes>[0-9]{1,30}) bytes? (?:\((?P<sizes>[^()]{0,80})\) )?copied, "
    rf"(?P<seconds>{NUMBER}) (?P<unit>s|seconds?)(?:, ?[0-9.,]{{0,8}} ?[kKMGT]?B?/?)?\s*$"
)
# A report whose bytes somebody left out for their rounded size: `4.1 GB copied, 177.541 seconds,`
_ROUNDED = re.compile(
    rf"(?<![\w.,+])(?P<size>{NUMBER})\s?(?P<prefix>[kKMGT])(?P<binary>i?)[Bo]"
    r"\s{1,3}(?:[(（][^()（）]*[)）]\s?)?[^\W\d_]{3,}[^0-9()（）]*$"
)
_PREFIXED = re.compile(r"[kKMGT]i?[Bo]")
_ANNOUNCED = re.compile(r"(?<![\w.])[0-9]+ bytes? (?:(?:\([^)]{0,80}\) )?copied|transferred in)\b")
_SIZE = re.compile(r"\s*([0-9]+(?:[.,][0-9]+)?)\s?([kKMGTPE]?)(i?)B")
_SECOND = frozenset({"s", "second", "seconds"})
_MICROSECOND = "usec"
_GROUPING = str.maketrans("", "", " .,'’")
_TENTH, _MILLISECOND = Decimal("0.1"), Decimal("0.001")
_NOTHING = "found 0 bytes, of a run that failed or had nothing to copy: no rate to read"
_NO_TIME = "found 0 s, expected a transfer that took time"
_TELLING = 5
_HEAD_LENGTH = 200  # a real one has 80; longer lines hold something else


class NothingCopiedError(SdAnalysisError):
    """A report of 0 bytes: a whole one, of a run that has no result."""


class Transfer(NamedTuple):
    """What one transfer line says; its run decides later what it counts for.

    `before` is what stands in the line before dd's words: a label, or progress. `most`: where the
    size was rounded, the most that it may have been, as `size` is the least; else 0.
    """

    line: Line
    before: str
    column: int
    size: int
    seconds: str
    time: Number
    rate: str
    raw_unit: str
    value: Interval
    step: str
    doubt: str = ""
    most: int = 0

    @property
    def figures(self) -> Figures:
        """What a line printed that somebody took from another one has like that one."""
        return self.size, self.seconds, self.rate, self.raw_unit

    @property
    def is_telling(self) -> bool:
        """Tell whether its seconds have so many digits that no two runs have all alike."""
        return sum(map(str.isdigit, self.seconds.lstrip("0.,"))) >= _TELLING


def is_announced(text: str) -> bool:
    """Tell whether an English line begins as a transfer line does."""
    return ("copied" in text or "transferred" in text) and bool(_ANNOUNCED.search(text))


def report_start(text: str) -> int:
    """Return where the one report of a line begins; -1 where it holds none, or several."""
    if match := BSD.search(text):
        return -1 if BSD.search(text, match.end()) else match.start()
    tail = TAIL.search(text)
    if tail is None or TAIL.search(text, tail.end()):
        return -1
    head = _HEAD.search(text, max(tail.start() - _HEAD_LENGTH, 0), tail.start())
    return head.start() if head else -1


def like_progress(transfer: Transfer) -> str:
    """Say why a line's seconds are such as progress shows; empty where they are a report's.

    Whole ones (coreutils 8.28), six decimals (8.24, which are more digits than a report's `%g`
    gives) or one decimal (uutils). All but 8.24 tell the size twice, `(1.1 GB, 1.0 GiB)`.
    """
    whole, _, fraction = transfer.seconds.replace(",", ".").partition(".")
    if "e" in transfer.seconds:
        return ""
    if transfer.raw_unit[1:2] == "/" or " usec, " in transfer.line.text:
        return ""  # toybox and NuttX have none
    is_older = transfer.size >= 1024 and "iB" not in transfer.line.text
    if len(fraction) == 1 and not is_older:
        return "whose seconds have one decimal, as progress of uutils has"
    busybox = "seconds" in transfer.line.text and len(fraction) == 6
    if transfer.time.value < 1 or busybox:
        return ""
    if len(whole + fraction) > 6 and fraction:
        return "whose seconds have more digits than a report's, as progress has"
    return "" if fraction or is_older else "whose seconds are whole, as those of progress"


def grows(transfer: Transfer, below: Sequence[Line]) -> bool:
    """Tell whether a line is progress, and the one below it later progress of more bytes."""
    if not below or not like_progress(transfer):
        return False
    try:
        later = read(below[0], whole=False)
    except SdAnalysisError:
        return False
    if later is None or not like_progress(later):
        return False
    return later.size > transfer.size and later.time.value >= transfer.time.value


def read(line: Line, *, whole: bool) -> Transfer | None:
    """Return what the line says; None when it is no transfer line.

    `whole`: its end is not the end of the log, which may be cut there; else a line without a rate
    is none. Raises SdAnalysisError: The line is one, and its figures can be no measurement.
    """
    text = line.text
    if "bytes/sec" in text and (match := BSD.search(text)):
        return _transfer(line, match, match, unit_of("dd", match["unit"]))
    if ("B/" in text or "copied, " in text) and (tail := TAIL.search(text)):
        start = max(tail.start() - _HEAD_LENGTH, 0)
        head = _HEAD.search(text, start, tail.start())
        if head and _PREFIXED.fullmatch(head["word"] or ""):
            head = _ROUNDED.search(text, start, tail.start())
            return head and _rounded(line, head, tail)
        return head and _in_any_language(line, head, tail)
    if whole and "copied" in text and (match := _WITHOUT_RATE.search(text)):
        return _timed(line, match)
    return None


def _in_any_language(line: Line, head: re.Match[str], tail: re.Match[str]) -> Transfer:
    is_toybox = not tail["unit"].endswith("B")
    owner = "toybox dd" if is_toybox else "dd" if tail["gap"] else "busybox dd"
    if tail["second"] == _MICROSECOND:
        owner = "nuttx dd"
    transfer = _transfer(line, head, tail, unit_of(owner, f"{tail['unit']}/s"))
    if transfer.doubt and tail["gap"] and tail["unit"] in ("MB", "GB"):
        # BusyBox's or toybox's, edited: with their unit it is the rate of the bytes and seconds
        other = _transfer(line, head, tail, unit_of("busybox dd", f"{tail['unit']}/s"))
        transfer = transfer if other.doubt else other
    if transfer.doubt and (tail["second"] not in _SECOND or tail["per"] != "s"):
        raise SdAnalysisError(transfer.doubt)
    return transfer


def _rounded(line: Line, head: re.Match[str], tail: re.Match[str]) -> Transfer:
    """Return what a report with a rounded size says: its rate, which size and seconds bear out."""
    seconds, took = _seconds(tail)
    size, unit = number_of(head["size"], decimal_comma=True), unit_of("dd", f"{tail['unit']}/s")
    printed = interval(number_of(tail["rate"], decimal_comma=True), unit)
    power = " KMGT".index(head["prefix"].upper())
    rate = f"{tail['rate']} {tail['unit']}/{tail['per']}"
    for base in (1024,) if head["binary"] else (1000, 1024):
        least, most = (int((size.value + side * size.step) * base**power) for side in (-1, 1))
        low, high = _copied(max(least, 1), seconds)[1], _copied(most, seconds)[2]
        if printed[0] and not _disagreement(rate, printed, (low, low, high)):
            break
    else:
        raise SdAnalysisError(f"found {head[0].strip()!r} in {took} and {rate}, expected one rate")
    check_reach("bandwidth", printed[0], f"the rate {rate}")
    return Transfer(
        line=line,
        before=line.text[: head.start()],
        column=tail.start("rate") + 1,
        size=max(least, 1),
        seconds=tail["seconds"],
        time=seconds,
        rate=tail["rate"],
        raw_unit=f"{tail['unit']}/{tail['per']}",
        value=printed,
        step=f"{rate} x {unit.factor:,.0f} B ({unit.why}): the size beside it is rounded",
        most=most,
    )


def _transfer(line: Line, head: re.Match[str], match: re.Match[str], unit: Unit) -> Transfer:
    size = whole_number(head["bytes"].translate(_GROUPING))
    seconds, took = _seconds(match)
    printed = interval(number_of(match["rate"], decimal_comma=True), unit)
    # uutils prints one decimal, so that 0.0 may be any time below 0.05 s; but it counts whole
    # milliseconds, at least one, and a rate of one is none (0.0.17, as run)
    no_time = seconds.value == 0 and (seconds.step != _TENTH or printed[2] >= size * 1000)
    if size == 0:
        raise NothingCopiedError(_NOTHING)
    if no_time:
        raise SdAnalysisError(_NO_TIME)
    if len(match["unit"]) == 1 and seconds.step >= _MILLISECOND:
        seconds = seconds._replace(step=2 * seconds.step)  # between two times that toybox cut
    copied = _copied(size, seconds)
    per = match.groupdict().get("per")
    raw_unit = f"{match['unit']}/{per}" if per else match["unit"]
    rate = f"{match['rate']} {raw_unit}"
    step = f"{size} B / {took}, more digits than the {rate} beside them ({unit.why})"
    value, used = copied, "the bytes and seconds are used"
    if printed[2] - printed[1] < copied[2] - copied[1]:
        value, used = printed, "the rate is used"
        step = f"{rate} x {unit.factor:,.0f} B ({unit.why}), more digits than {took}"
    if not value[0]:
        raise SdAnalysisError(f"found the rate {rate}, expected one above zero")
    check_reach("bandwidth", value[0], f"the rate {rate}")
    sizes = head.groupdict().get("sizes") or ""
    doubt = _disagreement(rate, printed, copied) or _size_disagreement(size, sizes)
    return Transfer(
        line=line,
        before=line.text[: head.start()],
        column=match.start("rate") + 1,
        size=size,
        seconds=match["seconds"],
        time=seconds,
        rate=match["rate"],
        raw_unit=raw_unit,
        value=value,
        step=step,
        doubt=doubt and f"{doubt}; {used}",
    )


def _seconds(match: re.Match[str]) -> tuple[Number, str]:
    """Return the time of a report in seconds, and as it is told."""
    time = number_of(match["seconds"], decimal_comma=True)
    if match.groupdict().get("second") == _MICROSECOND:
        return Number(time.value / 10**6, time.step / 10**6), f"{match['seconds']} {_MICROSECOND}"
    return time, f"{match['seconds']} s"


def _timed(line: Line, match: re.Match[str]) -> Transfer:
    """Return what a report whose rate was lost says: its bytes and seconds are the rate."""
    size, seconds = whole_number(match["bytes"]), number_of(match["seconds"], decimal_comma=True)
    if size == 0:
        raise NothingCopiedError(_NOTHING)
    if seconds.value == 0:
        raise SdAnalysisError(_NO_TIME)
    value = _copied(size, seconds)
    printed = f"{match['seconds']} {match['unit']}"
    check_reach("bandwidth", value[0], f"{size} bytes in {printed}")
    return Transfer(
        line=line,
        before=line.text[: match.start()],
        column=match.start("seconds") + 1,
        size=size,
        seconds=match["seconds"],
        time=seconds,
        rate=match["seconds"],
        raw_unit=match["unit"],
        value=value,
        step=f"{size} B / {match['seconds']} s: no rate is printed beside them",
        doubt=_size_disagreement(size, match["sizes"] or ""),
    )


def _copied(size: int, seconds: Number) -> Interval:
    """Return the rate that bytes and seconds leave open: (value, low, high) in B/s."""
    shortest = seconds.value - seconds.step / 2
    return (
        float(size / seconds.value) if seconds.value else inf,
        float(size / (seconds.value + seconds.step / 2)),
        float(size / shortest) if shortest > 0 else inf,
    )


def _disagreement(rate: str, printed: Interval, copied: Interval) -> str:
    """Say that a rate is not that of the bytes and seconds beside it; empty when it is."""
    if copied[2] >= printed[1] * 0.999 and copied[1] <= printed[2] * 1.001:
        return ""
    expected = f"{copied[0] / 1e6:.4g} MB/s from the bytes and seconds beside it"
    return f"found the rate {rate}, expected {expected}"


def _size_disagreement(size: int, sizes: str) -> str:
    """Say that the size in the parenthesis is not that of the bytes; empty when it may be.

    GNU's first size is of 1000, BusyBox's of 1024; the same words may be either.
    """
    match = _SIZE.match(sizes)
    if match is None:
        return ""
    number = number_of(match[1], decimal_comma=True)
    power = " KMGTPE".index(match[2].upper() or " ")
    bases = (1024,) if match[3] else (1000, 1024)
    if any(abs(size - number.value * base**power) <= number.step * base**power for base in bases):
        return ""
    return f"found {size} bytes beside ({sizes}), expected the same size twice"
