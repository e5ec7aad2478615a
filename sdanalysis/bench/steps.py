"""One step of a session: its command runs within a time limit, and its log is kept whole."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sdanalysis.bench import children
from sdanalysis.bench.journal import keep_names
from sdanalysis.bench.plan import FILE, Planned

TICK = 0.5  # seconds between two words on progress


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a step ended: `done`, `failed`, `timeout`, or `hung` where the tool cannot be ended."""

    how: str
    exit: int | None  # of the tool; negative: the signal that ended it
    seconds: float
    log: Path


def run(
    step: Planned, work: Path, logs: Path,
    *, started: Callable[[int], None], tick: Callable[[float], None],
) -> Ended:  # fmt: skip
    """Run a step in our folder on the medium; tell the number of its process, and the seconds.

    The log has the command, what the tool printed, its exit status and its seconds. It is written
    as `.part` and takes its name when it is on the disk; that of a step that did not end well is
    `.failed.log`. A part that an earlier run left is evidence, and gets another name.
    """
    part = logs / f"{step.name}.log.part"
    _keep_cut(part)
    arguments = step.command(work / FILE)
    with part.open("xb") as file:
        file.write(f"$ {shlex.join(arguments)}\n".encode())
        file.flush()
        begun = time.monotonic()
        how, code = _call(arguments, work, file, step.limit, started, tick)
        seconds = time.monotonic() - begun
        file.seek(0, os.SEEK_END)
        file.write(_ending(part, how, code, seconds).encode())
        file.flush()
        os.fsync(file.fileno())
    log = logs / (f"{step.name}.log" if how == "done" else _failed(logs, step.name))
    part.replace(log)
    keep_names(logs)
    return Ended(how=how, exit=code, seconds=round(seconds, 2), log=log)


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
        begun = time.monotonic()
        while (passed := time.monotonic() - begun) < limit:
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
    said = {"timeout": "none: it took too long and was ended", "hung": "none: it hangs"}
    return f"{gap}exit status: {said.get(how, code)}\nseconds: {seconds:.2f}\n"


def _keep_cut(part: Path) -> None:
    if part.exists():
        part.replace(_new(part.parent, part.name.removesuffix(".log.part"), ".cut-{}.part"))


def _failed(logs: Path, name: str) -> str:
    first = f"{name}.failed.log"
    return _new(logs, name, "-{}.failed.log", 2).name if (logs / first).exists() else first


def _new(folder: Path, name: str, ending: str, number: int = 1) -> Path:
    while (folder / f"{name}{ending.format(number)}").exists():
        number += 1
    return folder / f"{name}{ending.format(number)}"
