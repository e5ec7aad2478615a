"""The commands: the only place that prints and that decides about exit codes.

0: done. 1: something is wrong with the input, or a notebook failed. 2: wrong usage.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from sdanalysis import __version__
from sdanalysis.cli import build, check, compare, explain, mine, new_source, parse, report
from sdanalysis.errors import SdAnalysisError, UsageError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()  # here, for at the exit of Python a closed pipe would be reported
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except SdAnalysisError as error:
        print(f"sdanalysis {options.command}: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        print(f"sdanalysis {options.command}: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sdanalysis",
        description="Storage benchmarks of small computers as one tidy table with provenance.",
        epilog="`sdanalysis COMMAND --help` says more about a command.",
    )
    parser.add_argument("--version", action="version", version=f"sdanalysis {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (parse, mine, compare, new_source, build, check, explain, report):
        command.add(commands)
    return parser
