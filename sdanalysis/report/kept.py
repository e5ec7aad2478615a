"""Keeps the pages of reports for which nothing has changed since an earlier run.

Beside the pages, in the hidden folder `.kept`, lies a note for each: the fingerprint of all that
went into it, the digest of the page, and what the front page says of it. A note that was damaged,
or whose page was, is none; so nothing depends on the order in which the files are written.
"""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sdanalysis.paths import OTHER_DATA, PROJECT
from sdanalysis.report.outcome import Outcome, Planned
from sdanalysis.report.pictures import Picture
from sdanalysis.report.reads import BEYOND

FOLDER = ".kept"

_PACKAGE = Path(__file__).resolve().parents[1]
_SETTINGS = ("SDANALYSIS_", "MPL", "MATPLOTLIBRC", "LANG", "LC_", "TZ", "PYTHONPATH")
_PLANNED = tuple(Planned.__annotations__)


def surroundings() -> str:
    """Return the digest of what every report rests on: the package, the data, the libraries."""
    data = Path(os.environ.get(OTHER_DATA) or PROJECT / "data")
    folders = [Path(entry or os.curdir) for entry in sys.path]
    libraries = {path.name for folder in folders for path in folder.glob("*.dist-info")}
    settings = {name: os.environ[name] for name in os.environ if name.startswith(_SETTINGS)}
    return _digest(
        [sys.version, sorted(libraries), sorted(settings.items())],
        [list(_contents(folder)) for folder in dict.fromkeys((_PACKAGE, data))],
    )


def fingerprint(around: str, stamp: Mapping[str, Any], planned: Planned | None = None) -> str:
    """Return the digest of all that a page is made from; the day of its run is no part of it."""
    said = {name: value for name, value in stamp.items() if name != "made"}
    if planned is None:
        return _digest(around, said)
    content = planned.notebook.read_bytes()
    values = [(name, repr(value)) for name, value in planned.values.items()]
    names = [planned.page.name, str(planned.notebook)]
    return _digest(around, said, names, hashlib.sha256(content).hexdigest(), values)


def note(
    folder: Path, page: str, mark: str, *, outcome: Outcome | None = None,
    read: Iterable[str | None] = (), since: float = 0.0,
) -> None:  # fmt: skip
    """Write the note of a page that was made in the folder of a run.

    None is written of a run that failed, of one that asked more than files, and where a file that
    it read was written after the moment `since` the run began: which version was it?
    """
    read = sorted(set(read), key=str)
    if (outcome and outcome.error) or BEYOND in read or any(_written(x) >= since for x in read):
        return
    content = json.dumps(
        {
            "fingerprint": mark,
            "page": hashlib.sha256((folder / page).read_bytes()).hexdigest(),
            "read": {name: _state(Path(name)) for name in read if name},
            "outcome": _told(outcome) if outcome else None,
        }
    )
    _place(folder, page).parent.mkdir(exist_ok=True)
    _place(folder, page).write_text(f"{_digest(content)}\n{content}", encoding="utf-8")


def recall(folder: Path, page: str, mark: str) -> dict[str, Any] | None:
    """Return the note of a page that is still what a run would make; None where there is none."""
    try:
        digest, content = _place(folder, page).read_text(encoding="utf-8").split("\n", 1)
        if digest != _digest(content):
            return None
        found = json.loads(content)
        same = found["fingerprint"] == mark
        same = same and hashlib.sha256((folder / page).read_bytes()).hexdigest() == found["page"]
        same = same and all(_state(Path(name)) == state for name, state in found["read"].items())
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if same else None


def forget(output: Path) -> None:
    """Let no page of a folder be kept: all are made anew."""
    shutil.rmtree(output / FOLDER, ignore_errors=True)


def outcome_of(planned: Planned) -> Outcome | None:
    """Return what became of a notebook when it was run last, if nothing has changed since."""
    found = recall(planned.page.parent, planned.page.name, planned.mark)
    if found is None or found["outcome"] is None:
        return None
    told = found["outcome"]
    cover = told.pop("cover")
    return Outcome(**vars(planned), **told, cover=cover and Picture(**cover), kept=True)


def move(page: str, folder: Path, output: Path) -> None:
    """Let the note of a page follow it into the output; a page without one loses its old note."""
    made, place = _place(folder, page), _place(output, page)
    if made.exists():
        place.parent.mkdir(exist_ok=True)
        made.replace(place)
    else:
        place.unlink(missing_ok=True)


def _told(outcome: Outcome) -> dict[str, Any]:
    told = asdict(replace(outcome, values={}, parameters={}))
    return {name: value for name, value in told.items() if name not in (*_PLANNED, "kept")}


def _place(folder: Path, page: str) -> Path:
    return folder / FOLDER / f"{page}.json"


def _contents(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the files of a folder and of those in it, each with its digest; no compiled modules."""
    for path in sorted(folder.rglob("*")):
        if path.suffix != ".pyc" and path.is_file():
            yield str(path), _state(path)


def _state(path: Path) -> str:
    """Return the digest of a file, or of the names in a folder; empty where neither is."""
    try:
        if path.is_dir():
            return _digest(sorted(inside.name for inside in path.iterdir()))
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _written(name: str | None) -> float:
    try:
        return Path(name or os.devnull).stat().st_mtime
    except OSError:
        return 0.0


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
