"""Notes which files a kernel reads: a report is kept only while those are what they were.

Python tells of every file that is opened and of every folder that is listed (its audit events).
What libraries written in C open on their own, it does not.
"""

import json
import os
import sys
from collections.abc import Iterable
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

BEYOND = None  # noted where a notebook asks more than files: another program, another computer

_PACKAGE = Path(__file__).resolve().parents[1]
_OPENED, _LISTED = {"open"}, {"os.listdir", "os.scandir"}
_BEYOND = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"}
_SYSTEM = ("/proc/", "/dev/", "/sys/")
_IMPORTS = ("importlib", "pkgutil")  # in the file name of what lists the folders of modules


def record(place: str) -> None:
    """Write the name of each file and folder that this process reads from now on to a place.

    Python's own files and those of the package are left out: `kept` knows them anyway.
    """
    note = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    roots = (sys.prefix, sys.base_prefix, str(_PACKAGE))
    own = tuple(f"{path}{os.sep}" for root in roots for path in (root, os.path.realpath(root)))
    seen: set[str | None] = set()

    def hear(event: str, given: tuple[Any, ...]) -> None:
        if event in _BEYOND:
            name = BEYOND
        elif (event in _OPENED and _is_read(given)) or (event in _LISTED and not _is_import()):
            name = _absolute(given[0])
            if name is None or name.startswith((*own, *_SYSTEM)):
                return
        else:
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


def _is_read(given: Iterable[Any]) -> bool:
    _, mode, flags = given
    if mode is not None:
        return "r" in mode or "+" in mode
    return flags & (os.O_WRONLY | os.O_CREAT) == 0


def _is_import() -> bool:
    caller = sys._getframe(2).f_code.co_filename
    return any(name in caller for name in _IMPORTS)


def _absolute(path: Any) -> str | None:
    """Return where a path leads; None for a file that was open before."""
    if path is None:
        return str(Path.cwd())
    if isinstance(path, int):
        return None
    name = str(Path(os.fsdecode(path)).absolute())
    return source_from_cache(name) if name.endswith(".pyc") else name
