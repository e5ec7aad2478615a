"""The options of the commands, those that several of them share declared once."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import DATA, STANDARD_OUTPUT, in_package, is_stream, same_file

# An option by its names and what stands for its value, `-o/--output FILE`, with its help; where
# that is not all that argparse is to know, the rest. One without a value is a flag.
Options = Mapping[str, str | tuple[str, Mapping[str, Any]]]
MANY = {"action": "append", "default": []}

_INCLUDE = (
    "of a folder only the files whose name, or path in it, matches, such as '*.log'; "
    "repeat it for more. Other files than benchmark logs are passed over with a note"
)
_RAW = (
    "only the sources in DIR; its media.toml and hosts.toml, where there are any, "
    "add to the catalogue in --data"
)
_SPREADSHEET = (
    "CSV for a spreadsheet: an apostrophe before each text that it would run as a formula"
)
_PATHS = "a file (.gz too), a folder, a glob, or - for standard input"
_LIMIT = "of a log, as it lies and unpacked: 500M, 4G; a longer one is an error (default: 2G)"
INCLUDE: Options = {"--include GLOB": (_INCLUDE, MANY)}
PATHS: Options = {"paths PATH": (_PATHS, {"nargs": "+"}), **INCLUDE}
RAW: Options = {"--raw DIR": _RAW}
SPREADSHEET: Options = {"--spreadsheet": _SPREADSHEET}
LIMIT: Options = {"--max-bytes SIZE": (_LIMIT, {"default": "2G"})}


def data(folders: str = "raw/") -> Options:
    """Return the option of the folder that holds the catalogue and some folders."""
    text = f"folder with {folders}, media.toml and hosts.toml (default: the project's)"
    return {"--data DIR": (text, {"default": DATA})}


def output(text: str) -> Options:
    """Return the option of the file to write, whose `-` is standard output."""
    return {"-o/--output FILE": (text, {"type": lambda name: None if name == "-" else Path(name)})}


def formats(kinds: Iterable[str], default: str) -> Options:
    """Return the option of the format, one of these kinds."""
    text = f"default: by the ending of FILE, else {default}"
    return {"--format": (text, {"choices": tuple(kinds)})}


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number above 0")
    return number


def _size(text: str) -> int:
    from sdanalysis.codebook.units import size_in_bytes

    try:
        return size_in_bytes(text)
    except SdAnalysisError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


_KINDS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("FILE", "DIR", "FOLDER", "STORE"), Path), "N": _number, "SIZE": _size,
    "LEVEL": float,
}  # fmt: skip


def add_command(
    commands: argparse._SubParsersAction,
    name: str,
    summary: str,
    options: Options,
    *,
    epilog: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """Return a new command with its options; its epilog keeps its line ends."""
    raw = argparse.RawDescriptionHelpFormatter
    texts = {"help": summary, "description": summary, "epilog": epilog}
    command = commands.add_parser(name, formatter_class=raw, **texts)
    for key, told in options.items():
        names, _, metavar = key.partition(" ")
        text, given = (told, {}) if isinstance(told, str) else told
        if metavar:
            given = {"metavar": metavar, "type": _KINDS.get(metavar, str), **given}
        elif not given:
            given = {"action": "store_true"}
        command.add_argument(*names.split("/"), help=text, **given)
    command.set_defaults(run=run)
    return command


def exit_codes(done: str, failed: str) -> str:
    """Return the line of a command's help on its exit codes, the same four for every command."""
    return f"exit code: 0 {done}, 1 {failed}, 2 wrong usage, 130 interrupted\n"


def format_of(options: argparse.Namespace, endings: Mapping[str, str], default: str) -> str:
    """Return the format of --format or of the ending of --output, which may not contradict it."""
    path: Path | None = options.output
    ending = path.suffix.lower() if path else ""
    by_ending = endings.get(ending)
    if options.format and by_ending and options.format != by_ending:
        text = f"found --format {options.format} for the ending {ending!r}"
        raise UsageError(f"{path}: {text}, expected --format {by_ending}, or another ending")
    found = options.format or by_ending
    if found is None and path and not is_stream(path):
        known = f"--format or one of {', '.join(endings)}"
        raise UsageError(f"{path}: found the ending {ending!r}, expected {known}")
    if options.spreadsheet and (found or default) != "csv":
        raise UsageError(f"found --spreadsheet for {found or default}, expected it for csv only")
    return found or default


def check_page(path: Path) -> None:
    """Refuse a page that is not called one."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{path}: found the ending {path.suffix!r}, expected .html")


def check_place(path: Path, instead: str) -> None:
    """Refuse to write into the installed package, where the project's data lie in a wheel."""
    if in_package(path):
        raise UsageError(f"{path}: found a place in the installed package, expected {instead}")


def check_output(path: Path | None, inputs: Iterable[Path | str]) -> None:
    """Refuse an output that is one of the inputs, by whatever name: it would be lost."""
    if found := same_file(path or STANDARD_OUTPUT, inputs):
        name = path or "standard output"
        other = "" if str(path) == found else f" ({found})"
        text = f"{name}: found the output among what is read{other}, expected another file"
        raise UsageError(text)
