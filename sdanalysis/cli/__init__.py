"""The commands: the only place that prints and that decides about exit codes.

0: done. 1: something is wrong with the input, or a notebook failed. 2: wrong usage.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from sdanalysis import __version__
from sdanalysis.errors import SdAnalysisError, UsageError

COMMANDS = ("parse", "mine", "compare", "new-source", "build", "check", "explain", "report")


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
    given = sys.argv[1:] if arguments is None else arguments
    # to import the other commands would cost a small log a third of its time
    named = [name for name in given[:1] if name in COMMANDS]
    options = _parser(named or COMMANDS).parse_args(given)
    try:
        return options.run(options)
    except SdAnalysisError as error:
        print(f"sdanalysis {options.command}: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        print(f"sdanalysis {options.command}: interrupted", file=sys.stderr)
        return 130


def _parser(names: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sdanalysis",
        description="Storage benchmarks of small computers as one tidy table with provenance.",
        epilog="`sdanalysis COMMAND --help` says more about a command.",
    )
    parser.add_argument("--version", action="version", version=f"sdanalysis {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in names:
        import_module(f"{__name__}.{name.replace('-', '_')}").add(commands)
    return parser
