"""Reads the logs that a command names, and says on a terminal how far it is."""

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
_OUR_JSON = (f'{{"{LOG_COLUMNS[0]}": ', '"value_low": ')
_OUR_PAGE = ("<!doctype html>", '<meta name="generator" content="sdanalysis mine">')


def named(options: argparse.Namespace) -> list[str]:
    """Return the logs that the arguments name; UsageError where the output is one of them."""
    return _apart(expand(options.paths, options.include), options.output)


def read_all(paths: Sequence[str], read: Callable[[str], Read]) -> Iterator[Read]:
    """Read each log; report progress when it takes more than a second."""
    began = said = time.monotonic()
    for number, path in enumerate(paths, 1):
        yield read(path)
        now = time.monotonic()
        if sys.stderr.isatty() and now - began > 1 and now - said > 0.2:
            print(f"\r{number} of {len(paths)} files", end="\r", file=sys.stderr, flush=True)
            said = now


def _apart(paths: list[str], output: Path | None) -> list[str]:
    """Return what is to be read without the output of an earlier run, which is to be replaced.

    A log that is the output is refused.
    """
    found = same_file(output or STANDARD_OUTPUT, paths)
    if found is None:
        return paths
    others = [path for path in paths if path != found]
    if not others or not _is_ours(found):
        check_output(output, paths)
    if output:
        print(f"{found}: note: not read, for it is the output", file=sys.stderr)
    return _apart(others, output)


def _is_ours(path: str) -> bool:
    """Tell whether a file is one that `parse` or `mine` wrote, or empty: `>` of a shell."""
    with Path(path).open("rb") as file:
        begin = file.read(4096).decode("utf-8", "replace")
    tables = [",".join(columns) for columns in (LOG_COLUMNS, *TABLES.values())]
    ours = (*tables, _OUR_JSON[0], "PAR1", _OUR_PAGE[0])
    if not begin.startswith(ours):
        return not begin
    marks = {_OUR_JSON[0]: _OUR_JSON[1], _OUR_PAGE[0]: _OUR_PAGE[1]}
    return all(mark in begin for start, mark in marks.items() if begin.startswith(start))


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
