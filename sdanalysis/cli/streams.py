"""The standard streams: what a shell may have closed or filled, and what a terminal cannot show."""

import io
import os
import sys
from contextlib import suppress
from typing import TextIO


def prepare() -> None:
    """Let each stream take any text, and stand in for those that are closed.

    Reading a closed input and writing to a closed output fail with a word; messages to a closed
    standard error are lost, for Python would print them among the results. Each number is taken,
    lest a file that is opened later gets it.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
            _take(number, mode)
        sys.stdin = sys.stdin or _stream(0, "r")
        sys.stdout = sys.stdout or _stream(1, "w")
        sys.stderr = sys.stderr or _stream(2, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _take(number: int, mode: int) -> None:
    """Open /dev/null under the number of a stream that is closed."""
    with suppress(OSError):
        os.fstat(number)
        return
    opened = os.open(os.devnull, mode)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


def _stream(number: int, mode: str) -> TextIO:
    return os.fdopen(number, mode, encoding="utf-8", closefd=False)


def drop() -> None:
    """Forget what no stream took: at its end Python would try again, and report it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with suppress(OSError):  # a stream of a test has no number
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
                stream.flush()


def say(text: str) -> None:
    """Print a message, unless standard error is full or gone."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)
