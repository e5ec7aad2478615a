"""The options that commands share, and how what they found is written."""

import argparse
import sys
from pathlib import Path

from sdanalysis.paths import DATA, write_whole


def add_command(
    commands: argparse._SubParsersAction, name: str, summary: str, *, epilog: str
) -> argparse.ArgumentParser:
    """Return a new command; its epilog keeps its line ends."""
    raw = argparse.RawDescriptionHelpFormatter
    texts = {"help": summary, "description": summary, "epilog": epilog}
    return commands.add_parser(name, formatter_class=raw, **texts)


def add_paths(command: argparse.ArgumentParser) -> None:
    """Give a command the logs that it reads."""
    text = "a file (.gz too), a folder, a glob, or - for standard input"
    command.add_argument("paths", nargs="+", metavar="PATH", help=text)


def add_output(command: argparse.ArgumentParser, text: str) -> None:
    """Give a command the option --output, and say what is written there."""
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help=text)


def add_data(command: argparse.ArgumentParser) -> None:
    """Give a command the option --data: the folder that holds raw files and catalogue."""
    text = "folder with raw/, media.toml and hosts.toml (default: the project's)"
    command.add_argument("--data", type=Path, default=DATA, metavar="DIR", help=text)


def add_raw(command: argparse.ArgumentParser) -> None:
    """Give a command the option --raw: a folder of sources of the user's own."""
    text = "only the sources in DIR; its media.toml and hosts.toml, where there are any, "
    text += "add to the catalogue in --data"
    command.add_argument("--raw", type=Path, metavar="DIR", help=text)


def write_output(content: bytes, output: Path | None, counted: str) -> None:
    """Write to standard output, or a file when it is whole, and say how much it holds."""
    if output is None:
        sys.stdout.write(content.decode())
        return
    write_whole(output, content)
    print(f"{output}: {counted}", file=sys.stderr)
