"""`sdanalysis archive`: very many logs -> a store that keeps what they held, each read once."""

import argparse
import os
import sys
import time

from sdanalysis.archive import Way, update
from sdanalysis.archive.chunks import cluster, processes
from sdanalysis.archive.updating import Summary
from sdanalysis.bench.words import duration
from sdanalysis.codebook.units import counted
from sdanalysis.errors import UsageError
from sdanalysis.paths import STANDARD_INPUT, printable

_STEPS = {"read": "reading", "joined": "joining parts"}


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if STANDARD_INPUT in options.paths:
        raise UsageError("found - among LOGS, expected files, which have a name to come back to")
    if options.scheduler and options.jobs:
        raise UsageError("found --jobs and --scheduler, expected one of them")
    began = time.monotonic()
    progress = _Progress()
    # the cores that this process may use, where the system tells them
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
    jobs = options.jobs or len(usable(0))
    engine = cluster(options.scheduler) if options.scheduler else processes(jobs)
    with engine as (executor, under_way):
        settings = {"chunk": options.chunk, "most": options.max_bytes, "tell": progress.say}
        way = Way(executor, under_way, progress=progress, **settings)
        flags = {name: getattr(options, name) for name in ("check", "prune", "compact")}
        found = update(options.store, options.paths, way, include=options.include, **flags)
    progress.end()
    _tell(options, found, time.monotonic() - began)
    return 1 if found.errors else 0


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
    logs = f"{found.files:,} logs seen, {found.hashed:,} new or changed"
    parts = counted(found.parts, "new part")
    rows = f"{found.read:,} contents read: {found.rows:,} rows in {parts}"
    existing = f", {counted(found.parts_there, 'part')} were there" if found.parts_there else ""
    print(f"{options.store}: {logs}, {rows}{existing}, {seconds:.1f} s", file=sys.stderr)


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
        left = f", {duration((whole - done) * seconds / since)} left" if since else ""
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
