"""The options of the commands, as `help/` declares them, and what is refused of their values."""

import argparse
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import DATA, STANDARD_OUTPUT, is_in_package, is_stream, same_file

_HELP = Path(__file__).with_name("help")


def add_command(
    commands: argparse._SubParsersAction, name: str, run: Callable[[argparse.Namespace], int]
) -> None:
    """Add a command, which `run` runs, as `help/NAME.toml` declares it.

    The key of an option has its names and the placeholder of its value: `-o/--output FILE`. It maps
    to the help, or to a table with more for argparse. Without a placeholder it is a flag; an empty
    help is that of `help/shared.toml`.
    """
    command, shared = _declared(name), _declared("shared")
    raw, summary = argparse.RawDescriptionHelpFormatter, command["summary"]
    texts = {"help": summary, "description": summary, "epilog": command["epilog"]}
    parser = commands.add_parser(name, formatter_class=raw, **texts)
    for key, declared in command["options"].items():
        names, *values = key.split(" ")
        option = declared or shared[key]
        settings = {"help": option} if isinstance(option, str) else option
        if values:
            kind = _TYPES.get(settings.get("type", values[0]), str)
            metavar = values[0] if len(values) == 1 else tuple(values)
            settings = {**settings, "metavar": metavar, "type": kind}
        elif settings is not option:
            settings["action"] = "store_true"
        parser.add_argument(*names.split("/"), **settings)
    parser.set_defaults(run=run, data=DATA)


@cache
def _declared(name: str) -> dict[str, Any]:
    return tomllib.loads((_HELP / f"{name}.toml").read_text(encoding="utf-8"))


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


def _output(name: str) -> Path | None:
    return None if name == "-" else Path(name)


_TYPES: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("FILE", "DIR", "FOLDER", "STORE"), Path),
    **{"N": _number, "SIZE": _size, "LEVEL": float, "output": _output},
}


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
    if is_in_package(path):
        raise UsageError(f"{path}: found a place in the installed package, expected {instead}")


def check_output(path: Path | None, inputs: Iterable[Path | str]) -> None:
    """Refuse an output that is one of the inputs, by whatever name: it would be lost."""
    if found := same_file(path or STANDARD_OUTPUT, inputs):
        name = path or "standard output"
        other = "" if str(path) == found else f" ({found})"
        text = f"{name}: found the output among what is read{other}, expected another file"
        raise UsageError(text)
