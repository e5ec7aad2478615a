"""One step of a session: its folder on the medium, its command within a time limit, its log.

The folder is the only one that is written on the medium. Its random name is new each time, so a
removal that hung and woke up late meets no later folder. A folder of our prefix without the marker
is somebody else's.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sdanalysis.bench import children
from sdanalysis.bench.children import ask, began, run_in_child
from sdanalysis.bench.endings import MediumLost, Refused, Stopped
from sdanalysis.bench.journal import keep_names
from sdanalysis.bench.plan import FILE, Planned
from sdanalysis.bench.target import read_text

PREFIX = ".sdanalysis-bench-"
MARKER = "made-by-sdanalysis-bench.json"
_GONE = (errno.EIO, errno.ENXIO, errno.ENODEV, errno.EROFS, errno.ENOENT, errno.ESHUTDOWN)
TICK = 0.5  # seconds between two words on progress


def create(folder: Path, session: Path) -> Path:
    """Make a new folder on the medium; when this returns, folder and marker are on its disk."""
    work = folder / f"{PREFIX}{secrets.token_hex(8)}"
    pid = os.getpid()
    owner = {"session": str(session), "pid": pid, "began": began(pid), "boot": _boot()}

    def make() -> None:
        work.mkdir(mode=0o700)
        with (work / MARKER).open("x", encoding="utf-8") as file:
            json.dump(owner, file)
            file.flush()
            os.fsync(file.fileno())
        keep_names(work)
        keep_names(folder)

    try:
        code = ask(make, folder, "to make a folder")
    except Stopped:  # it waited for the child
        remove(work)
        raise
    if code in _GONE:
        raise MediumLost(f"{folder}: found {os.strerror(code)}, expected to make a folder there")
    if code:
        reason = "an error" if code == 255 else os.strerror(code)
        raise Refused(f"{folder}: found {reason}, expected to make a folder there")
    return work


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

    return run_in_child(clear) == 0


def leftovers(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
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
    return read_text(Path("/proc/sys/kernel/random/boot_id"))


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a step ended: `done`, `failed`, `timeout`, or `hung` where the tool cannot be ended."""

    how: str
    exit: int | None  # of the tool; negative: the signal that ended it
    seconds: float
    log: Path


def run(
    step: Planned, work: Path, logs: Path,
    *, started: Callable[[int], None], tick: Callable[[float], None],
) -> Outcome:  # fmt: skip
    """Run a step in our folder on the medium; tell the number of its process, and the seconds.

    The log has the command, what the tool printed, its exit status and its seconds. It is written
    as `.part` and takes its name when it is on the disk; that of a step that did not end well is
    `.failed.log`. A part that an earlier run left is evidence, and gets another name.
    """
    part = logs / f"{step.name}.log.part"
    if part.exists():
        part.replace(_new(logs / step.name, ".cut-{}.part", 1))
    arguments = step.command(work / FILE)
    with part.open("xb") as file:
        file.write(f"$ {shlex.join(arguments)}\n".encode())
        file.flush()
        start = time.monotonic()
        how, code = _call(arguments, work, file, step.limit, started, tick)
        seconds = time.monotonic() - start
        file.seek(0, os.SEEK_END)
        file.write(_ending(part, how, code, seconds).encode())
        file.flush()
        os.fsync(file.fileno())
    log = logs / (f"{step.name}.log" if how == "done" else f"{step.name}.failed.log")
    if how != "done" and log.exists():
        log = _new(logs / step.name, "-{}.failed.log", 2)
    part.replace(log)
    keep_names(logs)
    return Outcome(how=how, exit=code, seconds=round(seconds, 2), log=log)


def _call(
    arguments: list[str], work: Path, file: BinaryIO, limit: float,
    started: Callable[[int], None], tick: Callable[[float], None],
) -> tuple[str, int | None]:  # fmt: skip
    try:
        process = children.start(arguments, work, file)
    except OSError as error:
        file.write(f"{arguments[0]}: {error.strerror}\n".encode())
        return "failed", 127
    try:
        started(process.pid)
        start = time.monotonic()
        while (passed := time.monotonic() - start) < limit:
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(min(TICK, limit - passed))
                return ("failed" if code else "done"), code
            tick(passed)
        return ("timeout" if children.stop(process) else "hung"), process.returncode
    except BaseException:
        children.stop(process)
        raise


def _ending(part: Path, how: str, code: int | None, seconds: float) -> str:
    with part.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        gap = "" if file.read() == b"\n" else "\n"
    endings = {"timeout": "none: it took too long and was ended", "hung": "none: it hangs"}
    return f"{gap}exit status: {endings.get(how, code)}\nseconds: {seconds:.2f}\n"


def _new(path: Path, ending: str, number: int) -> Path:
    """Return the first path of a step that is not there: its name, with a number in its ending."""
    while (candidate := path.with_name(path.name + ending.format(number))).exists():
        number += 1
    return candidate
