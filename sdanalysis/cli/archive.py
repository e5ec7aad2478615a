"""`sdanalysis archive`: very many logs -> a store that keeps what they held, each read once."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis.archive.chunks import CHUNK
from sdanalysis.cli.options import add_command, add_include, add_limit, exit_codes
from sdanalysis.codebook.units import counted
from sdanalysis.errors import UsageError
from sdanalysis.paths import STANDARD_INPUT, printable

if TYPE_CHECKING:
    from sdanalysis.archive.updating import Summary

_EPILOG = """\
Run it again whenever there are more logs: a log that STORE has is not read again, whatever its
name, and what was killed goes on where it was. Only what the size or time of a file shows to be
new or changed is opened. Two logs with the same bytes are one with two names.

`sdanalysis.load(STORE)` reads a store, with columns= and filters=; so do DuckDB, polars and Spark.
`sdanalysis compare store:NAME=VALUE,... --store STORE` compares what lies in it.
`docs/many-logs.md` has more.

"""
_STEPS = {"read": "reading", "joined": "joining parts"}


def add(commands: argparse._SubParsersAction) -> None:
    """Add `archive` to the commands."""
    codes = exit_codes("all new logs read", "some were not, or not to their end")
    summary = "Read very many logs once, and keep what they hold as parquet."
    examples = (
        "examples:\n  sdanalysis archive logs/ store\n"
        "  sdanalysis archive /ci/runs store --include '*.log' --jobs 8\n"
        "  sdanalysis archive /shared/logs /shared/store --scheduler tcp://head:8786"
    )
    command = add_command(commands, "archive", summary, epilog=_EPILOG + codes + examples)
    text = "a file (.gz too), a folder or a glob in quotes"
    command.add_argument("paths", nargs="+", metavar="LOGS", help=text)
    text = "the folder of the store; it is made where there is none"
    command.add_argument("store", type=Path, metavar="STORE", help=text)
    add_include(command)
    text = "processes on this computer (default: one for each core)"
    command.add_argument("--jobs", type=_number, metavar="N", help=text)
    text = "instead of them the workers of a Dask cluster, such as tcp://host:8786; they need the\n"
    text += "same names for LOGS and STORE"
    command.add_argument("--scheduler", metavar="ADDRESS", help=text)
    text = f"logs that are read together (default: {CHUNK})"
    command.add_argument("--chunk", type=_number, default=CHUNK, metavar="N", help=text)
    text = "hash every log again, also those whose size and time are as they were"
    command.add_argument("--check", action="store_true", help=text)
    text = "drop the logs that vanished; they are kept without this"
    command.add_argument("--prune", action="store_true", help=text)
    text = "write each part anew that has rows of changed or dropped logs; without this, once\n"
    text += "these are an eighth of its logs"
    command.add_argument("--compact", action="store_true", help=text)
    add_limit(command)
    command.set_defaults(run=_run)


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number above 0")
    return number


def _run(options: argparse.Namespace) -> int:
    if STANDARD_INPUT in options.paths:
        raise UsageError("found - among LOGS, expected files, which have a name to come back to")
    if options.scheduler and options.jobs:
        raise UsageError("found --jobs and --scheduler, expected one of them")
    from sdanalysis.archive import Way, update
    from sdanalysis.archive.chunks import cluster, processes

    began = time.monotonic()
    progress = _Progress()
    jobs = options.jobs or _cores()
    engine = cluster(options.scheduler) if options.scheduler else processes(jobs)
    with engine as (executor, under_way):
        settings = {"chunk": options.chunk, "most": options.max_bytes, "tell": progress.say}
        way = Way(executor, under_way, progress=progress, **settings)
        flags = {name: getattr(options, name) for name in ("check", "prune", "compact")}
        found = update(options.store, options.paths, way, include=options.include, **flags)
    progress.end()
    _tell(options, found, time.monotonic() - began)
    return 1 if found.errors else 0


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):  # those that this process may use
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tell(options: argparse.Namespace, found: Summary, seconds: float) -> None:
    """Say what was not read, what vanished, and what was done."""
    for text in (*sorted(found.left_out), *found.words):
        print(text, file=sys.stderr)
    if found.errors > len(found.words):
        rest = f"and {found.errors - len(found.words):,} more"
        print(f"{rest}: sdanalysis.archive.problems({str(options.store)!r})", file=sys.stderr)
    for path in found.vanished:
        print(f"{printable(path)}: note: vanished", file=sys.stderr)
    if found.gone:
        text = "dropped" if options.prune else "kept; --prune drops them"
        print(f"{counted(found.gone, 'log')} vanished: {text}", file=sys.stderr)
    seen = f"{found.seen:,} logs seen, {found.hashed:,} new or changed"
    parts = counted(found.parts, "new part")
    rows = f"{found.read:,} contents read: {found.rows:,} rows in {parts}"
    there = f", {counted(found.parts_there, 'part')} were there" if found.parts_there else ""
    print(f"{options.store}: {seen}, {rows}{there}, {seconds:.1f} s", file=sys.stderr)


class _Progress:
    """How far a run is, on a terminal: what is done, how fast, and how long it will take."""

    def __init__(self) -> None:
        self._step, self._began, self._said, self._first = "", 0.0, 0.0, 0
        self._is_shown = False

    def __call__(self, step: str, done: int, whole: int) -> None:
        """Take what is done of a step."""
        now = time.monotonic()
        if step != self._step:
            self._step, self._began, self._first = step, now, done
        if not sys.stderr.isatty() or now - self._said < 0.2:
            return
        seconds, since = now - self._began, done - self._first
        rate = f", {since / seconds:,.0f}/s" if since else ""
        left = f", {_in_words((whole - done) * seconds / since)} left" if since else ""
        self._show(f"{_STEPS[step]}: {done:,} of {whole:,} logs{rate}{left}")
        self._said = now

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self.end()
        print(text, file=sys.stderr)

    def end(self) -> None:
        """Remove the line."""
        if self._is_shown:
            self._show("")
            self._is_shown = False

    def _show(self, text: str) -> None:
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        self._is_shown = True


def _in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02} min"
