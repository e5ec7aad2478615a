"""Prints how far a run of notebooks is."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdanalysis.report import Event, Outcome


class Progress:
    """Prints what the notebooks do: a line per notebook, and on a terminal each cell.

    A class because it knows when the run began and how many of the reports have ended.
    """

    def __init__(self, reports: int) -> None:
        self.began = time.monotonic()
        self.reports = reports
        self.ended = 0

    def seconds(self) -> float:
        """Return the seconds since the run began."""
        return time.monotonic() - self.began

    def __call__(self, event: Event | Outcome) -> None:
        """Print a line for a start or an end, and on a terminal one for each cell."""
        line = f"[{self.seconds():5.1f} s] {event.page.stem}"
        if not hasattr(event, "cells"):
            self.ended += 1
            state = "FAILED" if event.error else "done"
            print(f"{line}: {state}, {self.ended} of {self.reports}", flush=True)
        elif event.cell == 0:
            print(f"{line}: started", flush=True)
        elif sys.stdout.isatty():
            print(f"{line}: cell {event.cell} of {event.cells}", flush=True)
