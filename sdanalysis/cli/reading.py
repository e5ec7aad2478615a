"""Reads the logs that a command names, and says on a terminal how far it is."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from sdanalysis.codebook.measurement import Problem
from sdanalysis.paths import expand

Read = TypeVar("Read")


def read_all(arguments: Sequence[str], read: Callable[[str], Read]) -> Iterator[Read]:
    """Read each log that the arguments name; report progress when it takes more than a second."""
    paths = expand(arguments)
    began = said = time.monotonic()
    for number, path in enumerate(paths, 1):
        yield read(path)
        now = time.monotonic()
        if sys.stderr.isatty() and now - began > 1 and now - said > 0.2:
            print(f"\r{number} of {len(paths)} files", end="\r", file=sys.stderr, flush=True)
            said = now


def report_problem(path: str, problem: Problem) -> None:
    """Print what could not be read, or is worth a word, as `path:line: text`."""
    kind = "" if problem.kind == "error" else f"{problem.kind}: "
    print(f"{path}:{problem.line}: {kind}{problem.text}", file=sys.stderr)
