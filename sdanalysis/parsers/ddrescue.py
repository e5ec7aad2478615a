"""GNU ddrescue's status screen: `opos: 60402 MB, non-scraped: 0 B, average rate: 19627 kB/s`.

    GNU ddrescue <version>
    [About to copy <n> from '<file>' to '<file>' ...]           (--verbose)
         ipos: <n>, non-trimmed: <n>,  current rate: <n>/s      (1.19 and older: `rescued:` first)
         opos: <n>, non-scraped: <n>,  average rate: <n>/s      (1.19 and older: `ipos:`)
      rescued: <n>,   bad areas: <n>,      run time: <t>
    Finished | Interrupted by user | ddrescue: <file>: Write error: ...

It is drawn over itself; in a saved log all its states follow one another, and the average of the
last one is the result once the run ends. ddrescue's files (mapfile; what `--log-rates`,
`--log-events` and `--log-reads` write) may be shown below it: none holds the result of a run.
Grammar from main_common.cc 1.27:257 and from runs of 1.11 to 1.29. Numbers are cut, not rounded;
prefixes are of 1000, with `-B` of 1024.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.codebook.units import figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture

_BANNER = re.compile(r"\s*GNU ddrescue (?P<version>[0-9][\w.-]{0,20})\s*$")
_AVERAGE = re.compile(
    r"\s*[io]pos: .{1,80}?\baverage rate:\s{1,20}(?P<rate>[0-9]{1,12})\s"
    r"(?P<unit>(?:[kKMGTPE]i?)?B/s)\s*$"
)
_RUN_TIME = re.compile(r"\brun time:\s{0,20}(?P<time>[0-9][0-9dhms ]{0,20}[dhms])")
_FILE = re.compile(
    r"[\s#]*(?P<kind>Mapfile|Rescue|Rates|Events|Reads)(?: Logfile)?\. Created by GNU ddrescue\b"
)
_KILLED = re.compile(
    r"(?P<signal>^\s*Interrupted by user"
    r"|\b(?:Killed|Terminated|Hangup|Quit|Aborted|Segmentation fault)\b"
    r"(?=.{0,40}\bddrescue\s|\s*$))"
)
_FAILED = re.compile(r"\s*ddrescue: (?P<why>.{0,400}\S)")
_FULL = "No space left on device"
_PROMPT = re.compile(r"\s*(?:\[?[\w.-]{1,60}@[^\s$#%>]{1,80}[^$#%>]{0,80}[$#%>](?:\s|$)|[$%] \S)")
_COPY = re.compile(  # older versions put no quotes around the names
    r"\s*About to copy .{1,80}? from '?(?P<source>[^']{1,300}?)'?(?: \[[^]]*\])? to "
    r"'?(?P<target>[^']{1,300}?)'?(?: \[[^]]*\])?\.?\s*$"
)
# 1.14 and earlier call a sector a hard block
_SIZES = re.compile(
    r"\bCopy block size:\s{1,4}(?P<sectors>[0-9]{1,9}) (?:sectors|hard blocks)"
    r"|\b(?:Sector|Hard block) size: (?P<sector>[0-9]{1,9}) {1,2}[Bb]ytes"
)
_DIRECT = re.compile(r"\bDirect(?P<side> in| out)?: (?P<word>yes|no)(?!\w)")
_DIRECT_OUTPUT = (1, 20)  # since then `-D` is it; before, it asked for synchronous writes
_IMAGES = (".img", ".iso", ".raw", ".bin", ".dd")
_TIMES = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_SHORT = 10  # seconds under which whole seconds, the last counted twice, spoil the average


@dataclass(slots=True, kw_only=True)
class _Run:
    """What is known of one invocation so far: it grows line by line, hence not frozen."""

    first: int
    version: str | None = None
    op: str = "copy"
    sizes: dict[str, int] = field(default_factory=dict)
    direct: dict[str, bool] = field(default_factory=dict)  # by-passed the page cache: in, out
    screens: int = 0
    average: re.Match[str] | None = None
    line: int = 0  # of the average
    seconds: int | None = None
    end: str = ""
    why: str = ""


def parse(capture: Capture) -> Iterable[Item]:
    """Yield the last average rate of each run.

    Of a run that goes on the last screen has status `running`, above a prompt or another run
    `partial`: the run ended, whether whole or interrupted nobody can tell. A run without a screen
    is an error, as are a rate of 0 B/s and a file of ddrescue where there is no run.
    """
    runs: list[_Run] = []
    files: list[tuple[int, str]] = []
    for number, text in enumerate(capture.lines, 1):
        run = runs[-1] if runs and not runs[-1].end else None
        if match := _FILE.match(text) if "ddrescue" in text else None:
            found = f"found a file of ddrescue's ({match['kind']})"
            files.append((number, f"{found}, expected a run's screen: it holds no result"))
            _close(run)
        elif _begins(text, is_open=run is not None, is_first=not runs):
            _close(run)
            runs.append(_begun(capture, number, runs))
        if runs and not runs[-1].end:
            _read(runs[-1], number, text)
    for run in runs:
        yield from _result(run)
    for number, text in files:
        yield Problem(number, text, "note" if runs else "error")


def _begins(text: str, *, is_open: bool, is_first: bool) -> bool:
    """Tell whether a run begins in a line: old versions print no banner."""
    if "ddrescue" in text and (_BANNER.match(text) or (is_first and _FAILED.match(text))):
        return True
    begun = "current rate:" in text or text.lstrip().startswith("About to copy")
    return not is_open and bool(begun or ("average rate:" in text and _AVERAGE.match(text)))


def _close(run: _Run | None) -> None:
    """End a run below whose screens something else begins."""
    if run and run.average:
        run.end = "partial"
        run.why = "found no `Finished` above what follows: the run may be whole or interrupted"


def _begun(capture: Capture, number: int, above: Sequence[_Run]) -> _Run:
    """Return a run that begins in a line, with what the command above it asks for."""
    banner = _BANNER.match(capture.lines[number - 1])
    run = _Run(first=number, version=banner["version"] if banner else None)
    command = capture.command_above(number)
    calls = command.of("ddrescue") if command else ()
    others = takewhile(lambda run: bool(command and run.first > command.line), reversed(above))
    if call := next(iter(calls[len(list(others)) :]), None):
        run.op = _direction(call.words)
        run.direct = {
            "in": any(map(call.has, ("-d", "--idirect", "--direct"))),
            "out": any(map(call.has, ("-D", "--odirect"))),
        }
    digits = re.findall(r"[0-9]{1,9}", run.version or "")[:2]
    if digits and tuple(map(int, digits)) < _DIRECT_OUTPUT:
        run.direct["out"] = False
    return run


def _direction(words: Sequence[str]) -> str:
    """Return what names say: /dev/zero is no medium, /dev/null and an image neither."""
    for source, target in pairwise(words):
        if source == "/dev/zero" and target[:1] != "-" and target != "/dev/null":
            return "write"
        if target == "/dev/null" and source[:1] != "-" and source != "/dev/zero":
            return "read"
        is_image = source.endswith(_IMAGES) and not source.startswith(("-", "/dev/"))
        if is_image and re.match(r"/dev/(?!null\b|std|tty|fd/)\w", target):
            return "write"
    return "copy"


def _read(run: _Run, number: int, text: str) -> None:
    """Take what a line of a run says: what it is about, a screen, or its end."""
    if "current rate:" in text:
        run.screens += 1
    elif "average rate:" in text:
        if average := _AVERAGE.match(text):
            run.average, run.line, run.why = average, number, ""
        else:
            run.why = f"found {text.strip()[:200]!r}"
    elif "run time:" in text and (time := _RUN_TIME.search(text)):
        parts = re.findall(r"([0-9]{1,9})\s?([dhms])", time["time"])
        run.seconds = sum(int(count) * _TIMES[unit] for count, unit in parts)
    elif run.average:
        _end(run, text)
    else:
        _read_verbose(run, text)


def _read_verbose(run: _Run, text: str) -> None:
    """Take what `--verbose` says above the first screen, or why there is none."""
    if copy := _COPY.match(text[:1000]) if "About to copy" in text else None:
        run.op = _direction(copy.groups()) if run.op == "copy" else run.op
    for match in _SIZES.finditer(text[:1000]) if " size: " in text else ():
        run.sizes |= {name: int(size) for name, size in match.groupdict().items() if size}
    for match in _DIRECT.finditer(text[:1000]) if "Direct" in text else ():
        run.direct[(match["side"] or " in").strip()] = match["word"] == "yes"
        if not match["side"]:
            run.direct.setdefault("out", False)
    if "ddrescue: " in text and (failed := _FAILED.match(text)):
        run.end, run.why = "error", f"found {failed['why']!r}"


def _end(run: _Run, text: str) -> None:
    """Take how a run ends, below its screens."""
    words = text.strip()
    if words.startswith("Finished"):
        run.end = "measured"
    elif _FULL in text:  # this is how a write test ends, but no copy
        run.end, run.why = "measured" if run.op == "write" else "partial", f"found {_FULL!r}"
    elif killed := _KILLED.search(text[:1000]):
        run.end, run.why = "interrupted", f"found {killed['signal']!r}: the rate of a part"
    elif failed := _FAILED.match(text) if "ddrescue: " in text else None:
        run.end, run.why = "error", f"found {failed['why']!r}"
    elif _PROMPT.match(text):
        _close(run)


def _result(run: _Run) -> Iterator[Item]:
    """Yield the measurement of a run with notes, or why there is none.

    A run that says why it did not start is no broken log.
    """
    if run.average is None or not run.screens:
        is_refused = run.end == "error" and not run.screens
        found, kind = run.why or "found no status screen", "note" if is_refused else "error"
        yield Problem(run.first, f"{found}, expected ddrescue's status screen", kind)
        return
    try:
        rate = figure("ddrescue", run.average["rate"], run.average["unit"])
        if not rate.value:
            text = "found an average rate of 0 B/s, expected one after the first second"
            raise SdAnalysisError(text)
    except SdAnalysisError as error:
        yield Problem(run.line, str(error))
        return
    # at a run time of 0 s the printed rate is only the count of the bytes
    is_part = run.end == "measured" and run.seconds == 0
    direct = run.direct.get({"read": "in", "write": "out"}.get(run.op, ""))
    if run.op == "copy":  # on either side
        direct = any(run.direct.values()) or (False if len(run.direct) > 1 else None)
    sectors, sector = run.sizes.get("sectors"), run.sizes.get("sector")
    yield Measurement(
        *(run.line, run.average.start("rate") + 1, run.op, "bandwidth", "single", *rate),
        tool="ddrescue",
        tool_version=run.version,
        block_size=sectors * sector if sectors and sector else None,
        direct=direct,
        run=f"{run.first}-ddrescue",
        status="partial" if is_part else run.end or "running",
        name="average rate",
    )
    for text in _notes(run):
        yield Problem(run.line, text, "note")


def _notes(run: _Run) -> Iterator[str]:
    if not run.end:
        screens = f"{run.screens} screens of " if run.screens > 1 else ""
        yield f"found {screens}a run that goes on, expected `Finished`: its average is no result"
    elif run.end != "measured":
        yield run.why
    if run.seconds == 0:
        yield "found a run time of 0 s: the rate is the count of the bytes, no result"
    elif run.seconds is not None and run.seconds < _SHORT:
        yield (
            f"found a run time of {run.seconds} s: ddrescue counts whole seconds, "
            "so that the rate may be off by a tenth or more"
        )
