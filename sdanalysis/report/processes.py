"""A pool of processes that run notebooks: listened to, and ended with whatever ends the caller.

papermill changes the directory of its process, so threads would disturb each other.
"""

import multiprocessing
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from sdanalysis.report.execution import start_worker, work
from sdanalysis.report.outcome import Event, Outcome, Planned, Progress

# Twice the processors: a kernel that starts or waits for the disk leaves one idle.
PROCESSES = 2 * (os.cpu_count() or 1)


def run_all(
    planned: Sequence[Planned], folder: Path, stamp: Mapping[str, Any], progress: Progress
) -> list[Outcome]:
    """Run notebooks side by side; their pages are written into the folder.

    A process that dies takes its pool with it. What is lost so is run again, each notebook in a
    pool of its own: one that loses its process there too has failed, the others have not.
    """
    outcomes: dict[Path, Outcome] = {}

    def tell(message: Event | Outcome) -> None:
        if isinstance(message, Outcome):
            outcomes[message.page] = message
        progress(message)

    context = _context()
    with context.Manager() as manager:
        events = manager.Queue()
        shares = ((number, len(planned)) for number in range(len(planned)))
        tasks = [(*task, folder, stamp, events) for task in zip(planned, shares, strict=True)]
        codes = _run_pool(tasks, context, events, tell)
        for plan, task in zip(planned, tasks, strict=True):
            if plan.page not in outcomes and len(tasks) > 1:
                codes = _run_pool([task], context, events, tell)
            if plan.page not in outcomes:
                tell(_failed(plan, f"its process ended early, exit code {codes[0]}"))
    return [outcomes[plan.page] for plan in planned]


def _run_pool(
    tasks: Sequence[tuple], context: Any, events: Any, tell: Progress
) -> list[int | None]:
    """Tell what becomes of tasks that lose no process; return the processes' exit codes."""
    others = multiprocessing.active_children()
    with ProcessPoolExecutor(min(len(tasks), PROCESSES), context, start_worker) as pool:
        try:
            futures = {pool.submit(work, *task): task[0] for task in tasks}
            workers = [child for child in multiprocessing.active_children() if child not in others]
            _listen(futures, events, tell)
        except BaseException:  # an interrupt too: left alone, they would run for minutes
            for child in multiprocessing.active_children():
                if child not in others:
                    child.terminate()
            raise
    return [worker.exitcode for worker in workers]


def _listen(futures: Mapping[Any, Planned], events: Any, tell: Progress) -> None:
    pending = set(futures)
    while pending:
        done, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
        while not events.empty():
            tell(events.get())
        for future in done:
            error = future.exception()
            if error is None:
                tell(future.result())
            elif not isinstance(error, BrokenProcessPool):
                tell(_failed(futures[future], f"{type(error).__name__}: {error}"))


def _failed(plan: Planned, error: str) -> Outcome:
    return Outcome(**vars(plan), title=plan.notebook.stem, error=error)


def _context() -> Any:
    """Return how processes begin: as forks of one that has the libraries loaded and no threads."""
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("forkserver" if forks else "spawn")
    if forks:
        context.set_forkserver_preload(["papermill", "nbconvert", "PIL.PngImagePlugin", __name__])
    return context
