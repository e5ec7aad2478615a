"""The logs that a command names: read one by one, with a word on how far it is on a terminal."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from sdanalysis.cli.options import check_output
from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.tables import TABLES
from sdanalysis.codebook.units import counted
from sdanalysis.paths import STANDARD_OUTPUT, expand, only_folders, same_file

Read = TypeVar("Read")
# How what `parse` and `mine` write begins, and what else its beginning holds.
_OURS = {
    f'{{"{LOG_COLUMNS[0]}": ': '"value_low": ',
    "<!doctype html>": '<meta name="generator" content="sdanalysis mine">',
    **{",".join(columns): "" for columns in (LOG_COLUMNS, *TABLES.values())},
    "PAR1": "",
}


def named(options: argparse.Namespace) -> list[str]:
    """Return the logs that the arguments name; UsageError where the output is one of them.

    The output of an earlier run, which is to be replaced, is left out.
    """
    paths = expand(options.paths, options.include)
    while found := same_file(options.output or STANDARD_OUTPUT, paths):
        others = [path for path in paths if path != found]
        if not others or not _is_ours(found):
            check_output(options.output, paths)
        if options.output:
            print(f"{found}: note: not read, for it is the output", file=sys.stderr)
        paths = others
    return paths


def _is_ours(path: str) -> bool:
    """Tell whether a file is one that `parse` or `mine` wrote, or empty: `>` of a shell."""
    with Path(path).open("rb") as file:
        begin = file.read(4096).decode("utf-8", "replace")
    return not begin or any(begin.startswith(s) and mark in begin for s, mark in _OURS.items())


def read_all(paths: Sequence[str], read: Callable[[str], Read]) -> Iterator[Read]:
    """Read each log; report progress when it takes more than a second."""
    began = told_at = time.monotonic()
    for number, path in enumerate(paths, 1):
        yield read(path)
        now = time.monotonic()
        if sys.stderr.isatty() and now - began > 1 and now - told_at > 0.2:
            print(f"\r{number} of {len(paths)} files", end="\r", file=sys.stderr, flush=True)
            told_at = now


def is_empty(paths: Sequence[str], what: str, rows: int) -> bool:
    """Tell whether folders held nothing of what was asked for, and say so."""
    if rows or not only_folders(paths):
        return False
    text = f"found no {what} in any of {counted(len(paths), 'file')}"
    print(f"sdanalysis: {text}, expected a benchmark's log among them", file=sys.stderr)
    return True


def report_problem(path: str, problem: Problem) -> None:
    """Print what could not be read, or is worth a word, as `path:line: text`."""
    kind = "" if problem.kind == "error" else f"{problem.kind}: "
    print(f"{path}:{problem.line}: {kind}{problem.text}", file=sys.stderr)
