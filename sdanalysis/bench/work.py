"""The one folder that is written on a medium: made, marked, found again, removed.

It has a new random name each time, so that a removal which hung and woke up late meets no later
folder; and a marker, without which a folder of our prefix is somebody else's.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sdanalysis.bench.children import began, in_child
from sdanalysis.bench.endings import MediumLost, Refused
from sdanalysis.bench.journal import keep_names

PREFIX = ".sdanalysis-bench-"
MARKER = "made-by-sdanalysis-bench.json"
_GONE = (errno.EIO, errno.ENXIO, errno.ENODEV, errno.EROFS, errno.ENOENT, errno.ESHUTDOWN)


def create(folder: Path, session: Path) -> Path:
    """Make a new folder on the medium; when this returns, folder and marker are on its disk."""
    work = folder / f"{PREFIX}{secrets.token_hex(8)}"
    owner = {
        "session": str(session),
        "pid": os.getpid(),
        "began": began(os.getpid()),
        "boot": _boot(),
    }

    def make() -> None:
        work.mkdir(mode=0o700)
        with (work / MARKER).open("x", encoding="utf-8") as file:
            json.dump(owner, file)
            file.flush()
            os.fsync(file.fileno())
        keep_names(work)
        keep_names(folder)

    try:
        code = in_child(make)
    except BaseException:  # a signal, which waited for the child
        remove(work)
        raise
    if code is None:
        raise MediumLost(
            f"{folder}: found a medium that does not answer, expected to make a folder"
        )
    if code in _GONE:
        raise MediumLost(f"{folder}: found {os.strerror(code)}, expected to make a folder there")
    if code:
        raise Refused(f"{folder}: found {_reason(code)}, expected to make a folder there")
    return work


def _reason(code: int) -> str:
    return "an error" if code == 255 else os.strerror(code)


def remove(work: Path) -> bool:
    """Remove our folder, and bring its absence to the disk; False where that fails or hangs.

    Its marker goes last: what is left of a removal that was cut is still known as ours.
    """

    def clear() -> None:
        if work.exists():
            for path in work.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)  # follows no link
                elif path.name != MARKER:
                    path.unlink()
            shutil.rmtree(work)
        keep_names(work.parent)

    return in_child(clear) == 0


def left_over(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the folders that earlier runs left on the medium, with what their marker says."""
    for work in sorted(folder.glob(f"{PREFIX}*")):
        if work.is_symlink() or not work.is_dir():
            continue
        try:
            owner = json.loads((work / MARKER).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # not ours, or cut before its marker was whole: nobody knows whose
        if isinstance(owner, dict) and "session" in owner:
            yield work, owner


def is_at_work(owner: dict[str, Any]) -> bool:
    """Tell whether the process that made a folder still runs."""
    alive = owner.get("boot") == _boot() and began(int(owner.get("pid") or 0))
    return bool(alive) and alive == owner.get("began")


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
