"""The commands: the only place that prints and that decides about exit codes.

0: done. 1: something is wrong with the input, or a notebook failed. 2: wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from sdanalysis import __version__
from sdanalysis.cli import build, check, explain, report
from sdanalysis.errors import SdAnalysisError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except SdAnalysisError as error:
        print(f"sdanalysis {options.command}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `| head` has read enough
        sys.stderr.close()
        return 1
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
    for command in (build, check, explain, report):
        command.add(commands)
    return parser
