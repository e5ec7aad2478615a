"""GNU ddrescue's status screen: `opos: 60402 MB, non-scraped: 0 B, average rate: 19627 kB/s`.

The screen is drawn over itself; in a saved log all its states follow one another, and the average
of the last one is the result once the run ends. ddrescue's files (mapfile; what `--log-rates`,
`--log-events` and `--log-reads` write) may be shown below it: none holds the result of a run.
Grammar from main_common.cc 1.27:257 and from runs of 1.11 to 1.29. Numbers are cut, not rounded;
prefixes are of 1000, with `-B` of 1024.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sdanalysis.codebook.measurement import Item, Line, Measurement, Problem
from sdanalysis.codebook.units import figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.flat import parted

_BANNER = re.compile(
    r"^\W*GNU ddrescue (?P<version>[0-9](?:(?!Press )[\w.-]){0,20})\s*(?:$|[^\w\s]|Press Ctrl-C)"
)
_FILE = re.compile(
    r"^\W*(?P<kind>Mapfile|Rescue|Rates|Events|Reads)(?: Logfile)?\. Created by GNU ddrescue\b"
    r"|^[\s>|]*#\s*Command line: ddrescue(?:log)? "
)
_FILES = {
    "Rates": ("a rates log", "its rates are of moments"),
    "Events": ("an events log", "it holds no rate"),
    "Reads": ("a reads log", "it holds no rate"),
    None: ("a file of ddrescue's", "it holds no result"),
}
_MAPFILE = ("a mapfile", "a ddrescue mapfile holds no rate")  # once `Rescue Logfile`
_FIRST = r"(?:^\W{0,9}|,\s?|\s\s)"  # begins a field: a sentence has none
_CURRENT = re.compile(rf"{_FIRST}current rate:")
_AVERAGE = re.compile(
    rf"{_FIRST}average rate:\s{{1,20}}(?P<rate>[0-9]{{1,12}})\s(?P<unit>(?:[kKMGTPE]i?)?B/s)(?!\w)"
)
# Where a mail program went on in the next line
_BROKEN = re.compile(r"\b(?:average(?: rate:(?:\s{1,20}[0-9]{1,12})?)?|run(?: time:)?)\s*$")
_RUN_TIME = re.compile(r"\brun time:\s{0,20}(?P<time>[0-9][0-9dhms ]{0,20}[dhms])")
_FAILED = re.compile(r"^\W*ddrescue: (?P<why>.*\S)")
_FINISHED = re.compile(r"^\W*Finished\b")
_SIGNALS = ("Killed", "Terminated", "Hangup", "Quit", "Aborted", "Segmentation fault")
_KILLED = re.compile(
    rf"\b(?P<signal>{'|'.join(_SIGNALS)})\b"
    r"(?:.{0,40}\bddrescue\s|\s*$)"
)
# A line of a screen, and what a mail, a list or a logger put before it
_NAMES = r"(?:[io]pos|non-tried|rescued|pct rescued)"
_FIELD = rf"\s*{_NAMES}: "
_MARKED = re.compile(rf"(?!{_FIELD})(?P<mark>(?!#).{{0,80}}?\S ?){_FIELD}")
# What a screen's lines begin with: behind a `#` they are a comment, and no command
_SCREEN = rf"(?:{_NAMES}|time since|Copying|Trimming|Scraping|Retrying|Finished|Interrupted)\b"
# The same where a page made one line of a screen: what begins one of its lines
_BEGINS = re.compile(
    r"(?:(?<!\S)|(?<=\\n))(?:GNU ddrescue [0-9]|Press Ctrl-C|Initial status|Current status"
    rf"|About to copy|{_NAMES}: |Copying non-tried"
    r"|(?:Trimming|Scraping|Splitting) failed|Retrying bad|Finished(?![^\s\\])(?! [a-z]+(?:\s|$))"
    r"|Interrupted by user|ddrescue: [A-Z])"
)
# Errors, which old terminals draw over a screen: `opos:  40854 MBr: No space left on deviceerage`
_FULL = "No space left on device"
_ERRORS = (
    *(_FULL, "Input/output error", "Read-only file system", "No such device"),
    *("File too large", "Disk quota exceeded", "Remote I/O error"),
)
_OF_A_SCREEN = re.compile(rf"^\W*(?:{_NAMES}|time since)\b|\brate: ")
# A shell's prompt: `pi@raspberrypi:~ $`, `[root@live ~]#`, `root:~#`, `bash-5.1$`, `$ ls`.
_PROMPT = re.compile(
    r"^\s{0,90}(?:\[?\w[\w.-]{0,60}[@:][^\s$#%>]{1,80}(?:\s[^\s$#%>]{0,80})?\]?\s?[$#%>](?:\s|$)"
    rf"|(?:ba|z|k|c|da)?sh-?[\d.]{{0,8}}[$#%](?:\s|$)|[$#%]\s(?!\s|{_SCREEN})\S)",
    re.ASCII,
)
_BLOCK = re.compile(r"\s{0,8}(?:```|~~~|\.\. \w|\{% )")  # where a page begins or ends one
_INTERRUPTED = re.compile(r"^\W*Interrupted by user\b")
_COPY = re.compile(  # older versions put no quotes around the names
    r"About to copy .* from (?:'(?P<source>[^']*)'.* to '(?P<target>[^']*)'"
    r"|(?P<from>[^\s']+)(?: \[[^]]*\])? to (?P<to>[^\s']+?)(?: \[[^]]*\])?\.?\s*$)"
)
_WRITES = re.compile(  # of an image by its name: else it may be an option's value
    r"\bddrescue\s(?:.*\s)?(?:/dev/zero\s+(?!/dev/null\b)\S"
    r"|(?!/dev/|-)\S+\.(?:img|iso|raw|bin|dd)\s+/dev/(?!null\b|std|tty|fd/)\w)"
)
_READS = re.compile(r"\bddrescue\s(?:.*\s)?(?!/dev/zero\s)\S+\s+/dev/null(?![\w/.-])")
# 1.14 and earlier call a sector a hard block
_SECTORS = re.compile(r"\bCopy block size:\s{1,4}([0-9]{1,9}) (?:sectors|hard blocks)")
_SECTOR = re.compile(r"\b(?:Sector|Hard block) size: ([0-9]{1,9})[ ]{1,2}[Bb]ytes")
_DIRECT = re.compile(r"\bDirect(?P<side> in| out)?: (?P<word>yes|no)(?!\w)")
# Since then the output may go past the cache, too; before, `-D` asked for synchronous writes
_DIRECT_OUTPUT = (1, 20)
_COMMAND = re.compile(r"\bddrescue\s[^/]{0,200}/\S+\s+\S")
# At a prompt or alone on its line, and not going on below: what it leaves out was not asked for
_WHOLE = re.compile(
    r"^\s{0,90}(?:(?:\[?[\w.-]{1,60}[@:][^#$%>\n]{1,160})?[#$%>]\s{0,2}|\+{1,4}\s"
    r"|\W{0,4}[\w\]\s]{0,20}[Cc]ommand: )?(?:sudo\s+|time\s+){0,2}"
    r"ddrescue\s[^|;&<>`\u2026]{1,400}(?<![\\.\s])\s{0,4}$"
)
_NEAR = 6  # lines from a command to what ddrescue says first: a password, blank lines
_ABOVE = re.compile(r"^\W*(?:Press Ctrl-C to|About to copy|Initial status|Current status)\b")
_FLAGS = "ACMNORSWfhnpqtuvw"  # the short options that take no value
_DIRECT_OPTIONS = {
    "in": re.compile(rf"\sddrescue\s(?:.*\s)?(?:-[{_FLAGS}D]*d\w*|--i?direct)(?=\s)"),
    "out": re.compile(rf"\sddrescue\s(?:.*\s)?(?:-[{_FLAGS}d]*D\w*|--odirect)(?=\s)"),
}
_TIMES = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_LENGTH = 1000  # of a command line, at most: longer lines hold something else
_SHORT = 10  # seconds under which whole seconds, the last counted twice, spoil the average


@dataclass(kw_only=True)
class _Asked:
    """What command and `--verbose` said of the next run: both stand above its first screen."""

    op: str = "copy"
    line: int = 0  # of the command
    sectors: int | None = None
    sector: int | None = None
    sides: dict[str, bool] = field(default_factory=dict)  # by-passed the page cache: in, out

    def believe(self, line: int, version: str | None) -> None:
        """Take a whole command near the line where its run begins for what it leaves out, too.

        The output of an old version goes through the cache, whatever was asked.
        """
        if self.line and line - self.line <= _NEAR:
            self.sides = {"in": False, "out": False, **self.sides}
        numbers = tuple(map(int, re.findall(r"[0-9]{1,9}", version or "")[:2]))
        if numbers and numbers < _DIRECT_OUTPUT:
            self.sides["out"] = False

    def direct(self) -> bool | None:
        """Return whether the page cache was by-passed, of a copy on either side."""
        if self.op != "copy":
            return self.sides.get("in" if self.op == "read" else "out")
        by_passed = any(self.sides.values())
        return by_passed if by_passed or len(self.sides) > 1 else None


class _Average(NamedTuple):
    """The average rate of a screen, and where it stands."""

    line: int
    column: int
    rate: str
    unit: str


@dataclass(kw_only=True)
class _Run:
    """What is known of one invocation so far: it grows line by line, hence not frozen."""

    first: int
    version: str | None = None
    asked: _Asked
    screens: int = 0
    average: _Average | None = None
    is_comment: bool = False
    cut: Line | None = None  # by a mail program
    seconds: int | None = None
    end: str | None = None
    broken: int = 0  # line of a screen over which an error is drawn
    why: str = ""  # what was found
    below: bool = False
    elsewhere: bool = False  # what is below is not of the run's own shell


def parse(lines: Sequence[Line]) -> Iterable[Item]:
    """Yield the last average rate of each run.

    Of a run that goes on the last screen has status `running`, above a prompt or another run
    `partial`: the run ended, whether whole or interrupted nobody can tell. A run without a screen
    is an error, as are a rate of 0 B/s and a file of ddrescue where there is no run.
    """
    runs = list(_runs(_bare(list(_unfolded(lines)))))
    for run in runs:
        yield from _result(run)
    yield from _files(lines, "note" if runs else "error")


def _files(lines: Sequence[Line], kind: str) -> Iterator[Problem]:
    """Yield a word on each of ddrescue's files."""
    below = False  # the command line of a file stands below its first line
    for line in lines:
        if "ddrescue" not in line.text or not (match := _FILE.match(line.text)):
            continue
        if match["kind"] or not below:
            name, why = _FILES.get(match["kind"], _MAPFILE)
            yield Problem(line.number, f"found {name}, expected a run's screen: {why}", kind)
        below = match["kind"] is not None


def _unfolded(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines, those parted that hold a whole screen: a page made one line of it."""
    for line in lines:
        is_flat = "current rate:" in line.text and "average rate:" in line.text
        yield from parted(line, _BEGINS) if is_flat else (line,)


def _bare(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines without what stands before those of a screen: `> `, `12  `, `node01: `."""
    fields = [line.text for line in lines if "pos: " in line.text or "ed: " in line.text]
    found = [re.escape(match["mark"].strip()) for match in map(_MARKED.match, fields) if match]
    marks = Counter(re.sub("[0-9]+", "[0-9]+", mark) for mark in found)  # of lines, or of a clock
    mark = re.compile(rf"\s*(?:{'|'.join(mark for mark, count in marks.items() if count > 1)})")
    for line in lines:
        begins = mark.match(line.text) if found else None
        yield line._replace(text=" " * begins.end() + line.text[begins.end() :]) if begins else line


def _runs(lines: Iterable[Line]) -> Iterator[_Run]:
    """Yield the runs: each begins with a banner, or with a screen after the end of another."""
    run: _Run | None = None
    asked, command = _Asked(), ""
    for line in lines:
        banner = failed = file = None
        begun = command[-_LENGTH:-1] if command.endswith("\\") else ""  # in the line above
        command = f"{begun}{line.text}".rstrip()
        if "ddrescue" in command:
            file = _FILE.match(line.text)
            _read_command(asked, "" if file else command[:_LENGTH], line.number)
            banner, failed = _BANNER.match(line.text), _FAILED.match(line.text)
        if banner or ((run is None or run.end or run.below) and _is_screen(line.text)):
            if run:
                yield run
            version = banner["version"] if banner else None
            asked.believe(line.number, version)
            run = _Run(first=line.number, asked=asked, version=version)
            asked = _Asked()
        open_run = run is not None and not (run.end or run.below)
        if run and open_run:
            _read(run, line)
            run.below = run.end is None and (file is not None or _is_prompt(run, line.text))
        elif failed:
            why = f"found {failed['why']!r}"
            run = run or _Run(first=line.number, asked=asked, end="error", why=why)
        _read_verbose(run.asked if run and open_run and not run.below else asked, line)
    if run:
        yield run


def _is_prompt(run: _Run, text: str) -> bool:
    """Tell whether a shell asks for its next command below the run's screens.

    In another block of a page it may be any shell, and below a screen in comments it is one of
    them: the run may go on there.
    """
    if run.average is None:
        return False
    run.elsewhere |= bool(_BLOCK.match(text))
    if is_prompt := bool(_PROMPT.match(text)):
        run.elsewhere |= run.is_comment and text.startswith("#")
    is_first = ("Press Ctrl-C" in text or "About to copy" in text) and _ABOVE.match(text)
    return is_prompt or bool(is_first)  # of another run: old versions print no banner


def _is_screen(text: str) -> bool:
    """Tell whether a line is the one of a status screen that has the current rate."""
    return "current rate:" in text and bool(_CURRENT.search(text))


def _direction(text: str) -> str | None:
    """Return what the command line says: /dev/zero is no medium, /dev/null and an image neither."""
    if _WRITES.search(text, 0, _LENGTH):
        return "write"
    return "read" if _READS.search(text, 0, _LENGTH) else None


def _read_command(asked: _Asked, text: str, number: int) -> None:
    """Take what a command says of the run below it; of an earlier one its flags are forgotten."""
    asked.op = _direction(text) or asked.op
    if _COMMAND.search(text):
        found = {side: pattern.search(f" {text} ") for side, pattern in _DIRECT_OPTIONS.items()}
        asked.sides = {side: True for side, match in found.items() if match}
        asked.line = number if _WHOLE.search(text) else 0


def _read_verbose(asked: _Asked, line: Line) -> None:
    """Take what ddrescue prints above the first screen; near a command that is the command's."""
    text = line.text
    if asked.line and line.number - asked.line <= _NEAR and _ABOVE.match(text):
        asked.line = line.number
    if "About to copy" in text and (copy := _COPY.search(text[:_LENGTH])):
        names = [copy["source"] or copy["from"], copy["target"] or copy["to"]]
        asked.op = _direction(f"ddrescue {names[0]} {names[1]}") or asked.op
    if "Copy block" in text and (sectors := _SECTORS.search(text)):
        asked.sectors = int(sectors[1])
    if " size" in text and (sector := _SECTOR.search(text)):
        asked.sector = int(sector[1])
    if "Direct" in text:
        for match in _DIRECT.finditer(text[:_LENGTH]):
            by_passed = {(match["side"] or "in").strip(): match["word"] == "yes"}
            asked.sides |= by_passed if match["side"] else {"out": False, **by_passed}


def _read(run: _Run, line: Line) -> None:
    text, begin = line.text, run.cut.text.rstrip() if run.cut else ""
    run.cut = line if ("average" in text or "run" in text) and _BROKEN.search(text) else None
    rest = text.lstrip(" \t>|") if begin else text
    whole = f"{begin} {rest}" if begin else text
    run.screens += _is_screen(text)
    run.is_comment = text.startswith("#") if "average" in text else run.is_comment
    if average := _AVERAGE.search(whole) if "average rate:" in whole else None:
        at = average.start("rate")
        behind = len(begin) + len(rest) + bool(begin) - len(text)  # of its own line
        place = (line.number - 1, at + 1) if at < len(begin) else (line.number, at - behind + 1)
        run.average, run.why = _Average(*place, *average.groups()), ""
    elif "average rate:" in text:
        run.why = f"found {text.strip()[:200]!r}"
    if "run time:" in whole and (time := _RUN_TIME.search(whole)):
        parts = re.findall(r"([0-9]+)\s?([dhms])", time["time"])
        run.seconds = sum(int(number) * _TIMES[unit] for number, unit in parts)
    _read_end(run, line)


def _read_end(run: _Run, line: Line) -> None:
    text = line.text
    if "Finished" in text and _FINISHED.match(text):
        run.end = "measured"
    elif "Interrupted" in text and _INTERRUPTED.match(text):
        run.end, run.why = "interrupted", "found 'Interrupted by user': the rate of a part"
    elif (
        run.average
        and any(map(text.__contains__, _SIGNALS))
        and (killed := _KILLED.search(text[:_LENGTH]))
    ):
        run.end, run.why = "interrupted", f"found {killed['signal']!r}: the rate of a part"
    elif any(map(text.__contains__, _ERRORS)) and _OF_A_SCREEN.search(text):
        run.broken, run.why = line.number, f"found {text.strip()[:200]!r}: the rate of a part"
    elif _FULL in text:  # this is how a write test ends, but no copy
        run.end, run.why = "measured" if run.asked.op == "write" else "partial", f"found {_FULL!r}"
    elif "ddrescue: " in text and (failed := _FAILED.match(text)):
        run.end, run.why = "error", f"found {failed['why']!r}"


def _result(run: _Run) -> Iterator[Item]:
    if run.average is None:
        yield _nothing(run)
        return
    if run.end is None and run.broken:
        run.end, run.below = "partial" if _FULL in run.why else "error", False
    run.below = run.below and not run.elsewhere
    try:
        yield _measurement(run, run.average)
    except SdAnalysisError as error:
        yield Problem(run.average.line, str(error))
        return
    for text in _notes(run):
        yield Problem(run.broken or run.average.line, text, "note")


def _nothing(run: _Run) -> Problem:
    """Return what is missing; a run that says why it did not start is no broken log."""
    if run.end == "error" and not run.screens:
        text = f"{run.why}, expected a status screen: ddrescue copied nothing"
        return Problem(run.first, text, "note")
    found = run.why or "found no status screen"
    return Problem(run.first, f"{found}, expected `average rate: <n> kB/s` from ddrescue")


def _measurement(run: _Run, average: _Average) -> Measurement:
    rate = figure("ddrescue", average.rate, average.unit)
    if not rate.value:
        raise SdAnalysisError("found an average rate of 0 B/s, expected one after the first second")
    # at a run time of 0 s the printed rate is only the count of the bytes
    is_part = run.below or (run.end == "measured" and run.seconds == 0)
    asked = run.asked
    return Measurement(
        line=average.line,
        column=average.column,
        tool="ddrescue",
        tool_version=run.version,
        op=asked.op,
        status="partial" if is_part else run.end or "running",
        direct=asked.direct(),
        block_size=asked.sectors * asked.sector if asked.sectors and asked.sector else None,
        run=f"{run.first}-ddrescue",
        name="average rate",
        **rate._asdict(),
    )


def _notes(run: _Run) -> Iterator[str]:
    if run.below:
        yield "found no `Finished` above what follows: the run may be whole or interrupted"
    elif run.end is None:
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
