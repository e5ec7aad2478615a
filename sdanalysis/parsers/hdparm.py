"""hdparm -t, -T, --direct: `Timing buffered disk reads: 134 MB in  3.02 seconds =  44.38 MB/sec`.

    /dev/mmcblk0:
     Timing [O_DIRECT ]cached reads:   <n> MB in <n.nn> seconds = <n.nn> MB/sec
     Timing buffered|O_DIRECT disk reads[ (offset <n> GB)]: <n> MB in ... = <n.nn> MB/sec|kB/sec

Grammar from hdparm.c 9.65:344-419; before 6.0 the cache was called `buffer-cache` and no blank
stood after the sign. BusyBox's hdparm prints the same words with `kB/s` and no decimals
(miscutils/hdparm.c 1.35:1484). An error message may part a label from its figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.codebook.units import KIB, MIB, figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture

_LABEL = re.compile(
    r"\s*Timing (?P<kind>(?:O_DIRECT )?cached|buffer-cache|buffered disk|O_DIRECT disk)"
    r" reads(?: +\(offset [0-9]+ [A-Za-z]{2,3}\))?:"
)
_FIGURES = re.compile(
    r"\s*(?P<size>[0-9]{1,15}) MB in\s{1,9}(?P<seconds>[0-9]{1,9}\.[0-9]{2}) seconds ="
    r"\s{0,9}(?P<rate>[0-9]{1,15}(?:\.[0-9]{2}(?= [MkG]B/sec)|(?= kB/s\b)))\s"
    r"(?P<unit>[MkG]B/s(?:ec)?)\s*$"
)
_FIGURE = re.compile(r"[0-9]\s*[MkG]?B\b|seconds|=")
_DEVICE = re.compile(r"\s*\.{0,2}/[^\s:]*:(?:\s|$)")
_COMMAND = re.compile(r"\bhdparm\s+-")
_VERSION = re.compile(r"\bhdparm v([0-9]+\.[0-9]+)\b")
# hdparm reads the cache for two seconds and writes nothing: others print a timing in its words
_FOREIGN = re.compile(
    r"\s*Timing (?:(?:O_DIRECT )?cached reads:.{0,40} in +0\.[0-4]|[a-z ]+ writes:)"
)
_NEAR = 3  # lines below a label in which its figures stand, or the rest of its block
_EXPECTED = "expected `<n> MB in <n.nn> seconds = <n.nn> MB/sec` after hdparm's label"


def parse(capture: Capture) -> Iterable[Item]:
    """Yield one measurement per timing line, and one error a block (a pair of `-tT`, say)."""
    refused = -_NEAR
    for item in _items(capture):
        if isinstance(item, Problem) and item.kind == "error":
            capture.taken.add(item.line)
            above, refused = refused, item.line
            is_far = refused - above > _NEAR
            if not is_far and not any(map(_DEVICE.match, capture.lines[above:refused])):
                continue
        yield item


def _items(capture: Capture) -> Iterator[Item]:
    """Yield what each line says; `-T` (the cache) is op `cached_read`."""
    run, ops, is_foreign = "", set[str](), False
    named = _VERSION.search(capture.text) if "hdparm v" in capture.text else None
    for number, text in enumerate(capture.lines, 1):
        if (device := _DEVICE.match(text)) or ("hdparm" in text and _COMMAND.search(text)):
            run, ops, is_foreign = f"{number}-hdparm" if device else "", set(), False
        elif "Timing" in text:
            is_foreign = is_foreign or bool(_FOREIGN.match(text))
            label = None if is_foreign else _LABEL.match(text)
            if label is None:
                yield from _other(number, text, is_foreign)
                continue
            op = "cached_read" if "cache" in label["kind"] else "read"
            if not run or op in ops:
                run, ops = f"{number}-hdparm", set()
            ops.add(op)
            yield from _timing(capture, number, label, (named and named[1], op, run))
    last = capture.lines[-1].strip() if capture.lines else ""
    if _DEVICE.fullmatch(last) or (last.startswith("Timing") and ":" not in last):
        text = f"found {last[:80]!r} at the end, expected a timing behind it: the log may be cut"
        yield Problem(len(capture.lines), text, "note")


def _other(number: int, text: str, is_foreign: bool) -> Iterator[Problem]:
    if is_foreign:
        found = f"found {text.strip()[:120]!r}, a timing of another program than hdparm: not read"
        yield Problem(number, found, "note")
    elif "reads" in text and _FIGURE.search(text):
        yield Problem(number, f"found {text.strip()[:200]!r}, {_EXPECTED} alone on a line")


def _timing(
    capture: Capture, number: int, label: re.Match[str], shared: tuple[str | None, str, str]
) -> Iterator[Item]:
    rest = label.string[label.end() :]
    is_begun = bool(_FIGURE.search(rest)) and "read(" not in rest and "BLKFLSBUF" not in rest
    match, line = _FIGURES.match(label.string, label.end()), number
    below = () if match else capture.lines[number : number + _NEAR]
    for line_below, text in enumerate(below, number + 1):  # an error message parts them
        if not text.strip() or "Timing" in text or _DEVICE.match(text):
            break
        if match := _FIGURES.match(text):
            line = line_below
            capture.taken.add(number)
            break
    if match is None:
        found = f"found {label.string.strip()[:200]!r}, {_EXPECTED}"
        yield Problem(number, found, "error" if is_begun else "note")
        return
    try:
        rate = figure("hdparm", match["rate"], match["unit"])
        if not rate.value or not float(match["seconds"]):
            raise SdAnalysisError("found a rate or a time of zero, expected a duration")
    except SdAnalysisError as error:
        yield Problem(line, str(error))
        return
    version, op, run = shared
    yield Measurement(
        *(line, match.start("rate") + 1, op, "bandwidth", "single", *rate),
        tool="hdparm",
        tool_version=version,
        direct="O_DIRECT" in label["kind"],
        run=run,
        name="rate",
    )
    if doubt := _disagreement(match, rate.value_low, rate.value_high):
        yield Problem(line, doubt, "doubt")


def _disagreement(match: re.Match[str], rate_low: float, rate_high: float) -> str:
    # Seconds are rounded to 0.01, BusyBox's cut; the megabytes are whole; the rate has two
    # decimals, which is coarse for a slow card. `-T` subtracts the seeks' time from the seconds it
    # prints, so its own figures agree too.
    size, seconds = int(match["size"]) * MIB, float(match["seconds"])
    longer = 0.011 if match["unit"] == "kB/s" else 0.006
    low, high = size / (seconds + longer), (size + KIB) / (seconds - 0.006)
    if low * 0.999 <= rate_high and rate_low <= high * 1.001:
        return ""
    expected = f"{low / MIB:.2f} to {high / MIB:.2f} MB/sec from the megabytes and seconds"
    found = f"found {match['rate']} {match['unit']}, expected {expected} beside it"
    return f"{found}; the printed rate is used"
