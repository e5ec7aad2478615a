"""A limit on the time that declared patterns may take: one that backtracks takes years."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from sdanalysis.errors import DeclarationError

SECONDS = 10.0  # the longest of the project's own files takes a hundredth of a second


@contextmanager
def time_limit(what: str) -> Iterator[None]:
    """Stop what takes longer; DeclarationError says of what.

    By the alarm of the system, which Python's regular expressions look for while they search: no
    other process and no other library is needed. Where there is none (Windows, a thread that is
    not the main one, an alarm that somebody else has set), nothing is stopped.
    """
    alarm = getattr(signal, "setitimer", None)
    main = threading.current_thread() is threading.main_thread()
    if alarm is None or not main or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        text = "expected a pattern that does not try one text in many ways"
        raise DeclarationError(f"found {what} that took longer than {SECONDS:g} s, {text}")

    before = signal.signal(signal.SIGALRM, stop)
    alarm(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        alarm(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
