"""The lines of a log -> what they are to dd: reports, record counts, messages.

    kind
    c     record counts: `5120+0 records out`
    r     a report, or a line that must be one and says why it is none
    f, m  a message: dd refused its command; an error, whose counts may follow
    p     progress
    ^     ^C
    o     any other lines, together

    tool                 report
    GNU 5.3 to 9.x       <n> bytes (<SI>[, <IEC>]) copied, <%g> s, <SI>/s       (dd.c 9.1:745-801)
    uutils               the same, seconds with one decimal (2014: `<n> (<SI>) bytes copied`)
    BusyBox              <n> bytes (<size>) copied, <6 decimals> seconds, <n>MB/s       (libbb/dd.c)
    toybox               <n> bytes (<size>) copied, <3 decimals> s, <n> M/s      (toys/posix/dd.c)
    BSD, macOS           <n> bytes transferred in <n> secs (<n> bytes/sec)             (dd/misc.c)

GNU translates its words and puts some before the bytes; `s` was translated, too, in some releases.
Its decimal mark is the locale's. Of bytes over seconds and the printed rate the value is what
leaves less open: GNU's seconds have six digits, its rate two or three; BSD's rate has all digits.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from math import inf
from typing import NamedTuple

from sdanalysis.codebook import units
from sdanalysis.codebook.measurement import Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture

_NUMBER = r"[0-9]{1,20}(?:[.,][0-9]{1,12})?(?:e[+-]?[0-9]{1,3})?"
_WORD = r"[^\W\d_]{1,9}"
_REPORT = re.compile(
    r"\s*(?:(?:[^\W\d_]{2,20} ){1,3}(?!.{0,120}copied))?"  # in Polish, Ukrainian, Vietnamese
    r"(?P<bytes>[0-9]{1,3}(?:[ .,'’\u202f][0-9]{3})+(?![0-9])|[0-9]{1,30})\s?"
    r"(?:(?![kKMGT]i?[Bo]\b)[^\W\d_]{1,20}\s?|(?=\())"
    r"(?:[(（](?P<sizes>[^()（）]{0,60})[)）])?[^0-9()（）]{0,40}?"
    rf"[,，、]\s{{0,3}}(?P<seconds>{_NUMBER})\s(?P<second>{_WORD})[,，、]\s{{0,3}}"
    rf"(?P<rate>{_NUMBER})(?P<gap>\s?)(?P<unit>[kKMGT]?B|[KMG])/(?P<per>{_WORD})\s*(?:\^C)?\s*$"
)
_BSD = re.compile(
    rf"\s*(?P<bytes>[0-9]{{1,30}}) bytes? transferred in (?P<seconds>{_NUMBER}) "
    r"(?:sec|second)s? \((?P<rate>[0-9]{1,20}(?:\.[0-9]{1,12})?) (?P<unit>bytes/sec)\)\s*$"
)
_BSD_PROGRESS = re.compile(r"\s*[0-9.,]{1,30} bytes \([^()]{0,60}\) transferred [0-9.,]{1,20}s, ")
_GLUED = re.compile(r".{1,2000}[kMGT]?B/s(?=\s{0,9}[0-9])")  # progress, and what is behind it
# What nothing but a report says, whole or not; what must be one below record counts (the shell's
# `real 0m1.2s` is none); and what is left of one where the log was cut
_BEGUN = re.compile(
    r"(?<![\w.])[0-9]{1,30} bytes? (?:\([^)]{0,80}\) )?(?:copied|transferred in)\b"
    r"|[0-9] ?[^\W\d_]{1,20} ?[(（][0-9.,]{1,9} [kMGTP]?B, [0-9.,]{1,9} [KMGTP]?iB[)）]"
)
_COUNTED = re.compile(r"\s*(?!real\b)(?:[^\W\d_]{2,20} ){0,3}[0-9]{1,30}(?![0-9]*[+.:/-])")
_CUT = re.compile(r"\s*[0-9]{1,30} b(?:y|$)")
# `5120+0 records out` in any language: Vietnamese and Chinese have a word before, too
_COUNTS = re.compile(
    r"\s*(?:\^C)?(?:[^\W\d_]{1,20}\s){0,2}[^\W\d_]{0,10}"
    r"([0-9]{1,18})\+([0-9]{1,18})(?![0-9.+]|:[0-9])"
)
_ASIDE = re.compile(r"\s*[0-9]+ (?:truncated|odd length)\b")  # between the counts and the report
_MESSAGE = re.compile(
    r"\s*(?:busybox |\S{0,40}/)?dd: (?P<is_warning>[Ww]arn|f(?:data)?sync\s.{1,40}/dev/null\b)?"
    # it names a file or a reason: `dd: write test` is somebody's heading
    r"(?P<why>(?=.*(?:[:'‘’`\"«„“：]|\b(?:fail|error|short|illegal|invalid|un|can)))"
    r"(?P<is_refusal>failed to open|can't open|cannot open|opening|invalid|unrecogni)?.{0,400})"
)
# What asks a dd for a report: a signal to it, to a process or a job; ^T of a BSD's terminal
_SIGNAL = re.compile(
    r"kill(?:all)?\b.{0,60}\b(?:SIG)?(?:USR1|INFO)\b.{0,60}?(?:\bdd\b|\$!|[%$]\w|\s[0-9])"
    r"|\bload: [0-9.]+ +cmd: dd "
)
# Every line of the above but counts has one of these, which are found in a tenth of the time
_SIGNS = ("+", "dd: ", "B/", "/s", "copied", "transferred", "iB)", "iB）", "^C")
_EXPECTED = "expected `<n> bytes (...) copied, <n> s, <n> MB/s`: save dd's own output"
_NOTHING = "found 0 bytes, of a run that failed or had nothing to copy: no rate to read"
PROGRESS = "found progress, which is no result"


class Report(NamedTuple):
    """What a report says: the rate's column, its figure, and the size that was copied."""

    column: int
    figure: units.Figure
    size: int
    seconds: float
    doubt: str
    steps: tuple[str, ...]
    is_progress: bool = False  # which has the words of a report


class Line(NamedTuple):
    """What a line is. `text` is what is wrong with it, or what a message says."""

    number: int
    kind: str
    text: str = ""
    counts: tuple[int, int] = (0, 0)
    report: Report | None = None
    is_error: bool = False
    is_interrupted: bool = False

    @property
    def problem(self) -> Problem:
        """Why there is no row of it."""
        return Problem(self.number, self.text, "error" if self.is_error else "note")


def signals_of(capture: Capture) -> list[int]:
    """Return the numbers of the lines that ask a dd for a report."""
    numbers = capture.numbers(("USR1", "INFO", "cmd: dd "))
    return [number for number in numbers if _SIGNAL.search(capture.lines[number - 1][:1000])]


def lines_of(capture: Capture, signals: Collection[int]) -> list[Line]:
    """Return what the lines of a log are, and `o` at its end."""
    lines, signs = capture.lines, capture.numbers(_SIGNS)
    asides = {number for number in signals if "f=" not in lines[number - 1]}  # no command of dd
    telling = set(signs) - asides
    found = [Line(0, "o")]
    for number in range(signs[0] if signs else max(len(lines), 1), len(lines) + 1):
        text, kind = lines[number - 1], found[-1].kind
        is_last = number == len(lines) and not capture.is_whole
        if number in telling or kind == "c" or is_last:
            is_begun = kind == "c" or (is_last and bool(_CUT.match(text)))
            if (line := _line(number, text, is_begun)) and not line.kind == kind == "o":
                found.append(line)
        elif kind != "o" and text and not text.isspace() and number not in asides:
            found.append(Line(number, "o"))
    return [*found[1:], Line(0, "o")]


def _line(number: int, text: str, is_begun: bool) -> Line | None:
    """Return what a line is; `is_begun`: below counts, where a report must stand, or cut."""
    if "+" in text and (match := _COUNTS.match(text)):
        counts = int(match[1]), int(match[2])
        return Line(number, "c", counts=counts, is_interrupted="^C" in text)
    if not text or text.isspace() or (is_begun and _ASIDE.match(text)):
        return None
    if "dd: " in text and (match := _MESSAGE.match(text)):
        kind = "f" if match["is_refusal"] else "m"
        return None if match["is_warning"] else Line(number, kind, match["why"])
    try:
        report, kind, why = _report_in(text), "r", ""
    except SdAnalysisError as error:
        return Line(number, "r", str(error), is_error=str(error) != _NOTHING)
    if report is None and "transferred" in text and _BSD_PROGRESS.match(text):
        kind, why = "p", PROGRESS
    elif report is None and (_BEGUN.search(text) or (is_begun and _COUNTED.match(text))):
        return Line(number, "r", f"found {text.strip()[:200]!r}, {_EXPECTED}", is_error=True)
    elif report is None:
        kind = "^" if text.rstrip().endswith("^C") else "o"
    return Line(number, kind, why, report=report, is_interrupted=kind != "o" and "^C" in text)


def _report_in(text: str) -> Report | None:
    """Return what a line says that is a report, or progress in a report's words; else None."""
    # Raises SdAnalysisError: The line is one, and its figures can be no measurement.
    if "bytes/sec" in text:
        match = _BSD.match(text)
        return match and _report(match, "dd", match["unit"])
    glued = _GLUED.match(text) if text.count("B/s") > 1 else None
    match = _REPORT.match(text, glued.end() if glued else 0)
    if match is None:
        return None
    owner = "toybox dd" if match["unit"][-1] != "B" else "dd" if match["gap"] else "busybox dd"
    report = _report(match, owner, f"{match['unit']}/{match['per']}")
    if report.doubt and (match["second"] not in ("s", "second", "seconds") or match["per"] != "s"):
        raise SdAnalysisError(report.doubt)
    return report._replace(is_progress=bool(glued) or _is_progress(match, owner))


def _report(match: re.Match[str], owner: str, raw_unit: str) -> Report:
    size = units.whole_number(re.sub(r"\D", "", match["bytes"]))
    if size == 0:
        raise SdAnalysisError(_NOTHING)
    seconds = units.number_of(match["seconds"].replace(",", "."))
    unit = units.unit_of(owner, raw_unit if raw_unit == "bytes/sec" else f"{match['unit']}/s")
    printed = units.interval(units.number_of(match["rate"].replace(",", ".")), unit)
    # uutils prints one decimal, so that 0.0 may be any time below 0.05 s; but it counts whole
    # milliseconds, at least one, and a rate of one is none (0.0.17, as run)
    if not seconds.digits and (seconds.exponent != -1 or printed[2] >= size * 1000):
        raise SdAnalysisError("found 0 s, expected a transfer that took time")
    is_cut = owner == "toybox dd" and seconds.exponent >= -3  # between two times that it cut
    copied = _copied(size, seconds, 2 if is_cut else 1)
    is_coarse = printed[2] - printed[1] < copied[2] - copied[1]
    value, used = (printed, "rate is") if is_coarse else (copied, "bytes and seconds are")
    rate, doubt = f"{match['rate']} {raw_unit}", ""
    if not value[0]:
        raise SdAnalysisError(f"found the rate {rate}, expected one above zero")
    units.check_reach("bandwidth", value[0], f"the rate {rate}")
    if copied[2] < printed[1] * 0.999 or copied[1] > printed[2] * 1.001:
        expected = f"{copied[0] / 1e6:.4g} MB/s from the bytes and seconds beside it"
        doubt = f"found the rate {rate}, expected {expected}; the {used} used"
    took = float(match["seconds"].replace(",", "."))
    step = f"{size} B / {took:g} s, more digits than the {rate} beside them ({unit.why})"
    figure = units.Figure(match["rate"], raw_unit, *value, unit)
    column, steps = match.start("rate") + 1, () if is_coarse else (step,)
    return Report(column, figure, size, took, doubt, steps)


def _copied(size: int, seconds: units.Number, half: int) -> tuple[float, float, float]:
    """Return the rate that bytes and seconds leave open: (value, low, high) in B/s."""
    # `half`: how many halves of their last digit the seconds may be off.
    digits, exponent = seconds
    top, bottom = size * 10 ** max(-exponent, 0), 10 ** max(exponent, 0)
    value = top / (digits * bottom) if digits else inf
    high = 2 * top / ((2 * digits - half) * bottom) if 2 * digits > half else inf
    return value, 2 * top / ((2 * digits + half) * bottom), high


def _is_progress(match: re.Match[str], owner: str) -> bool:
    """Tell whether a line's seconds are such as progress shows, and not a report."""
    # Whole ones (coreutils 8.28), six decimals (8.24, which are more digits than a report's `%g`
    # gives) or one decimal (uutils). All but 8.24 tell the size twice, `(1.1 GB, 1.0 GiB)`.
    whole, _, fraction = match["seconds"].replace(",", ".").partition(".")
    if "e" in match["seconds"] or owner == "toybox dd":
        return False
    if len(fraction) < 2:
        return "iB" in (match["sizes"] or "") or len(match["bytes"]) <= 3
    return whole != "0" and match["second"] != "seconds" and len(whole + fraction) > 6
