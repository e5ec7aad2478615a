"""GNU ddrescue's status screen: `opos: 60402 MB, non-scraped: 0 B, average rate: 19627 kB/s`.

    GNU ddrescue <version>
    [About to copy <n> from '<file>' to '<file>' ...]           (--verbose)
         ipos: <n>, non-trimmed: <n>,  current rate: <n>/s      (1.19 and older: `rescued:` first)
         opos: <n>, non-scraped: <n>,  average rate: <n>/s      (1.19 and older: `ipos:`)
      rescued: <n>,   bad areas: <n>,      run time: <t>
    Finished | Interrupted by user | ddrescue: <file>: Write error: ...

It is drawn over itself; in a saved log all its states follow one another, and the average of the
last one is the result once the run ends. Its files (mapfile; what `--log-rates` and others write)
hold no result of a run.
Grammar from main_common.cc 1.27:257 and from runs of 1.11 to 1.29. Numbers are cut, not rounded;
prefixes are of 1000, with `-B` of 1024.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

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
_PARTIAL = "found no `Finished` above what follows: the run may be whole or interrupted"
_FULL = "No space left on device"  # which 1.16 draws over the screen
_END = re.compile(  # of a run, by its status; a prompt says only that it ended
    rf"(?:^\s*ddrescue: |(?={_FULL}))(?P<error>.{{0,400}}\S)|^\s*(?P<measured>Finished)"
    r"|^\s*(?P<partial>\[?[\w.-]{1,60}@[^\s$#%>]{1,80}[^$#%>]{0,80}[$#%>](?:\s|$)|[$%] \S)"
    r"|(?P<interrupted>(?<!\S)Interrupted by user"
    r"|\b(?:Killed|Terminated|Hangup|Quit|Aborted|Segmentation fault)\b"
    r"(?=.{0,40}\bddrescue\s|\s*$))"
)
_COPY = re.compile(  # older versions put no quotes around the names
    r"\s*About to copy .{1,80}? from '?(?P<source>[^']{1,300}?)'?(?: \[[^]]*\])? to "
    r"'?(?P<target>[^']{1,300}?)'?(?: \[[^]]*\])?\.?\s*$"
)
_VERBOSE = re.compile(  # 1.14 and earlier call a sector a hard block
    r"\bCopy block size:\s{1,4}(?P<sectors>[0-9]{1,9}) (?:sectors|hard blocks)"
    r"|\b(?:Sector|Hard block) size: (?P<sector>[0-9]{1,9}) {1,2}[Bb]ytes"
    r"|\bDirect(?: in)?: (?P<input>yes|no)(?!\w)|\bDirect out: (?P<output>yes|no)(?!\w)"
)
_FLAGS = {"input": ("-d", "--idirect", "--direct"), "output": ("-D", "--odirect")}
_OLD = re.compile(r"0|1\.1?[0-9](?![0-9])")  # 1.19 and earlier: `-D` asked for synchronous writes
_IMAGES = (".img", ".iso", ".raw", ".bin", ".dd")
_SIDES = {"read": ["input"], "write": ["output"], "copy": _FLAGS}
_TIMES = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_SHORT = 10  # seconds under which whole seconds, the last counted twice, spoil the average
_COARSE = "found a run time of {} s: ddrescue counts whole seconds, its rate may be far off"
_OF_SCREEN = re.compile(r"\b(?:current|average|error) rate:")


@dataclass(slots=True, kw_only=True)
class _Run:
    """What is known of one invocation so far: it grows line by line, hence not frozen."""

    first: int
    version: str | None = None
    op: str = "copy"
    verbose: dict[str, str] = field(default_factory=dict)  # by the groups of `_VERBOSE`
    screens: int = 0
    average: re.Match[str] | None = None
    line: int = 0  # of the average
    seconds: int | None = None
    end: str = ""
    why: str = ""


def parse(capture: Capture) -> Iterable[Item]:
    """Yield the last average rate of each run: `partial` above a prompt without its end."""
    runs: list[_Run] = []
    for number, text in enumerate(capture.lines, 1):
        run = runs[-1] if runs and not runs[-1].end else None
        if _begins(text, run, is_first=not runs):
            if run and run.average:
                run.end, run.why = "partial", _PARTIAL
            runs.append(run := _begun(capture, number, runs))
        if run and not run.end:
            if _OF_SCREEN.search(text):  # the last one counts
                capture.taken.add(number)
            _read(run, number, text)
    for run in runs:
        yield from _result(run)


def _begins(text: str, run: _Run | None, *, is_first: bool) -> bool:
    """Tell whether a run begins in a line, below one that goes on: old versions print no banner."""
    if _BANNER.match(text) or (is_first and text.lstrip().startswith("ddrescue: ")):
        return True
    if run:
        return bool(run.screens) and text.lstrip().startswith("Press Ctrl-C to interrupt")
    return "current rate:" in text or bool(_COPY.match(text) or _AVERAGE.match(text))


def _begun(capture: Capture, number: int, above: Sequence[_Run]) -> _Run:
    banner = _BANNER.match(capture.lines[number - 1])
    run = _Run(first=number, version=banner["version"] if banner else None)
    command = capture.command_above(number)
    others = sum(command is not None and other.first > command.line for other in above)
    for call in command.of("ddrescue")[others : others + 1] if command else ():
        run.op = _direction(call.words)
        for side, flags in _FLAGS.items():
            run.verbose[side] = "yes" if any(map(call.has, flags)) else "no"
    if _OLD.match(run.version or ""):
        run.verbose["output"] = "no"
    return run


def _direction(words: Sequence[str]) -> str:
    """Return what names say: /dev/zero is no medium, /dev/null and an image neither."""
    for source, target in pairwise(words):
        is_zero, is_null = source == "/dev/zero", target == "/dev/null"
        if is_zero and not (is_null or target.startswith("-")):
            return "write"
        if is_null and not (is_zero or source.startswith("-")):
            return "read"
        is_image = source.endswith(_IMAGES) and not source.startswith(("-", "/dev/"))
        if is_image and re.match(r"/dev/(?!null\b|std|tty|fd/)\w", target):
            return "write"
    return "copy"


def _read(run: _Run, number: int, text: str) -> None:
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
    elif (end := _END.search(text[:1000])) and (run.average or end["error"]):
        _end(run, end)
    elif not run.average:
        copy = _COPY.match(text[:1000]) if run.op == "copy" else None
        run.op = _direction(copy.groups()) if copy else run.op
        for match in _VERBOSE.finditer(text[:1000]):
            run.verbose |= {name: word for name, word in match.groupdict().items() if word}


def _end(run: _Run, end: re.Match[str]) -> None:
    run.end, run.why = end.lastgroup or "", f"found {end[end.lastgroup or 0]!r}"
    if run.end == "partial":
        run.why = _PARTIAL
    elif run.average and _FULL in end.string:  # this is how a write test ends, but no copy
        run.end, run.why = "measured" if run.op == "write" else "partial", f"found {_FULL!r}"
    elif run.end == "interrupted":
        run.why += ": the rate of a part"


def _result(run: _Run) -> Iterator[Item]:
    # A run that says why it did not start is no broken log.
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
    sides = [run.verbose.get(side) for side in _SIDES[run.op]]
    sectors, sector = (int(run.verbose.get(name, 0)) for name in ("sectors", "sector"))
    yield Measurement(
        *(run.line, run.average.start("rate") + 1, run.op, "bandwidth", "single", *rate),
        tool="ddrescue",
        tool_version=run.version,
        block_size=sectors * sector or None,
        direct="yes" in sides or (None if None in sides else False),
        run=f"{run.first}-ddrescue",
        status="partial" if is_part else run.end or "running",
        name="average rate",
    )
    if not run.end:
        found = f"found {run.screens} screens of" if run.screens > 1 else "found"
        text = f"{found} a run that goes on, expected `Finished`: its average is no result"
        yield Problem(run.line, text, "note")
    elif run.end != "measured":
        yield Problem(run.line, run.why, "note")
    if run.seconds is not None and run.seconds < _SHORT:
        yield Problem(run.line, _COARSE.format(run.seconds), "note")
