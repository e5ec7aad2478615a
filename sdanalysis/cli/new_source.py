"""`sdanalysis new-source`: a name -> a folder with a commented source.toml to fill in."""

import argparse
import hashlib
import json
import re
from pathlib import Path

from sdanalysis.cli.options import check_place
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import DATA, is_unfinished, write_whole
from sdanalysis.sources.declaration import FILL_IN
from sdanalysis.sources.folders import raw_path

TEMPLATES = Path(__file__).parent / "new-source"
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_PROJECT = DATA / "raw"
_COMPANIONS = DATA / "companions"


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if not _SLUG.fullmatch(options.name):
        raise UsageError(
            f"found the name {options.name!r}, expected small letters, digits and single hyphens, "
            "such as lechner-2018"
        )
    raw = options.raw or _PROJECT
    folder = raw / options.name
    check_place(folder, "--raw with a folder of your own")
    for place in (folder, _PROJECT / folder.name, _COMPANIONS / folder.name):
        if (place / "source.toml").exists():
            raise SdAnalysisError(f"{place}: found a source.toml in it, expected a new source")
    own = raw.resolve() != _PROJECT.resolve()
    try:
        begun, medium = _of_log(folder, options) if options.from_log else (_of_folder(folder), None)
    except OSError as error:
        raise SdAnalysisError(f"{folder}: found {error.strerror}, expected a folder") from error
    write_whole(folder / "source.toml", begun.encode())
    print(f"{folder / 'source.toml'}: written; replace each {FILL_IN}")
    if own:
        _begin_catalogue(raw / "media.toml", medium)
        _begin_catalogue(raw / "hosts.toml", None)
    elif medium:
        print(f"the card, for {DATA / 'media.toml'}:\n\n{medium}")
    built = own and raw.name != _COMPANIONS.name  # else with the sources of its data
    print(f"then: sdanalysis build{f' --raw {raw}' if built else ''}")
    return 0


def _of_folder(folder: Path) -> str:
    """Return the template, with the files that are in the folder already."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = "".join(_entry(path.name, path.read_bytes()) for path in _files(folder))
    template = (TEMPLATES / "source.toml").read_text(encoding="utf-8")
    return template + (entries or _entry(None, None))


def _of_log(folder: Path, options: argparse.Namespace) -> tuple[str, str | None]:
    """Put a log, or those of a session, into the folder, unpacked; return what they say.

    That is the text of source.toml, and the entry of media.toml for a card that a log names.
    """
    from sdanalysis.cli.from_log import source_of
    from sdanalysis.cli.logs import report_problem

    found = source_of(options.from_log, folder.parent)
    targets = {raw_path(folder, log.name): log for log in found.files}
    others = (
        [path.name for path in _files(folder) if path not in targets] if folder.is_dir() else []
    )
    if others:
        text = f"{folder}: found {others[0]} in it, expected a folder for this log alone"
        raise SdAnalysisError(text)
    for target, log in targets.items():
        if target.exists() and target.read_bytes() != log.content:
            raise SdAnalysisError(f"{target}: found another file of that name, expected none")
    for path, problem in found.problems:
        report_problem(path, problem)
    folder.mkdir(parents=True, exist_ok=True)
    for target, log in targets.items():
        if not target.exists():
            write_whole(target, log.content)
            print(f"{target}: written, the log as it is")
    template = (TEMPLATES / "log.toml").read_text(encoding="utf-8")
    place = "the whole log, as it was printed"
    entries = [_entry(log.name, log.content, place, log.reads) for log in found.files]
    return "".join([template, found.given, *entries]), found.medium


def _begin_catalogue(path: Path, medium: str | None) -> None:
    """Write media.toml or hosts.toml where there is none; it is the user's where there is one."""
    if not path.exists():
        text = (TEMPLATES / path.name).read_text(encoding="utf-8")
        write_whole(path, f"{text}{f'{chr(10)}{medium}' if medium else ''}".encode())
        does = f"replace each {FILL_IN}" if medium else "add what the project does not know"
        print(f"{path}: written; {does}")
    elif medium:
        print(f"{path}: is there; the card, to add to it where it lacks it:\n\n{medium}")


def _files(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if path.is_file())
    found = [raw_path(folder, path.name) for path in found if not is_unfinished(path.name)]
    for path in found:
        if not path.name.isprintable():
            raise SdAnalysisError(f"{folder}: found the name {path.name!r}, expected one to print")
    return found


_PLACE = f"{FILL_IN}: where its lines stood, such as the second table of the page"


def _entry(
    name: str | None,
    content: bytes | None,
    place: str = _PLACE,
    reads: str = 'tables = ["results"]\n',
) -> str:
    """Return the [[file]] of a file in the folder, or of one that is yet to come."""
    pin = None if content is None else hashlib.sha256(content).hexdigest()
    texts = {
        "path": name or f"{FILL_IN}: name of the file, such as table.txt",
        "sha256": pin or f"{FILL_IN}: its sha256",
        "place": place,
    }
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}\n" for key, text in texts.items()]
    return "".join(["\n[[file]]\n", *lines, reads])
