"""What the commands share: the project's root, a sub-parser, the option --data."""

from __future__ import annotations

import argparse
from pathlib import Path

from sdanalysis.paths import DATA


def add_command(
    commands: argparse._SubParsersAction, name: str, summary: str, *, epilog: str
) -> argparse.ArgumentParser:
    """Return a new command; its epilog keeps its line ends."""
    return commands.add_parser(
        name,
        help=summary,
        description=summary,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=epilog,
    )


def add_data(command: argparse.ArgumentParser) -> None:
    """Give a command the option --data: the folder that holds raw files and catalogue."""
    command.add_argument(
        "--data",
        type=Path,
        default=DATA,
        metavar="DIR",
        help="folder with raw/, media.toml and hosts.toml (default: the project's)",
    )


def add_raw(command: argparse.ArgumentParser) -> None:
    """Give a command the option --raw: a folder of sources of the user's own."""
    command.add_argument(
        "--raw",
        type=Path,
        metavar="DIR",
        help="only the sources in DIR; its media.toml and hosts.toml, where there are any, "
        "add to the catalogue in --data",
    )
