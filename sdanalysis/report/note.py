"""What a page says of itself in its last line: of what it was made, and what the index shows of it.

A page for which nothing has changed is kept. The index is written from the notes of all pages of a
folder, whoever made them and when. A page that was changed by hand, or cut, has no note.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sdanalysis.paths import OTHER_DATA, PROJECT
from sdanalysis.report.outcome import Executed, Outcome, Planned
from sdanalysis.report.pictures import Picture
from sdanalysis.report.reads import BEYOND

_PACKAGE = Path(__file__).resolve().parents[1]
_SETTINGS = ("SDANALYSIS_", "MPL", "MATPLOTLIBRC", "LANG", "LC_", "TZ", "PYTHONPATH")


def surroundings() -> str:
    """Return the digest of what every page rests on: the package, the data, the libraries."""
    data = Path(os.environ.get(OTHER_DATA) or PROJECT / "data")
    folders = [Path(entry or os.curdir) for entry in sys.path]
    libraries = {path.name for folder in folders for path in folder.glob("*.dist-info")}
    settings = {name: os.environ[name] for name in os.environ if name.startswith(_SETTINGS)}
    return digest(
        [sys.version, sorted(libraries), sorted(settings.items())],
        [list(_contents(folder)) for folder in dict.fromkeys((_PACKAGE, data))],
    )


def fingerprint(around: str, stamp: Mapping[str, Any], planned: Planned | None = None) -> str:
    """Return the digest of all that a page is made from; the day of its run is no part of it."""
    lasting = {name: value for name, value in stamp.items() if name != "made"}
    if planned is None:
        return digest(around, lasting)
    values = [(name, repr(value)) for name, value in planned.values.items()]
    names = [planned.page.name, str(planned.notebook)]
    return digest(around, lasting, names, _state(planned.notebook), values)


def signed(page: str, mark: str, outcome: Outcome, executed: Executed) -> bytes:
    """Return a page with its note.

    It is never kept where its run failed or asked more than files, nor where a file that it read
    was written after the run began: which version was it?
    """
    read = sorted(set(executed.read), key=str)
    changed = any(_written(name) >= executed.since for name in read if name)
    lasts = not (outcome.error or BEYOND in read or changed)
    states = {name: _state(Path(name)) for name in read if name}
    return sign(page, mark if lasts else "", read=states, outcome=_as_json(outcome))


def sign(page: str, mark: str, **more: Any) -> bytes:
    """Return a page with a note in its last line, as UTF-8."""
    page = page.encode("utf-8", "backslashreplace").decode("utf-8")
    note = json.dumps({"mark": mark, "page": digest(page), **more})
    note = note.replace("--", "-\\u002d")  # two of them would end the comment
    return f"{page}\n<!--{note}-->\n".encode()


def read(path: Path) -> dict[str, Any] | None:
    """Return the note of a page; None where there is none, or the page is not the one noted."""
    try:
        text = path.read_text(encoding="utf-8").removesuffix("-->\n")
        page, _, line = text.rpartition("\n<!--")
        note = json.loads(line)
        return note if note["page"] == digest(page) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_fresh(note: Mapping[str, Any] | None, mark: str) -> bool:
    """Tell whether a page is what a run would make."""
    read = (note or {}).get("read", {}).items()
    return bool(note) and note["mark"] == mark and all(_state(Path(n)) == s for n, s in read)


def outcome_of(note: Mapping[str, Any], folder: Path) -> Outcome:
    """Return what became of the notebook of a page when it was run."""
    noted = note["outcome"]
    cover, paths = noted["cover"], {"notebook": Path(noted["notebook"])}
    paths["page"] = folder / noted["page"]
    return Outcome(**{**noted, **paths, "cover": cover and Picture(**cover)}, kept=True)


def _as_json(outcome: Outcome) -> dict[str, Any]:
    fields = {name: value for name, value in vars(outcome).items() if name != "kept"}
    cover = outcome.cover and {**vars(outcome.cover), "csv": ""}
    if cover and cover["svg"]:
        cover["png"] = ""
    paths = {"notebook": str(outcome.notebook), "page": outcome.page.name}
    return {**fields, **paths, "cover": cover}


def digest(*parts: Any) -> str:
    """Return the sha256 of plain values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _contents(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the files of a folder and of those in it, each with its digest; no compiled modules."""
    for path in sorted(folder.rglob("*")):
        if path.suffix != ".pyc" and path.is_file():
            yield str(path), _state(path)


def _state(path: Path) -> str:
    """Return the digest of a file, or of the names in a folder; empty where neither is."""
    try:
        if path.is_dir():
            return digest(sorted(inside.name for inside in path.iterdir()))
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _written(name: str) -> float:
    try:
        return Path(name).stat().st_mtime
    except OSError:
        return 0.0
