"""What iozone's banner and command line say of a run: version, unit, tests, sizes, O_DIRECT.

The banner has a line an option, then `Command line used:` (iozone.c 3.471:2980-3060). A run without
a banner has the command at the prompt above it, if its figures do not deny that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from getopt import GetoptError, gnu_getopt
from math import inf
from string import ascii_letters
from typing import Any

from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.capture import Command

Options = Mapping[str, Sequence[str]]  # each letter with its arguments, `+n` for `-+n`
# getopt's string of iozone.c 3.489, all letters without an argument included
_LETTERS = re.sub("[JjkVrtsfFdluUSLHPibXYgnyq+]", r"\g<0>:", f"{ascii_letters}+")
_SCALE = {"": 1, "k": 1, "m": KIB, "g": KIB**2}
_SIZE = re.compile(r"([0-9]{1,12})([kmg]?)", re.IGNORECASE)
_CONDITION = re.compile(  # in kB, but for the number of processes
    r"\s*(?:(?P<s>[0-9]{1,12})\s+(?P<r>[0-9]{1,7})\s|Min xfer\s*=\s*(?P<xfer>[0-9]{1,12})\.\d\d kB"
    r"|Children see throughput for +(?P<t>[0-9]{1,6}) )"
)
DEFAULT_UNIT = "kB/s"
OPS, TIMES = "operations per second", "microseconds per operation"
FACT = (  # of a banner
    r"Version \$Revision: (?P<version>[0-9]\.[0-9]{1,4}) ?\$"
    rf"|(?:[\w/]{{1,20}} Mode. )?Output is in (?P<unit>[kK][bB]ytes/sec|{OPS}|{TIMES})"
    r"|(?P<direct>O_DIRECT(?:IO)? feature enabled|VxFS advanced feature|F_NOCACHE=1)"
    r"|Percent read in mix test is (?P<mix>[0-9]{1,3})"
    r"|Run began: |Auto Mode|Include (?:fsync|close) in write|File size set to |Record Size [0-9]"
)
COMPLAINT = (  # why it gave up
    r"Error: (?:[mM]aximum |[mM]inimum )?record|iozone: interrupted|"
    r"Error (?:writing|reading|re-?writing|pwriting|preading|fwriting) block|"
    r"Can not open temp|You must (?:specify|disable)|Can not mix throughput"
)
_COMPLAINT = re.compile(rf"\s*+(?:{COMPLAINT})")
_SIGNAL = re.compile(r"\s*+(?:\[[0-9]+\]\S?\s+)?(?:Killed|Terminated)\b")


@dataclass(kw_only=True)
class Run:
    """One invocation of iozone, filled in line by line: hence not frozen."""

    line: int
    titled: bool = False
    version: str | None = None
    options: Options | None = None
    unit: str | None = None
    direct: bool | None = None
    retested: bool = True
    read_mix: float | None = None
    file_size: int | None = None
    record: int | None = None
    blocks: set[tuple[object, ...]] = field(default_factory=set)  # of throughput mode, read
    results: int = 0
    is_over: bool = False  # another table, or line of a banner, is of another run
    refused: bool = False
    complete: bool = False

    def refuse(self, line: int, text: str) -> Problem:
        """Return an error about a line; the run is known then not to be whole."""
        self.refused = True
        return Problem(line, text)

    def shared(self, processes: int | None = None, *, mixed: bool = False) -> tuple[Any, ...]:
        """Return the fields of a measurement from `tool` on; a table's sizes are its rows'."""
        depths = numbers(self.options, "H") + numbers(self.options, "k")
        iodepth = depths[0] if len(depths) == 1 else None
        numjobs = processes or (1 if self.options is not None else None)
        direct = False if self.direct is None and self.options is not None else self.direct
        conditions = (numjobs, iodepth, self.read_mix if mixed else None, direct, 1)
        remarks = () if self.unit or processes else ("inferred-unit",)
        sizes = (self.record, self.file_size) if processes else (None, None)
        run = f"{self.line}-iozone"
        return ("iozone", self.version, None, *sizes, *conditions, run, "measured", remarks)

    def take_command(self, words: Sequence[str]) -> None:
        """Take what a command line says; old banners and cut ones say it in no other words."""
        given = options_of(tuple(words))
        if not given:
            return
        self.options = given
        self.direct = True if "I" in given else self.direct
        self.retested = self.retested and "+n" not in given
        self.unit = TIMES if "N" in given else OPS if "O" in given else self.unit
        if not given.keys().isdisjoint("tlu"):  # a table has its sizes in each row
            records = _sizes(given, "r") if "r" in given else [4]
            sizes = _sizes(given, "s") if "s" in given else [512]
            self.record = records[0] * KIB if len(records) == 1 else None
            self.file_size = sizes[0] * KIB if len(sizes) == 1 else None

    def take_fact(self, match: re.Match[str]) -> None:
        """Take what a line of the banner says."""
        self.version = match["version"] or self.version
        self.unit = match["unit"] or self.unit
        self.direct = True if match["direct"] else self.direct
        self.read_mix = float(match["mix"]) if match["mix"] else self.read_mix

    def adopt(self, command: Command, results: Sequence[str], line: int) -> Iterator[Problem]:
        """Take the command at the prompt above the first results, if they do not deny its sizes."""
        calls = command.of("iozone")
        if self.options is not None or self.results or len(calls) != 1:
            return
        if _is_denied(options_of(calls[0].words), results):
            text = f"sizes or processes that the command above (line {command.line}) does not give"
            yield Problem(line, f"found {text}: it is not taken for theirs", "note")
            return
        self.take_command(calls[0].words)
        self.line = self.line if self.titled else command.line


def why_ended(lines: Sequence[str]) -> str:
    """Return the status of results that end early, from the lines below; empty if none says."""
    for text in lines:
        if "iozone: interrupted" in text or text.rstrip().endswith("^C") or _SIGNAL.match(text):
            return "interrupted"
        if _COMPLAINT.match(text):
            return "error"
    return ""


@lru_cache(maxsize=64)  # the logs of a folder have the same few
def options_of(words: tuple[str, ...]) -> Options:
    """Return the options among words as getopt reads them; none where iozone would not run."""
    given: dict[str, list[str]] = {}
    with suppress(GetoptError):
        for name, value in gnu_getopt([*words, ""], _LETTERS)[0]:  # a cut line may lack an argument
            given.setdefault(f"+{value}" if name == "-+" else name[1:], []).append(value)
    return given


def numbers(options: Options | None, letter: str) -> list[int]:
    """Return the arguments of an option that are numbers, in their order."""
    texts = (options or {}).get(letter, ())
    return [int(text) for text in texts if re.fullmatch("[0-9]{1,9}", text)]


def _sizes(options: Options, letter: str) -> list[int]:
    """Return the sizes that are given, in kB; none where the shell filled in one."""
    found = [_SIZE.fullmatch(text) for text in options.get(letter, ())]
    return [int(match[1]) * _SCALE[match[2].lower()] for match in found if match and all(found)]


def _is_denied(options: Options, results: Sequence[str]) -> bool:
    """Tell whether the first lines of results have other sizes or processes than the options."""
    facts: dict[str, int] = {}
    for match in filter(None, map(_CONDITION.match, reversed(results))):  # the first row counts
        facts |= {name: int(digits) for name, digits in match.groupdict().items() if digits}
    ends = numbers(options, "l") + numbers(options, "u")
    counts = range(ends[0], ends[1] + 1) if len(ends) == 2 else numbers(options, "t")
    given = {"s": _sizes(options, "s"), "r": _sizes(options, "r"), "t": counts}
    others = [name for name, some in given.items() if some and facts.get(name, some[0]) not in some]
    is_more = facts.get("xfer", 0) > max(given["s"], default=inf)
    return bool(others) or is_more or ("t" in facts) == options.keys().isdisjoint("tlu")
