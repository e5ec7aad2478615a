"""hdparm -t, -T and --direct: `Timing buffered disk reads: 134 MB in 3.02 seconds = 44.38 MB/sec`.

Grammar from hdparm.c 9.65:344-419; before 6.0 the cache was called `buffer-cache` and no blank
stood after the sign. BusyBox's hdparm prints the same words with `kB/s` and no decimals
(miscutils/hdparm.c 1.35:1484). Its numbers never follow the locale: a comma is somebody's edit.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from sdanalysis.codebook.measurement import Item, Line, Measurement, Problem
from sdanalysis.codebook.units import KIB, MIB, Figure, figure
from sdanalysis.errors import SdAnalysisError

_LABEL = re.compile(
    r"\bTiming\s{1,3}(?P<kind>(?:O_DIRECT\s{1,3})?cached|buffer-cache|buffered disk|O_DIRECT disk)"
    r" reads(?:\s{1,3}\(offset [0-9]+ [A-Za-z]{2,3}\))?(?::|(?=\s{1,9}[0-9]{1,15} MB in\s))"
)
_FIGURES = re.compile(
    r"(?<![0-9.,])(?P<size>[0-9]{1,15}) MB in\s{1,9}(?P<seconds>[0-9]{1,9}\.[0-9]{1,6}) seconds"
    r"\s{0,9}=\s{0,9}(?P<rate>[0-9]{1,15}(?:\.[0-9]{1,2}(?=\s?[MkG]B/s)|(?=\s?[MkG]B/s)))\s?"
    r"(?P<unit>[MkG]B/s(?:ec)?)(?!\w)"
)
# hdparm's and BusyBox's words; as somebody else wrote them the figures have to bear them out
_PRINTED = re.compile(r"[0-9]+\.[0-9]{2} [MkG]B/sec|[0-9]+ kB/s")
_QUOTED = re.compile(r"[\s>|]*")  # before what a mail program wrapped
_FIGURE = re.compile(r"[0-9]\s*[MkG]?B\b|seconds|=")
_DEVICE = re.compile(r"^\W*(?:\.{0,2}/)[^\s:]*:(?:\s|$)")
_COMMAND = re.compile(r"\bhdparm\s+-")
_VERSION = re.compile(r"\bhdparm v([0-9]+\.[0-9]+)\b")
_LABELS = (
    *("Timing cached reads:", "Timing O_DIRECT cached reads:", "Timing buffer-cache reads:"),
    *("Timing buffered disk reads:", "Timing O_DIRECT disk reads:"),
)
# hdparm reads the cache for two seconds and writes nothing: others print a timing in its words
_FOREIGN = re.compile(
    r"\bTiming (?:(?:O_DIRECT )?cached reads:.{0,40} in\s{1,9}0\.[0-4][0-9]{0,5} seconds"
    r"|[a-z ]{3,20} writes:)"
)
_SAME_SIZE = re.compile(r"\s(?:64|128) MB in\s")
_TELLING = 11  # letters of two rates that tell their run from all others
_SAID = re.compile(
    r"\b(?:said|wrote|writes|schrieb|escribió|écrit|scrisse|napisał)\b\W*$|\[quote\b", re.I
)
_SAID_ABOVE = 8  # lines between that and a timing
_READ_ON = 3  # lines after a label in which its figures may stand: an error message broke it up


class _Result(NamedTuple):
    """A label with the place of its figures: `match` is None where nothing readable follows."""

    line: Line
    kind: str
    text: str
    figures: Line
    match: re.Match[str] | None
    moved: int = 0  # columns from a place in what was searched to that in the line of the figures


def parse(lines: Sequence[Line]) -> Iterable[Item]:
    """Yield one measurement per timing line; `-T` (the cache) is op `cached_read`.

    A pair of timings that a quotation repeats is counted once: no two runs have nine digits alike.
    """
    items = list(_timings(lines))
    pairs = defaultdict[str | None, list[Measurement]](list)
    for item in items:
        if isinstance(item, Measurement):
            pairs[item.run].append(item)
    again = _told_again(lines, [*pairs.values()]) if len(pairs) > 1 else {}
    for item in items:
        if first := again.get(id(item)):
            text = f"found the timing of line {first} again: counted once"
            yield Problem(item.line, text, "note")
        else:
            yield item


def _told_again(lines: Sequence[Line], pairs: Sequence[Sequence[Measurement]]) -> dict[int, int]:
    """Return the lines of the timings that were told before, by the ids of the later ones.

    hdparm before 5.2 read as much every time, and its rates have few digits.
    """
    texts = {line.number: line.text for line in lines}
    told: dict[tuple[tuple[str, str | None], ...], Sequence[Measurement]] = {}
    again = _begun_again(texts, pairs)
    for pair in pairs:
        first = told.setdefault(tuple((item.op, item.raw) for item in pair), pair)
        if first is pair:
            continue
        is_telling = len(pair) > 1 and sum(len(item.raw or "") for item in pair) >= _TELLING
        if any(_SAME_SIZE.search(texts[item.line]) for item in pair):
            is_telling = False
        if is_telling or _is_quoted(texts, pair, first):
            again |= {id(item): before.line for item, before in zip(pair, first, strict=True)}
    return again


def _begun_again(
    texts: Mapping[int, str], pairs: Sequence[Sequence[Measurement]]
) -> dict[int, int]:
    """Return the line of a timing whose pair was told before, and ends with the page, by its id."""
    *earlier, (last, *others) = pairs
    text = texts[last.line].strip("> \t")
    below = [words for number, words in texts.items() if number > last.line and words.strip("> \t")]
    if others or len(below) > 1 or _SAME_SIZE.search(text):
        return {}
    told = (pair[0].line for pair in earlier if len(pair) > 1 and pair[0].line < last.line)
    first = next((line for line in told if texts[line].strip("> \t") == text), 0)
    return {id(last): first} if first else {}


def _is_quoted(
    texts: Mapping[int, str], pair: Sequence[Measurement], first: Sequence[Measurement]
) -> bool:
    """Tell whether timings stand in a quotation, and are to the letter those of an earlier run."""
    mine, others = ([texts[item.line].strip("> \t") for item in one] for one in (pair, first))
    above = range(pair[0].line - _SAID_ABOVE, pair[0].line)
    return mine == others and any(_SAID.search(texts.get(number, "")) for number in above)


def _timings(lines: Sequence[Line]) -> Iterator[Item]:
    run, ops, version = "", set[str](), None
    foreign = False
    for index, line in enumerate(lines):
        if "hdparm" in line.text and (named := _VERSION.search(line.text)):
            version = named[1]
        device = "/" in line.text and _DEVICE.match(line.text)
        if device or ("hdparm" in line.text and _COMMAND.search(line.text)):
            run, ops = _named(line, "") if device else "", set()
            foreign = False
        if "Timing" not in line.text:
            continue
        foreign = foreign or _FOREIGN.search(line.text) is not None
        if foreign:
            yield _of_another(line)
            continue
        for result in _results(line, lines[index + 1 : index + 1 + _READ_ON]):
            op = "cached_read" if "cache" in result.kind else "read"
            if not run or op in ops:
                run, ops = _named(line, run), set()
            ops.add(op)
            yield from _read(_uncut(result, lines[-1]), op, run, version)
    yield from _cut_short(lines)


def _uncut(result: _Result, last: Line) -> _Result:
    """Return a result, without figures where a log ends in its unit: `MB/s` of `MB/sec`."""
    match = result.match
    if match is None or result.figures.number != last.number:
        return result
    is_cut = match["unit"].endswith("/s") and (match["unit"] != "kB/s" or "." in match["rate"])
    return result._replace(match=None) if is_cut else result


def _named(line: Line, before: str) -> str:
    """Return the name of a run that begins in a line, where the run before it may, too."""
    name = f"{line.number}-hdparm"
    if before != name and not before.startswith(f"{name}-"):
        return name
    return f"{name}-{int(before.removeprefix(name).strip('-') or 1) + 1}"


def _of_another(line: Line) -> Problem:
    text = f"found {line.text.strip()[:120]!r}, a timing of another program than hdparm: not read"
    return Problem(line.number, text, "note")


def _cut_short(lines: Sequence[Line]) -> Iterator[Problem]:
    """Yield a note where the log ends with what hdparm prints before a timing."""
    last = next((line for line in reversed(lines) if line.text.strip()), None)
    if last is None:
        return
    begun = " ".join(re.findall(r"[^\s>|#*]+", last.text[:80]))
    label = len(begun) > 2 and any(name.startswith(begun) for name in _LABELS)
    if (label and not _LABEL.search(last.text)) or _DEVICE.fullmatch(last.text.rstrip()):
        text = f"found {begun!r} at the end, expected a timing behind it: the log may be cut"
        yield Problem(last.number, text, "note")


def _results(line: Line, below: Sequence[Line]) -> Iterator[_Result]:
    """Yield the labels of a line, each with its own part of the text, or the lines after it."""
    labels = list(_LABEL.finditer(line.text))
    for label, following in zip_longest(labels, labels[1:]):
        end = following.start() if following else len(line.text)
        match, place = _FIGURES.search(line.text, label.end(), end), line
        if match is None and following is None and not _FIGURE.search(line.text, label.end()):
            match, place = _figures_below(line, below)
        text = line.text[label.start() : end].strip()
        result = _Result(line, label["kind"], text, place, match)
        if match is None and following is None and below:
            result = _wrapped(result, below[0], label.end())
        yield result


def _figures_below(line: Line, below: Sequence[Line]) -> tuple[re.Match[str] | None, Line]:
    """Return the figures that an error message on standard error parted from their label."""
    for later in below:
        if "Timing" in later.text or _DEVICE.match(later.text) or not later.text.strip():
            break
        if match := _FIGURES.search(later.text):
            return match, later
    return None, line


def _wrapped(result: _Result, below: Line, start: int) -> _Result:
    """Return a result with its figures, of which a mail program put a part into the line below."""
    text, more = result.line.text.rstrip(), _QUOTED.sub("", below.text, count=1)
    following = _LABEL.search(more)
    wrapped = more[: following.start()] if following else more
    match = _FIGURES.search(f"{text} {wrapped}", start)
    if match is None or match.start() > len(text):
        return result
    if match.start("rate") <= len(text):
        return result._replace(match=match)
    moved = len(below.text) - len(more) - len(text) - 1
    return result._replace(figures=below, match=match, moved=moved)


def _read(result: _Result, op: str, run: str, version: str | None) -> Iterator[Item]:
    number, match = result.figures.number, result.match
    if match is None:
        yield _unreadable(result)
        return
    try:
        rate = figure("hdparm", match["rate"], match["unit"])
        if not rate.value or not float(match["seconds"]):
            raise SdAnalysisError("found a rate or a time of zero, expected a duration")
    except SdAnalysisError as error:
        yield Problem(number, str(error))
        return
    doubt = _disagreement(rate, int(match["size"]), float(match["seconds"]))
    if doubt and not _PRINTED.fullmatch(f"{match['rate']} {match['unit']}"):
        yield _unreadable(result)
        return
    yield Measurement(
        line=number,
        column=match.start("rate") + result.moved + 1,
        tool="hdparm",
        tool_version=version,
        op=op,
        direct="O_DIRECT" in result.kind,
        run=run,
        name="rate",
        **rate._asdict(),
    )
    if doubt:
        yield Problem(number, doubt, "doubt")


def _unreadable(result: _Result) -> Problem:
    """Return an error where figures were begun, and a note where hdparm printed none."""
    rest = _LABEL.sub("", result.text, count=1).lstrip()
    begun = _FIGURE.search(rest) and not rest.startswith(("read(", "BLKFLSBUF"))
    expected = "expected `<n> MB in <n.nn> seconds = <n.nn> MB/sec` after hdparm's label"
    text = f"found {result.text[:200]!r}, {expected}"
    return Problem(result.line.number, text, "error" if begun else "note")


def _disagreement(rate: Figure, megabytes: int, seconds: float) -> str:
    """Say that megabytes, seconds and rate exclude one another; empty when they do not.

    Seconds are rounded to 0.01, BusyBox's cut; the megabytes are whole; the rate has two decimals,
    which is coarse for a slow card. `-T` subtracts the seeks' time from the seconds it prints, so
    its own figures agree too.
    """
    size = megabytes * MIB
    longer = 0.011 if rate.raw_unit == "kB/s" else 0.006
    low, high = size / (seconds + longer), (size + KIB) / max(seconds - 0.006, 0.001)
    if low * 0.999 <= rate.value_high and rate.value_low <= high * 1.001:
        return ""
    expected = (
        f"{low / MIB:.2f} to {high / MIB:.2f} MB/sec from the megabytes and seconds beside it"
    )
    return f"found {rate.raw} {rate.raw_unit}, expected {expected}; the printed rate is used"
