"""Work in a child process with a time limit: input and output to a medium may hang for ever.

A process that waits for a medium in the kernel cannot be ended. So whatever touches the medium is
done by a child; when that hangs, this process goes on without it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from sdanalysis.bench.endings import MediumLost

PATIENCE = 10.0  # seconds for a small piece of work on a medium
GRACE = 3.0  # seconds from asking a tool to end to ending it, and from there to giving it up
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # what asks a session to end
_PR_SET_PDEATHSIG = 1


def run_in_child(work: Callable[[], object], seconds: float = PATIENCE) -> int | None:
    """Do some work in a child; return 0, the errno of its OSError (else 255), or None: it hangs.

    What asks this process to end does not cut the work short, and waits for it.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        child = os.fork()
        if child == 0:
            _work(work)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 255
            time.sleep(0.005)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)  # ends it if it does not hang in the kernel
        time.sleep(0.1)
        os.waitpid(child, os.WNOHANG)
        return None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(work: Callable[[], object]) -> None:
    code = 255
    try:
        # what the parent has open is closed: a child that hangs keeps neither pipe nor lock for it
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.closerange(3, 1024)
        work()
        code = 0
    except OSError as error:
        code = error.errno or 255
    finally:
        os._exit(code)  # no cleaning up of the parent's things


def ask(work: Callable[[], object], folder: Path, expected: str) -> int:
    """Do some work on the medium of a folder; return 0 or the errno of its OSError, else 255.

    MediumLost where it does not answer.
    """
    code = run_in_child(work)
    if code is None:
        text = f"found a medium that does not answer, expected {expected}"
        raise MediumLost(f"{folder}: {text}")
    return code


def start(arguments: Sequence[str], folder: Path, output: BinaryIO) -> subprocess.Popen[bytes]:
    """Start a tool in a folder, in a group of its own that ends with this process."""
    return subprocess.Popen(
        arguments,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "LC_ALL": "C"},
        preexec_fn=_end_with_parent,  # noqa: PLW1509 - this program has no threads
    )


def _end_with_parent() -> None:
    with suppress(OSError, AttributeError):  # no Linux
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def stop(process: subprocess.Popen[bytes]) -> bool:
    """End a tool with its group; False where it hangs in the kernel and cannot be ended."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
            return True
    return False


def began(pid: int, proc: Path = Path("/proc")) -> str | None:
    """Return when a process began (its `starttime`), None where none of this number lives.

    With the number it names a process: numbers are used again.
    """
    try:
        text = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]
