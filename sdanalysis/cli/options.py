"""The options that commands share, and how what they found is written."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import (
    DATA,
    STANDARD_OUTPUT,
    in_package,
    is_stream,
    same_file,
    write_whole,
)


def add_command(
    commands: argparse._SubParsersAction, name: str, summary: str, *, epilog: str
) -> argparse.ArgumentParser:
    """Return a new command; its epilog keeps its line ends."""
    raw = argparse.RawDescriptionHelpFormatter
    texts = {"help": summary, "description": summary, "epilog": epilog}
    return commands.add_parser(name, formatter_class=raw, **texts)


def exit_codes(done: str, failed: str) -> str:
    """Return the line of a command's help on its exit codes, the same four for every command."""
    return f"exit code: 0 {done}, 1 {failed}, 2 wrong usage, 130 interrupted\n"


def add_paths(command: argparse.ArgumentParser) -> None:
    """Give a command the logs that it reads."""
    text = "a file (.gz too), a folder, a glob, or - for standard input"
    command.add_argument("paths", nargs="+", metavar="PATH", help=text)
    add_include(command)


def add_include(command: argparse.ArgumentParser) -> None:
    """Give a command the option --include: which files of a folder it reads."""
    text = "of a folder only the files whose name, or path in it, matches, such as '*.log'; "
    text += "repeat it for more. Other files than benchmark logs are passed over with a note"
    given = {"action": "append", "default": [], "metavar": "GLOB", "help": text}
    command.add_argument("--include", **given)


def add_output(command: argparse.ArgumentParser, text: str, *, stream: bool = False) -> None:
    """Give a command the option --output, and say what is written there.

    With `stream` its `-` is standard output, which is meant without the option, too.
    """
    kind = _file_or_stream if stream else Path
    command.add_argument("-o", "--output", type=kind, metavar="FILE", help=text)


def _file_or_stream(text: str) -> Path | None:
    return None if text == "-" else Path(text)


def add_format(command: argparse.ArgumentParser, endings: Mapping[str, str], default: str) -> None:
    """Give a command the option --format: one of those that endings of files name."""
    text = f"default: by the ending of FILE, else {default}"
    command.add_argument("--format", choices=tuple(endings.values()), help=text)


def format_of(options: argparse.Namespace, endings: Mapping[str, str], default: str) -> str:
    """Return the format of --format or of the ending of --output, which may not contradict it."""
    output: Path | None = options.output
    ending = output.suffix.lower() if output else ""
    by_ending = endings.get(ending)
    if options.format and by_ending and options.format != by_ending:
        text = f"found --format {options.format} for the ending {ending!r}"
        raise UsageError(f"{output}: {text}, expected --format {by_ending}, or another ending")
    found = options.format or by_ending
    if found is None and output and not is_stream(output):
        known = f"--format or one of {', '.join(endings)}"
        raise UsageError(f"{output}: found the ending {ending!r}, expected {known}")
    return found or default


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
