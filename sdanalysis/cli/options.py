"""The options that commands share, and how what they found is written."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import DATA, STANDARD_OUTPUT, in_package, same_file, write_whole


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


def add_data(command: argparse.ArgumentParser, folders: str = "raw/") -> None:
    """Give a command the option --data: the folder that holds the catalogue and some folders."""
    text = f"folder with {folders}, media.toml and hosts.toml (default: the project's)"
    command.add_argument("--data", type=Path, default=DATA, metavar="DIR", help=text)


def add_raw(command: argparse.ArgumentParser) -> None:
    """Give a command the option --raw: a folder of sources of the user's own."""
    text = "only the sources in DIR; its media.toml and hosts.toml, where there are any, "
    text += "add to the catalogue in --data"
    command.add_argument("--raw", type=Path, metavar="DIR", help=text)


def check_place(path: Path, instead: str) -> None:
    """Refuse to write into the installed package, where the project's data lie in a wheel."""
    if in_package(path):
        raise UsageError(f"{path}: found a place in the installed package, expected {instead}")


def add_limit(command: argparse.ArgumentParser) -> None:
    """Give a command the option --max-bytes: how much it reads of a log."""
    from sdanalysis.logs.files import MOST_BYTES

    text = "of a log, as it lies and unpacked: 500M, 4G; a longer one is an error (default: 2G)"
    size = {"type": _size, "default": MOST_BYTES, "metavar": "SIZE"}
    command.add_argument("--max-bytes", **size, help=text)


def _size(text: str) -> int:
    from sdanalysis.codebook.units import size_in_bytes

    try:
        return size_in_bytes(text)
    except SdAnalysisError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_spreadsheet(command: argparse.ArgumentParser) -> None:
    """Give a command the option --spreadsheet."""
    text = "CSV for a spreadsheet: an apostrophe before each text that it would run as a formula"
    command.add_argument("--spreadsheet", action="store_true", help=text)


def check_output(output: Path | None, inputs: Iterable[Path | str]) -> None:
    """Refuse an output that is one of the inputs, by whatever name: it would be lost."""
    if found := same_file(output or STANDARD_OUTPUT, inputs):
        name = output or "standard output"
        other = "" if str(output) == found else f" ({found})"
        text = f"{name}: found the output among what is read{other}, expected another file"
        raise UsageError(text)


def encoded(text: str) -> bytes:
    """Return text as UTF-8; what is no character (a byte of a file's name) as its code."""
    return text.encode("utf-8", "backslashreplace")


def write_output(content: bytes, output: Path | None, counted: str) -> None:
    """Write UTF-8 to standard output, or a file when it is whole, and say how much it holds."""
    if output is None:
        sys.stdout.write(content.decode())
        return
    write_whole(output, content)
    print(f"{output}: {counted}", file=sys.stderr)
