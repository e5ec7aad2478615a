"""What a page says of itself in its last line: of what it was made, and what the index shows of it.

A page for which nothing has changed is kept: neither what every page rests on nor a file that its
kernel read. Python's audit events tell of every file that is opened and every folder that is
listed. They miss what some libraries open on their own: a page whose notebook loads one is never
kept. The index is written from the notes of all pages of a folder, whoever made them and when. A
page that was changed by hand, or cut, has no note.
"""

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any, TypeGuard

from sdanalysis.paths import OTHER_DATA, PROJECT
from sdanalysis.report.outcome import Executed, Outcome, Planned
from sdanalysis.report.pictures import Picture

BEYOND = None  # noted where a notebook asks what nobody hears of: another program, a computer

_PACKAGE = Path(__file__).resolve().parents[1]
_SETTINGS = ("SDANALYSIS_", "MPL", "MATPLOTLIBRC", "LANG", "LC_", "TZ", "PYTHONPATH")
_SILENT = (  # modules that open files unheard; pandas loads pyarrow, but none of these by itself
    "duckdb", "h5py", "netCDF4", "polars", "pyarrow.csv", "pyarrow.dataset", "pyarrow.fs",
    "pyarrow.parquet", "tables",
)  # fmt: skip
_SYSTEM = ("/proc/", "/dev/", "/sys/")
_IMPORTS = ("importlib", "pkgutil")  # in the file name of what lists the folders of modules


# --- the note of a page --------------------------------------------------------------------------


def surroundings() -> str:
    """Return the digest of what every page rests on: the package, the data, the libraries."""
    data = Path(os.environ.get(OTHER_DATA) or PROJECT / "data")
    folders = [Path(entry or os.curdir) for entry in sys.path]
    libraries = {path.name for folder in folders for path in folder.glob("*.dist-info")}
    settings = {name: os.environ[name] for name in os.environ if name.startswith(_SETTINGS)}
    files = [
        [(str(path), _state(path)) for path in sorted(folder.rglob("*"))
         if path.suffix != ".pyc" and path.is_file()]
        for folder in dict.fromkeys((_PACKAGE, data))
    ]  # fmt: skip
    return _digest([sys.version, sorted(libraries), sorted(settings.items())], files)


def fingerprint(around: str, stamp: Mapping[str, Any], planned: Planned | None = None) -> str:
    """Return the digest of all that a page is made from; the day of its run is no part of it."""
    lasting = {name: value for name, value in stamp.items() if name != "made"}
    if planned is None:
        return _digest(around, lasting)
    values = [(name, repr(value)) for name, value in planned.values.items()]
    names = [planned.page.name, str(planned.notebook)]
    return _digest(around, lasting, names, _state(planned.notebook), values)


def signed(page: str, mark: str, outcome: Outcome, executed: Executed) -> bytes:
    """Return a page with its note.

    It is never kept where its run failed or read more than files. Nor is it where a file it read
    was written after the run began: which version was it?
    """
    read = [Path(name) for name in sorted(set(executed.read), key=str) if name is not BEYOND]
    changed = any(path.exists() and path.stat().st_mtime >= executed.since for path in read)
    lasts = not (outcome.error or BEYOND in executed.read or changed)
    states = {str(path): _state(path) for path in read}
    fields = {name: value for name, value in vars(outcome).items() if name != "kept"}
    cover = outcome.cover and {**vars(outcome.cover), "csv": ""}
    if cover and cover["svg"]:
        cover["png"] = ""
    fields |= {"notebook": str(outcome.notebook), "page": outcome.page.name, "cover": cover}
    return sign(page, mark if lasts else "", read=states, outcome=fields)


def sign(page: str, mark: str, **more: Any) -> bytes:
    """Return a page with a note in its last line, as UTF-8."""
    page = page.encode("utf-8", "backslashreplace").decode("utf-8")
    note = json.dumps({"mark": mark, "page": _digest(page), **more})
    note = note.replace("--", "-\\u002d")  # two of them would end the comment
    return f"{page}\n<!--{note}-->\n".encode()


def read(path: Path) -> dict[str, Any] | None:
    """Return the note of a page; None where there is none, or the page is not the one noted."""
    try:
        text = path.read_text(encoding="utf-8").removesuffix("-->\n")
        page, _, line = text.rpartition("\n<!--")
        note = json.loads(line)
        return note if note["page"] == _digest(page) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_fresh(note: Mapping[str, Any] | None, mark: str) -> TypeGuard[Mapping[str, Any]]:
    """Tell whether a page is what a run would make."""
    if note is None or note["mark"] != mark:
        return False
    return all(_state(Path(name)) == state for name, state in note.get("read", {}).items())


def outcome_of(note: Mapping[str, Any], folder: Path) -> Outcome:
    """Return what became of the notebook of a page when it was run."""
    noted = note["outcome"]
    cover, paths = noted["cover"], {"notebook": Path(noted["notebook"])}
    paths["page"] = folder / noted["page"]
    return Outcome(**{**noted, **paths, "cover": cover and Picture(**cover)}, kept=True)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _state(path: Path) -> str:
    """Return the digest of a file, or of the names in a folder; empty where neither is."""
    try:
        if path.is_dir():
            return _digest(sorted(inside.name for inside in path.iterdir()))
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


# --- what a kernel reads -------------------------------------------------------------------------


def record(place: str) -> None:
    """Write the name of each file and folder that this process reads from now on to a place.

    Python's own files and those of the package are left out: every page rests on them.
    """
    note = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    roots = (sys.prefix, sys.base_prefix, str(_PACKAGE))
    own = tuple(f"{path}{os.sep}" for root in roots for path in (root, os.path.realpath(root)))
    names: set[str | None] = set()

    def hear(event: str, given: tuple[Any, ...]) -> None:
        if event not in _HEARD or not _HEARD[event](given):
            return
        is_beyond = event in _BEYOND or event == "import"
        name = BEYOND if is_beyond else _absolute(given[0])
        if name not in names and not (name and name.startswith((*own, *_SYSTEM))):
            names.add(name)
            os.write(note, json.dumps(name).encode() + b"\n")

    sys.addaudithook(hear)


def recorded(place: Path) -> list[str | None]:
    """Return what was noted; `BEYOND` alone where there is no note, or none that can be read."""
    try:
        return [json.loads(line) for line in place.read_bytes().splitlines()]
    except (OSError, ValueError):
        return [BEYOND]


def _is_read(given: Sequence[Any]) -> bool:
    path, mode, flags = given
    if isinstance(path, int):  # it was open before
        return False
    if mode is not None:
        return "r" in mode or "+" in mode
    return flags & (os.O_WRONLY | os.O_CREAT) == 0


def _is_listed(given: Sequence[Any]) -> bool:
    """Tell a listing from those by which modules are found."""
    caller = sys._getframe(2).f_code.co_filename
    return not isinstance(given[0], int) and not any(name in caller for name in _IMPORTS)


def _absolute(path: Any) -> str:
    """Return where a path leads; a compiled module is its source, where Python has named it."""
    name = str(Path(os.fsdecode(path or os.curdir)).absolute())
    if name.endswith(".pyc"):
        with contextlib.suppress(ValueError):
            return source_from_cache(name)
    return name


_BEYOND = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"}
_HEARD: dict[str, Callable[[Sequence[Any]], bool]] = {
    "open": _is_read,
    "import": lambda given: given[0] in _SILENT,
    "sqlite3.connect": lambda given: given[0] not in (":memory:", b":memory:", ""),
    **dict.fromkeys(("os.listdir", "os.scandir"), _is_listed),
    **dict.fromkeys(_BEYOND, lambda _: True),
}
