"""`sdanalysis new-source`: a name -> a folder with a commented source.toml to fill in."""

import argparse
import hashlib
import json
import re
from pathlib import Path

from sdanalysis.cli.options import add_command, check_place, exit_codes
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import DATA, is_unfinished, write_whole
from sdanalysis.sources.beside import beside
from sdanalysis.sources.fill_in import FILL_IN

TEMPLATES = Path(__file__).parent / "new-source"
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_PROJECT = DATA / "raw"
_COMPANIONS = DATA / "companions"


def add(commands: argparse._SubParsersAction) -> None:
    """Add `new-source` to the commands."""
    command = add_command(
        commands, "new-source", "Begin a source: a folder with a commented source.toml to fill in.",
        epilog="Files that are in the folder already are declared with their sha256. Beside the\n"
        "folder, a media.toml and a hosts.toml for cards and computers that the project does not\n"
        "know are begun where there are none. Nothing is overwritten; `sdanalysis build` refuses\n"
        "the source until every FILL IN is replaced, and names those that are left.\n"
        "A source in data/companions is one of the project's own, beyond its five: loaded on "
        "request only.\n"
        + exit_codes("begun", "nothing was")
        + "examples:\n  sdanalysis new-source my-bench --raw mine\n"
        "  sdanalysis new-source my-bench --raw data/companions\n"
        "  mkdir -p mine/my-bench && cp table.txt mine/my-bench/ && \\\n"
        "      sdanalysis new-source my-bench --raw mine\n"
        "then:\n  sdanalysis build --raw mine",
    )  # fmt: skip
    text = "small letters, digits and hyphens, such as lechner-2018"
    command.add_argument("name", metavar="NAME", help=text)
    text = "the folder of your sources (default: the project's data/raw)"
    command.add_argument("--raw", type=Path, default=_PROJECT, metavar="DIR", help=text)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if not _SLUG.fullmatch(options.name):
        raise UsageError(
            f"found the name {options.name!r}, expected small letters, digits and single hyphens, "
            "such as lechner-2018"
        )
    folder = options.raw / options.name
    check_place(folder, "--raw with a folder of your own")
    _check_free(folder)
    own = options.raw.resolve() != _PROJECT.resolve()
    beside = [options.raw / name for name in ("media.toml", "hosts.toml") if own]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        entries = "".join(_entry(path) for path in _files(folder)) or _entry(None)
    except OSError as error:
        raise SdAnalysisError(f"{folder}: found {error.strerror}, expected a folder") from error
    text = (TEMPLATES / "source.toml").read_text(encoding="utf-8") + entries
    write_whole(folder / "source.toml", text.encode())
    print(f"{folder / 'source.toml'}: written; replace each {FILL_IN}")
    for path in beside:
        if not path.exists():
            write_whole(path, (TEMPLATES / path.name).read_bytes())
            print(f"{path}: written; add what the project does not know")
    built = own and options.raw.name != _COMPANIONS.name  # else with the sources of its data
    print(f"then: sdanalysis build{f' --raw {options.raw}' if built else ''}")
    return 0


def _check_free(folder: Path) -> None:
    """Refuse a source that there is already, here or in the project."""
    for place in (folder, _PROJECT / folder.name, _COMPANIONS / folder.name):
        if (place / "source.toml").exists():
            raise SdAnalysisError(f"{place}: found a source.toml in it, expected a new source")


def _files(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if path.is_file())
    found = [beside(folder, path.name) for path in found if not is_unfinished(path.name)]
    for path in found:
        if not path.name.isprintable():
            raise SdAnalysisError(f"{folder}: found the name {path.name!r}, expected one to print")
    return found


def _entry(path: Path | None) -> str:
    """Return the [[file]] of a file in the folder, or of one that is yet to come."""
    name = path.name if path else f"{FILL_IN}: name of the file, such as table.txt"
    pin = hashlib.sha256(path.read_bytes()).hexdigest() if path else f"{FILL_IN}: its sha256"
    place = f"{FILL_IN}: where its lines stood, such as the second table of the page"
    texts = {"path": name, "sha256": pin, "place": place}
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in texts.items()]
    return "\n".join(["", "[[file]]", *lines, 'tables = ["results"]', ""])
