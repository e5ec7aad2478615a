"""Measure how fast logs become tables, against the fastest reading that there is: `make speed`.

Every case runs in a process of its own. In each round limit and ours take turns, now the one first
and now the other, so that a busy machine slows both: the result is the median of the rounds' own
ratios, with the least and the greatest beside it; seconds mean nothing. So it is with twice the
input: half and whole take turns. A second table has what a user gets: the first call in a fresh
process, that call with `to_csv`, and the command `sdanalysis parse -o`, in processor seconds and
memory of whole processes. Ends with 0, whatever is found.
"""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache, partial
from math import inf
from pathlib import Path
from statistics import median
from typing import NamedTuple

import inputs
import orjson
import pandas as pd
from command import high_water

import sdanalysis

ROUNDS = 11
TWICE = 2.3
FRESH = 5  # rounds of whole processes
COMMAND = 1.2  # times what the call with to_csv takes, of time and of memory
COMMAND_LINE = Path(__file__).with_name("command.py")
COMMANDS = ("fio", "iozone", "mixed")  # the cases that `sdanalysis parse` is measured with


class Times(NamedTuple):
    """What the rounds gave: medians in seconds, the ratios limit to ours, whole to half of ours."""

    limit: float
    ours: float
    ratio: float
    least: float
    greatest: float
    twice: float


class Case(NamedTuple):
    """What is made and measured, and what is needed: `ratio` of limit to ours, `memory` x input."""

    name: str
    make: Callable[[Path, int], None]
    amount: int
    limit: Callable[[Path], object]
    limit_name: str
    ours: Callable[[Path], object]
    ratio: float
    memory: float | None = None


def _load_all(folder: Path) -> None:
    for path in folder.iterdir():
        orjson.loads(path.read_bytes())


# What somebody would write in an afternoon: right on a clean log of each tool, and no more.
_NAIVE = {
    "dd": re.compile(r"(\d+) bytes .*copied, ([\d.]+) s, ([\d.]+) (\w+/s)"),
    "hdparm": re.compile(r"Timing (\w+).* (\d+) MB in +([\d.]+) seconds = +([\d.]+) MB/sec"),
    "iozone": re.compile(r"^ +(\d+) +(\d+)((?: +\d+)+) *$", re.M),
    "throughput": re.compile(r"Children see throughput for +(\d+) (.*?)\s*= +([\d.]+) kB/sec"),
    "fio text": re.compile(r"(read|write|trim) ?: .*?IOPS=([\d.]+\w?), BW=([\d.]+)([KMG]i?B/s)"),
    "fio json": re.compile(r'"bw_bytes" : (\d+),|"iops" : ([\d.]+),|"mean" : ([\d.]+),'),
    "terse": re.compile(r"^(\d);fio-([\d.]+);(.*)$", re.M),
    "side log": re.compile(r"^(\d+), (\d+), (\d), (\d+)", re.M),
    "ddrescue": re.compile(r"(?:current|average) rate: +(\d+) +(\w?B/s)"),
}


def _naive(folder: Path) -> pd.DataFrame:
    """Return what plain regular expressions find: groups as text, no units, no lines."""
    rows = []
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8", errors="replace")
        for tool, pattern in _NAIVE.items():
            rows += [(path.name, tool, *match.groups()) for match in pattern.finditer(text)]
    return pd.DataFrame(rows)


def _read_csv(folder: Path) -> pd.DataFrame:
    return pd.read_csv(_only(folder), header=None)


def _read_table(folder: Path) -> pd.DataFrame:
    path = _only(folder)
    return pd.read_csv(path, sep=r"\s+", header=None, skiprows=5, nrows=_row_count(path))


@cache
def _row_count(path: Path) -> int:
    """Return how many lines stand between the header and the last three lines."""
    return path.read_bytes().count(b"\n") - 5 - 2


def _read_rows(folder: Path) -> list[list[object]]:
    """Return the rows of iozone's tables, as a script would keep them: the name and the numbers."""
    rows: list[list[object]] = []
    for path in folder.iterdir():
        with path.open(encoding="utf-8") as file:
            for line in file:
                cells = line.split()
                if len(cells) > 2 and all(map(str.isdigit, cells)):
                    rows.append([path.name, *map(int, cells)])
    return rows


def _only(folder: Path) -> Path:
    return next(folder.iterdir())


CASES = {
    "fio": Case(
        "10,000 fio JSON files", inputs.fio_json, 10_000,
        _load_all, "orjson.loads", sdanalysis.parse, 0.4,
    ),
    "bins": Case(
        "json+ file, 60 MB", inputs.json_plus, 60,
        _load_all, "orjson.loads", partial(sdanalysis.parse, what="bins"), 0.35, 8,
    ),
    "samples": Case(
        "bandwidth log, 100 MB", inputs.bandwidth_log, 100,
        _read_csv, "read_csv", partial(sdanalysis.parse, what="samples"), 0.9, 4,
    ),
    "iozone": Case(
        "iozone table, 20 MB", inputs.iozone, 20,
        _read_table, r"read_csv \s+", sdanalysis.parse, 0.5, 10,
    ),
    "mixed": Case(
        "2,000 different small logs", inputs.mixed, 2_000,
        _naive, "naive regexes", sdanalysis.parse, 0.55,
    ),
    "tables": Case(
        "20 logs of iozone -a", inputs.iozone_logs, 20,
        _read_rows, "plain loop", sdanalysis.parse, 1.0,
    ),
}  # fmt: skip


def main() -> None:
    """Measure every case, then print the tables."""
    lines, users = [], []
    twice: list[tuple[float, str]] = []
    for key, case in CASES.items():
        try:
            line, factor, user = _measured(key, case)
        except subprocess.CalledProcessError as error:
            reason = (error.stderr.splitlines() or [""])[-1]
            line, factor = f"{case.name:<28}failed: exit code {error.returncode} {reason}", inf
            user = ""
        lines.append(line)
        users += [user] if user else []
        twice.append((factor, case.name))
    _say("")
    heads = f"{'limit s':>8}{'ours s':>8}{'ratio':>7}{'from-to':>12}{'needed':>8}"
    print(f"{'input':<28}{'limit':<14}{heads}  peak memory")
    print("\n".join(lines))
    worst, name = max(twice)
    verdict = "ok" if worst <= TWICE else "missed"
    figures = f"{'time x':<30}{worst:>7.2f}{'':>12}{TWICE:>8}"
    print(f"{'twice the input':<28}{figures}  worst: {name}: {verdict}")
    print(f"\n{'processor seconds, memory':<28}{_HEADS}")
    print("\n".join(users))


def _measured(key: str, case: Case) -> tuple[str, float, str]:
    """Return a case's line of both tables, and how much longer twice the input takes."""
    with tempfile.TemporaryDirectory() as name:
        half, whole = Path(name, "half"), Path(name, "whole")
        _say(f"{case.name}: making")
        for folder, amount in ((half, case.amount // 2), (whole, case.amount)):
            folder.mkdir()
            case.make(folder, amount)
        os.sync()  # else the system writes them to the disk while they are read
        size = sum(path.stat().st_size for path in whole.iterdir())
        _say(f"{case.name}: measuring")
        times = Times(*_in_process("time", key, whole, half))
        (peak,) = _in_process("peak", key, whole)
        user = _as_a_user(key, case, whole) if key in COMMANDS else ""
    return _line(case, times, peak, size), times.twice, user


def _line(case: Case, measured: Times, peak: float, size: int) -> str:
    limit, ours, ratio, least, greatest, _ = measured
    times = peak / size
    spread = f"{least:.0%}-{greatest:.0%}"
    memory = f"{peak / 1e6:.0f} MB, {times:.1f} x input"
    memory += f" (at most {case.memory})" if case.memory else ""
    good = ratio >= case.ratio and times <= (case.memory or times)
    return (
        f"{case.name:<28}{case.limit_name:<14}{limit:>8.3f}{ours:>8.3f}{ratio:>7.0%}"
        f"{spread:>12}{case.ratio:>8.0%}  {memory}: {'ok' if good else 'missed'}"
    )


_HEADS = (
    f"{'first call':>12}{'limit':>8}{'ratio':>7}{'call, to_csv':>20}{'command':>20}  command:call"
)


def _as_a_user(key: str, case: Case, folder: Path) -> str:
    """Return a line of the second table: medians of whole processes that took turns."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as table:
        turns = {
            "first": [__file__, "first", key, str(folder)],
            "limit": [__file__, "limit", key, str(folder)],
            "call": [__file__, "table", key, str(folder), table.name],
            "command": [str(COMMAND_LINE), "parse", str(folder), "-o", table.name],
        }
        rounds = [
            {name: _whole_process(arguments) for name, arguments in turns.items()}
            for _ in range(FRESH)
        ]
    first, limit, call, command = (
        [median(of[name][what] for of in rounds) for what in (0, 1)] for name in turns
    )
    seconds, memory = command[0] / call[0], command[1] / call[1]
    good = "ok" if max(seconds, memory) <= COMMAND else "missed"
    parts = [f"{seconds:>9.2f} s {memory / 1e6:>6.0f} MB" for seconds, memory in (call, command)]
    return (
        f"{case.name:<28}{first[0]:>12.2f}{limit[0]:>8.2f}{limit[0] / first[0]:>7.0%}"
        f"{''.join(parts)}  x {seconds:.2f}, memory x {memory:.2f} (at most {COMMAND:g}): {good}"
    )


def _whole_process(arguments: list[str]) -> list[float]:
    """Return the processor seconds of a process and its most memory, which it prints at its end."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, check=True, text=True)
    return [*map(float, done.stdout.split())]


def _first(function: Callable[[Path], object], folder: Path) -> None:
    """Print the processor seconds of one call in a process that has made none, and its memory."""
    began = time.process_time()
    function(folder)
    print(time.process_time() - began, high_water())


def _write_table(case: Case, folder: Path, path: Path) -> None:
    table = case.ours(folder)
    assert isinstance(table, pd.DataFrame)
    table.to_csv(path, index=False)
    print(time.process_time(), high_water())


def _say(text: str) -> None:
    """Tell on a terminal how far it is; in a pipe, only the table appears."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


def _in_process(what: str, key: str, *folders: Path) -> list[float]:
    command = [sys.executable, __file__, what, key, *map(str, folders)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return json.loads(done.stdout)


def _times(case: Case, whole: Path, half: Path) -> Times:
    turns = [(case.limit, whole), (case.ours, whole), (case.ours, half)]
    for function, folder in turns:  # the files are in the system's cache from here on
        function(folder)
    rounds = []
    for number in range(ROUNDS):
        order = turns if number % 2 else turns[::-1]
        seconds = {turn: _seconds(*turn) for turn in order}
        rounds.append([seconds[turn] for turn in turns])
    ratios = [limit / ours for limit, ours, _ in rounds]
    return Times(
        limit=median(limit for limit, _, _ in rounds),
        ours=median(ours for _, ours, _ in rounds),
        ratio=median(ratios),
        least=min(ratios),
        greatest=max(ratios),
        twice=median(ours / first for _, ours, first in rounds),
    )


def _seconds(function: Callable[[Path], object], folder: Path) -> float:
    gc.collect()  # what the other turn left
    began = time.perf_counter()
    function(folder)
    return time.perf_counter() - began


def _peak(case: Case, folder: Path) -> list[float]:
    """Return by how many bytes one call raises the memory of a process with all its imports."""
    before = high_water()
    table = case.ours(folder)
    assert table is not None
    return [high_water() - before]


def _child(what: str, key: str, *paths: str) -> None:
    warnings.simplefilter("ignore")  # broken logs are among the small ones
    case, given = CASES[key], [*map(Path, paths)]
    if what == "table":
        _write_table(case, *given)
    elif what in ("first", "limit"):
        _first(case.ours if what == "first" else case.limit, *given)
    else:
        measure = {"time": _times, "peak": _peak}[what]
        print(json.dumps(measure(case, *given)))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _child(*sys.argv[1:])
    else:
        main()
