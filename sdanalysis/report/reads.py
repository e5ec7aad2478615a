"""Notes which files a kernel reads: a report is kept only while those are what they were.

Python tells of every file that is opened and of every folder that is listed (its audit events).
Of what some libraries open on their own it does not: a report that loads one is never kept.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

BEYOND = None  # noted where a notebook asks what nobody hears of: another program, a computer

_PACKAGE = Path(__file__).resolve().parents[1]
_LISTED = {"os.listdir", "os.scandir"}
_BEYOND = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"}
_SILENT = (  # modules that open files unheard; pandas loads pyarrow, but none of these by itself
    "duckdb", "h5py", "netCDF4", "polars", "pyarrow.csv", "pyarrow.dataset", "pyarrow.fs",
    "pyarrow.parquet", "tables",
)  # fmt: skip
_SYSTEM = ("/proc/", "/dev/", "/sys/")
_IMPORTS = ("importlib", "pkgutil")  # in the file name of what lists the folders of modules


def record(place: str) -> None:
    """Write the name of each file and folder that this process reads from now on to a place.

    Python's own files and those of the package are left out: `note` knows them anyway.
    """
    note = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    roots = (sys.prefix, sys.base_prefix, str(_PACKAGE))
    own = tuple(f"{path}{os.sep}" for root in roots for path in (root, os.path.realpath(root)))
    seen: set[str | None] = set()

    def hear(event: str, given: tuple[Any, ...]) -> None:
        if event not in _HEARD or not _HEARD[event](given):
            return
        name = BEYOND if event in _BEYOND or event == "import" else _absolute(given[0])
        if name is not BEYOND and name.startswith((*own, *_SYSTEM)):
            return
        if name not in seen:
            seen.add(name)
            os.write(note, json.dumps(name).encode() + b"\n")

    sys.addaudithook(hear)


def recorded(place: Path) -> list[str | None]:
    """Return what was noted; `BEYOND` alone where there is no note, or none that can be read."""
    try:
        return [json.loads(line) for line in place.read_bytes().splitlines()]
    except (OSError, ValueError):
        return [BEYOND]


def command(place: Path) -> str:
    """Return the Python that lets a kernel note what it reads; it leaves no name behind."""
    return f"__import__({__name__!r}, fromlist=['record']).record({str(place)!r})"


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


def _is_silent(given: Sequence[Any]) -> bool:
    return given[0] in _SILENT


def _is_database(given: Sequence[Any]) -> bool:
    return given[0] not in (":memory:", b":memory:", "")


def _absolute(path: Any) -> str:
    """Return where a path leads; a compiled module is its source, where Python has named it."""
    name = str(Path(os.fsdecode(path or os.curdir)).absolute())
    if name.endswith(".pyc"):
        with contextlib.suppress(ValueError):
            return source_from_cache(name)
    return name


_HEARD: dict[str, Callable[[Sequence[Any]], bool]] = {
    "open": _is_read,
    "import": _is_silent,
    "sqlite3.connect": _is_database,
    **dict.fromkeys(_LISTED, _is_listed),
    **dict.fromkeys(_BEYOND, lambda _: True),
}
