"""KDiskMark, CrystalDiskMark: `SEQ    1MiB (Q=  8, T= 1):  3560.123 MB/s [   3395.2 IOPS] < ...`.

Below the figures `Test: 1 GiB (x5)` says how many runs stand behind each. CrystalDiskMark runs
DiskSpd (`-b -o -t -W0 -S`: no cache of the system) and keeps the best; its MB is 10^6 B. KDiskMark
runs fio, prints the mean of the runs, or the best in other profiles than Default, and divides fio's
KiB/s by 1000. It sums only every other of several processes (`jobs.takeAt(i)` in a loop over them),
so its figures of more than one are no results. Which latency the times are depends on the version.
CrystalDiskMark 3 and older did their operations themselves: `Random Read 4KB (QD=1) : 0.487 MB/s`.

People quote the figures alone. Other programs print their form, so they are read where the IOPS
beside them agree with the program's MB, and the text above names CrystalDiskMark, or version 3's
own line `Test :` stands below, or each figure stands in the columns of the one program whose MB
all of them agree with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Item, Line, Measurement
from sdanalysis.codebook.units import KIB, size_in_bytes
from sdanalysis.parsers.scripts.row import MARGIN, note, place, row

KDISKMARK, CRYSTALDISKMARK = "KDiskMark", "CrystalDiskMark"
_TITLE = re.compile(
    r"(?P<program>KDiskMark|CrystalDiskMark) \(?(?P<major>[0-9]{1,2})\.[0-9]{1,3}(?:\.[0-9]{1,4})?"
)
# another program of their kind, whose figures are its own
_OTHER = re.compile(r"\w{1,40}DiskMark \(?[0-9]{1,2}\.[0-9]")
_FIO = re.compile(r"Flexible I/O Tester \(fio-(?P<version>[0-9][0-9.]{0,10}[0-9])")
_SECTION = re.compile(rf"{MARGIN}\[(?P<name>Read|Write|Mix)\]")
_NUMBER = r"[0-9]{1,12}\.[0-9]"
_NEW = re.compile(
    rf"{MARGIN}(?P<pattern>SEQ|RND|Sequential|Random)\s{{1,8}}"
    r"(?P<block>[0-9]{1,5})\s{0,3}(?P<letter>[KM])iB "
    r"\(Q=\s{0,5}(?P<depth>[0-9]{1,5}),\s?T=\s{0,5}(?P<threads>[0-9]{1,5})\):\s{1,12}"
    rf"(?P<rate>{_NUMBER}[0-9]{{2}}) MB/s \[\s{{0,12}}(?P<iops>{_NUMBER}) IOPS\]"
    rf" <\s{{0,12}}{_NUMBER}[0-9] us>"
)
# up to CrystalDiskMark 6: the direction stands in the line, a sequential block size nowhere, and
# version 5 prints no queue for its sequential test of one thread
_OLD = re.compile(
    rf"{MARGIN}(?P<pattern>Sequential|Random) (?P<way>Read|Write)"
    r"(?: (?P<block>[0-9]{1,5})(?P<letter>[KM])iB)? "
    r"\((?:Q=\s{0,5}(?P<depth>[0-9]{1,5}),\s?)?T=\s{0,5}(?P<threads>[0-9]{1,5})\)\s{1,20}:\s{1,12}"
    rf"(?P<rate>{_NUMBER}[0-9]{{2}}) MB/s(?: \[\s{{0,12}}(?P<iops>{_NUMBER}) IOPS\])?(?![\w/])"
)
# up to CrystalDiskMark 3: 512 and 4 KB are of 1024, as MB/s over IOPS shows; no size of a
# sequential block, and no queue where there is one operation at a time
_OLDEST = re.compile(
    rf"{MARGIN}(?P<pattern>Sequential|Random) (?P<way>Read|Write)"
    r"(?: (?P<block>512|4)(?P<letter>K)B(?: \(QD=(?P<depth>1|32)\))?)?\s{1,20}:\s{1,12}"
    rf"(?P<rate>{_NUMBER}[0-9]{{2}}) MB/s(?: \[\s{{0,12}}(?P<iops>{_NUMBER}) IOPS\])?(?![\w/])"
)
_MB = {CRYSTALDISKMARK: 1e6, KDISKMARK: KIB * 1e3}
# each number in its columns: a page that took blanks away, or another program, has others
_IN_COLUMNS = {
    CRYSTALDISKMARK: re.compile(
        r"(?:(?:SEQ|RND) [ 0-9]{4}|(?:Sequential|Random) {1,3}[0-9]{1,4})[KM]iB "
        r"\(Q=[ 0-9]{3}, T=[ 0-9]{2}\): [ 0-9.]{9} MB/s \[[ 0-9.]{9,11} IOPS\] <[ 0-9.]{9,11} us>"
    ),
    KDISKMARK: re.compile(
        r"(?:Sequential|Random) {1,7}[0-9]{1,4} [KM]iB "
        r"\(Q=[ 0-9]{2,3}, T=[ 0-9]{2}\): [ 0-9.]{9} MB/s "
        r"\[ [ 0-9.]{8,10} IOPS\] < [ 0-9.]{8,10} us>"
    ),
}
_SELF = 3  # the last version that ran no DiskSpd
_FAR = 8  # lines between two figures of a summary that has no title
_NAMED = 40  # lines from the text that names a program to the first figure
_NAME = re.compile(r"(?:crystal )?\w{0,40}disk-?mark", re.IGNORECASE)
_OF_KDE = re.compile(r"[0-9]\s[KM]iB \(")
_ANOTHER = re.compile(
    r"clone|alternative|equivalent|inspired|similar|\blike\b|\bstyle\b", re.IGNORECASE
)
_PROFILE = re.compile(rf"{MARGIN}Profile: (?P<name>Default|Peak|Real|Demo)")
_TEST = re.compile(
    rf"{MARGIN}Test ?: (?P<size>[0-9]{{1,6}}) (?P<letter>[MG])(?P<binary>i)?B\b"
    r".{0,120}?\(x(?P<count>[0-9]{1,3})\)"
)
BEGINS = re.compile(
    r"(?:SEQ|RND|Sequential|Random)\s{1,8}"
    r"(?:[0-9]{1,5}\s{0,3}[KM]iB \(|(?:Read|Write)\b[^:\n]{0,24}:)"
    r"|\[(?:Read|Write|Mix)\]|(?:Profile|Test|Mode|Time|Date|OS) {0,3}: "
    r"|(?<!\w)\w{1,20}DiskMark \(?[0-9]"
)
_SIGNS = (
    "(Q=",
    "(T=",
    " MB/s",
    "DiskMark",
    "disk-mark",
    "Flexible",
    "[Read]",
    "[Write]",
    "[Mix]",
    "Profile:",
    "Test",
)
_NO_TITLE = (
    "found a result in the form of CrystalDiskMark without the line that names the program: what "
    "it ran, and what its MB is, are not known"
)
_BY_FORM = (
    "found a summary without the line that names the program: read as {}'s, whose form it has, and "
    "whose MB the IOPS tell"
)


class _Figure(NamedTuple):
    """A line of results with the direction of its section."""

    line: Line
    match: re.Match[str]
    way: str

    def test(self) -> tuple[str | None, ...]:
        """Return which test it is of."""
        named = self.match.groupdict()
        return (self.way, *map(named.get, ("pattern", "block", "depth", "threads")))

    def block(self) -> int | None:
        """Return its block size; None: not printed."""
        match = self.match
        return size_in_bytes(match["block"] + match["letter"]) if match["block"] else None

    def agrees(self, megabyte: float) -> bool | None:
        """Tell whether its IOPS make its rate with an MB of so many B; None: they are not there."""
        size = self.block()
        if not size or not self.match["iops"]:
            return None
        apart = abs(float(self.match["rate"]) * megabyte - float(self.match["iops"]) * size)
        return apart <= 0.05 * size + 1e-3 * megabyte


class _Summary:
    """What one summary says of itself, and its lines of results."""

    def __init__(self, title: re.Match[str] | None = None, *, foreign: bool = False) -> None:
        self.program = title["program"] if title else ""
        self.major = int(title["major"]) if title else 0
        self.is_titled = bool(title)
        self.named = ""  # of one without a title: which program is named above it
        self.is_inferred = False
        self.foreign = foreign
        self.version: str | None = None
        self.way = ""
        self.profile = ""
        self.count = 0
        self.file_size: int | None = None
        self.unsized: Line | None = None
        self.figures: list[_Figure] = []

    def take(self, line: Line) -> None:
        """Take what a line says, if it is one of a summary."""
        text = line.text
        if match := _NEW.match(text) or _OLD.match(text) or self._oldest(text):
            way = (self.way if match.re is _NEW else match["way"]).lower()
            self.figures.append(_Figure(line, match, way))
        elif match := _SECTION.match(text):
            self.way = match["name"].lower()
        elif match := _FIO.search(text):
            self.version = match["version"]
        elif match := _PROFILE.match(text):
            self.profile = match["name"]
        elif (match := _TEST.match(text)) and self.figures and not self.count:
            self.count = int(match["count"])
            if match["binary"]:
                self.file_size = size_in_bytes(match["size"] + match["letter"])
            else:
                self.unsized = line

    def _oldest(self, text: str) -> re.Match[str] | None:
        """Return the result of a version that measured itself."""
        is_self = self.program == CRYSTALDISKMARK and self.major <= _SELF
        return _OLDEST.match(text) if is_self or not (self.program or self.foreign) else None

    def ends_before(self, line: Line) -> bool:
        """Tell whether a line is of another summary, where no title says so."""
        if self.is_titled or self.foreign or not self.figures:
            return False
        if self.count or line.number - self.figures[-1].line.number > _FAR:
            return True
        if match := _SECTION.match(line.text):
            return any(figure.way == match["name"].lower() for figure in self.figures)
        other = _Summary()
        other.way = self.way
        other.take(line)
        return any(figure.test() == one.test() for figure in self.figures for one in other.figures)

    def _find_program(self) -> None:
        """Find the program by the form of the figures, and by the name that stands above them."""
        forms = {figure.match.re for figure in self.figures}
        fitting = [program for program in _MB if self._fits(program)]
        is_named = self.named == CRYSTALDISKMARK or (forms == {_OLDEST} and bool(self.count))
        is_its_own = not any(_OF_KDE.search(figure.match[0]) for figure in self.figures)
        if len(forms) == 1 and CRYSTALDISKMARK in fitting and is_named and is_its_own:
            self.program = CRYSTALDISKMARK
        elif len(fitting) == 1 and self.named in ("", *fitting):
            columns = _IN_COLUMNS[fitting[0]]
            self.is_inferred = all(columns.fullmatch(one.match[0].lstrip()) for one in self.figures)
            self.program = fitting[0] if self.is_inferred else ""

    def _fits(self, program: str) -> bool:
        """Tell whether the figures are those of a program, as far as the IOPS beside them tell."""
        told = [figure.agrees(_MB[program]) for figure in self.figures]
        return any(told) and False not in told

    def items(self) -> Iterator[Item]:
        """Yield the rows, and a word on what gives none."""
        if not (self.is_titled or self.foreign):
            self._find_program()
        if self.figures and not self.program:
            if any(figure.match.re is not _OLDEST for figure in self.figures):
                yield note(self.figures[0].line, _NO_TITLE)
            return
        if self.figures and (word := self._lacks()):
            yield note(self.figures[0].line, word)
        for figure in self.figures:
            yield from self._figure(figure)
        if self.unsized:
            text = "found a file of so many MB, and not whether they are 10^6 or 2^20 B"
            yield note(self.unsized, f"{text}: its size is not read")
        if any(figure.match.re is _NEW for figure in self.figures):
            yield note(
                self.figures[0].line, "found times whose kind depends on the version: not read"
            )

    def _lacks(self) -> str:
        if not self.is_titled:
            return _BY_FORM.format(self.program)
        if not self.count:
            text = (
                f"found a summary of {self.program} without its line `Test:`, which says how many"
            )
            return f"{text} runs a figure stands for: it is not whole"
        return ""

    def _status(self) -> str:
        return "measured" if self.count or not self.is_titled else "partial"

    def _stat(self) -> str:
        """Return which summary of the runs is printed; empty where that is not known."""
        if self.program == CRYSTALDISKMARK:
            return "max"
        if self.count == 1:
            return "single"
        stats = {"Default": "mean", "Peak": "max", "Real": "max"}
        return stats.get(self.profile, "") if self.count else ""

    def _figure(self, figure: _Figure) -> Iterator[Item]:
        match, is_kde = figure.match, self.program == KDISKMARK
        if figure.way not in ("read", "write"):
            text = "found the figure of a mix of reads and writes, or of none of its sections"
            yield note(figure.line, f"{text}: not read")
        elif is_kde and int(match["threads"]) > 1:
            text = f"found {match['threads']} processes, of which {KDISKMARK} sums every other one"
            yield note(figure.line, f"{text}: no result")
        elif stat := self._stat():
            said = self._said(figure) | {"stat": stat}
            rate = row(figure.line, match, "rate", (self.program, "MB/s"), said)
            yield rate
            if match["iops"] and isinstance(rate, Measurement):
                unit = (self.program, "IOPS")
                yield row(figure.line, match, "iops", unit, said, truncated=False)
        else:
            text = "found a figure of which is not said whether it is a mean or the best: not read"
            yield note(figure.line, text)

    def _said(self, figure: _Figure) -> dict[str, Any]:
        match = figure.match
        is_random = match["pattern"] in ("RND", "Random")
        is_kde = self.program == KDISKMARK
        tool = "fio" if is_kde else "crystaldiskmark" if match.re is _OLDEST else "diskspd"
        # what ran the operations of the oldest is not known; KDiskMark 3 may use the page cache
        is_direct = tool == "diskspd" or (is_kde and 0 < self.major < 3)
        return {
            "tool": tool,
            "tool_version": self.version if tool != "diskspd" else None,
            "script": self.program,
            "op": f"rand{figure.way}" if is_random else figure.way,
            "block_size": figure.block(),
            "file_size": self.file_size,
            "iodepth": int(match["depth"]) if match["depth"] else None,
            "numjobs": None if match.re is _OLDEST else int(match["threads"]),
            "direct": is_direct or None,
            "status": self._status(),
            "remarks": ("inferred-tool", "inferred-unit") if self.is_inferred else (),
            "run": f"{place(figure.line)}-{tool}",
        }


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the figures of the summaries, most of which begin with their title."""
    summary, named, at = _Summary(), "", 0
    for line in lines:
        text = line.text
        if not any(sign in text for sign in _SIGNS):
            continue
        head = text.lstrip()[:400] if "DiskMark" in text else ""
        title = _TITLE.search(head)
        other = _OTHER.search(head) if not title else None
        if title or other or summary.ends_before(line):
            yield from summary.items()
            summary = _Summary(title, foreign=bool(other))
        if title or other:
            named = ""
        elif names := _NAME.findall(text):
            named, at = _named(names, text), line.number
        else:
            if not summary.figures:
                summary.named = named if line.number - at <= _NAMED else ""
            summary.take(line)
    yield from summary.items()


def _named(names: Sequence[str], text: str) -> str:
    """Return which program a line above figures names; another one where it is none of the two."""
    found = {name.lower().replace(" ", "") for name in names}
    return next(
        (one for one in _MB if found == {one.lower()} and not _ANOTHER.search(text)), "another"
    )
