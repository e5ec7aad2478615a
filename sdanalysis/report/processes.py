"""Runs notebooks in a pool of processes, which is ended with whatever ends the caller.

papermill changes the directory of its process, so threads would disturb each other.
"""

import logging
import multiprocessing
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

from sdanalysis.report import kept, reads
from sdanalysis.report.answer import drop_copy, take_opening
from sdanalysis.report.outcome import Event, Executed, Outcome, Planned, Progress, facts, summarise
from sdanalysis.report.page import render
from sdanalysis.report.pictures import number_pictures

PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
READ = ".read"  # ends the name of the note of what a kernel read
_LOADED = ("papermill", "nbconvert", "PIL.PngImagePlugin", "sdanalysis.report.shared")
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

    if not planned:
        return []
    how = context()
    with how.Manager() as manager:
        events = manager.Queue()
        shares = ((number, len(planned)) for number in range(len(planned)))
        tasks = [(*task, folder, stamp, events) for task in zip(planned, shares, strict=True)]
        codes = _run_pool(tasks, how, events, tell)
        for plan, task in zip(planned, tasks, strict=True):
            if plan.page not in outcomes and len(tasks) > 1:
                codes = _run_pool([task], how, events, tell)
            if plan.page not in outcomes:
                tell(_failed(plan, f"its process ended early, exit code {codes[0]}"))
    return [outcomes[plan.page] for plan in planned]


def _run_pool(tasks: Sequence[tuple], how: Any, events: Any, tell: Progress) -> list[int | None]:
    """Tell what becomes of tasks that lose no process; return the processes' exit codes."""
    others = multiprocessing.active_children()
    with ProcessPoolExecutor(min(len(tasks), PROCESSES), how, _start_worker) as pool:
        try:
            futures = {pool.submit(_work, *task): task[0] for task in tasks}
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


def context() -> Any:
    """Return how processes begin: as forks of one that has the libraries loaded and no threads.

    Not on macOS, where the numerical library that kernels share does not outlive a fork.
    """
    forks = "forkserver" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
    found: Any = multiprocessing.get_context("forkserver" if forks else "spawn")
    if forks:
        found.set_forkserver_preload([*_LOADED, __name__])
    return found


def _start_worker() -> None:
    """Prepare a process: it ends when the one that called `run` says so, or is no more."""
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches all; the caller decides
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    logging.disable(logging.WARNING)  # only cli prints
    os.environ["SDANALYSIS_SVG"] = "1"  # the kernels' figures leave as SVG too: see plots.show
    if sys.version_info < (3, 14):
        _share_the_fork_server()


def _share_the_fork_server() -> None:
    """Let this process, itself a fork, ask the server that it is from for forks: its kernels.

    It has the address, and yet multiprocessing would start a server anew for each process
    (https://github.com/python/cpython/issues/86354). From Python 3.14 on it lacks the key to ask:
    there, kernels start afresh.
    """
    from multiprocessing import forkserver

    from sdanalysis.report import kernels

    server: Any = getattr(forkserver, "_forkserver", None)
    if getattr(server, "_forkserver_address", None):
        server.ensure_running = lambda: None
        kernels.use(context())


def _end(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a pool that breaks says it once more
    sys.exit(1)  # an exception, so that the kernel is ended


def _end_with_parent() -> None:
    """Wait for the end of the process that called `run`: killed, it cannot end this one."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _work(
    planned: Planned, share: tuple[int, int], folder: Path, stamp: Mapping[str, Any], events: Any
) -> Outcome:
    """Run a notebook and write its page into the folder; `events` is a queue to the caller."""
    page, since = planned.page.name, time.time()
    try:
        executed = _execute(planned, share, folder, events.put)
        drop_copy(executed.notebook)
        pictures = number_pictures(executed.notebook, facts(planned, stamp))
        outcome = replace(summarise(planned, executed, pictures), made=stamp["made"])
        take_opening(executed.notebook, outcome.answer)
        html = render(executed.notebook, outcome, stamp)
        (folder / page).write_text(html, "utf-8", "backslashreplace")
        read = reads.recorded((folder / page).with_suffix(READ))
        kept.note(folder, page, planned.mark, outcome=outcome, read=read, since=since)
        return outcome
    except SystemExit:  # of `_end`: the pool would take it for an answer, and go on with the next
        os._exit(1)


def _execute(
    planned: Planned, share: tuple[int, int], folder: Path, tell: Callable[[Event], None]
) -> Executed:
    """Run a notebook as far as it goes, its ports from a share of all."""
    import nbformat
    from papermill import PapermillExecutionError

    begun = time.monotonic()
    cells = sum(map(_is_run, nbformat.read(planned.notebook, as_version=4).cells))
    target, error, reached = (folder / planned.page.name).with_suffix(".ipynb"), "", 0

    def count(cell: Any, **_: object) -> None:
        nonlocal reached
        if _is_run(cell):
            reached += 1
            cell.metadata["number"] = reached
            tell(Event(page=planned.page, cell=reached, cells=cells))

    tell(Event(page=planned.page, cell=0, cells=cells))
    try:
        _call_papermill(planned, target, share, count)
    except PapermillExecutionError as problem:
        error = f"{problem.ename}: {problem.evalue}"
    except Exception as problem:  # the kernel did not start, or died
        error = f"{type(problem).__name__}: {problem}"
    notebook = _as_executed(planned.notebook, target)
    raised = [o for c in notebook.cells for o in c.get("outputs", []) if o.output_type == "error"]
    if raised and not error:  # papermill takes sys.exit(0) for the end of the notebook
        error = f"{raised[0].ename}: {raised[0].evalue}"
    line, seconds = error.strip().partition("\n")[0].rstrip(": "), time.monotonic() - begun
    return Executed(notebook, error=line, cell=reached or None if error else None, seconds=seconds)


def _call_papermill(
    planned: Planned, target: Path, share: tuple[int, int], count: Callable[..., None]
) -> None:
    import papermill
    from traitlets.config import Config

    # Encrypts where it can; without it every kernel warns of its TCP connection.
    listener = f"--IPKernelApp.exec_lines={reads.command(target.with_suffix(READ))}"
    manager = {"transport_encryption": "auto", "cache_ports": False, **_free_ports(*share)}
    papermill.execute_notebook(
        _literal(planned.notebook),
        _literal(target),
        parameters=dict(planned.values),
        kernel_name="python3",  # the environment of this process, whatever the notebook names
        language="python",
        cwd=planned.notebook.parent,
        progress_bar=False,
        request_save_on_cell_execute=False,
        on_cell_start=count,
        shutdown_kernel="immediate",  # every output has arrived; the polite way takes 0.2 s
        config=Config(KernelManager=manager, NotebookClient={"extra_arguments": [listener]}),
    )


def _free_ports(number: int, of: int) -> dict[str, int]:
    """Return a free port of 127.0.0.1 for each of `PORTS`, from one share (0, 1, ...) of all.

    Left to itself, each kernel manager looks for free ports and lets them go again; until its
    kernel takes them, another manager may find the same ones, or the system may lend them to an
    outgoing connection, and the kernel is waited for in vain. These lie below the range that
    systems lend (32768 upwards on Linux, 49152 by RFC 6335).
    """
    share = range(20000 + number, 32768, of)
    free = filter(_is_free, random.sample(share, len(share)))
    found = dict(zip(PORTS, free, strict=False))
    if len(found) < len(PORTS):
        raise OSError("no free ports between 20000 and 32768")
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _is_run(cell: Any) -> bool:
    """Say whether a cell of the stored notebook gets an `In [n]`: papermill adds one that has."""
    own = "injected-parameters" not in cell.metadata.get("tags", [])
    return own and cell.cell_type == "code" and bool(cell.source.strip())


def _literal(path: Path) -> str:
    return str(path).replace("{", "{{").replace("}", "}}")  # papermill formats its paths


def _as_executed(stored: Path, executed: Path) -> Any:
    """Read what papermill wrote, or, when the kernel died, the notebook without any output."""
    import nbformat
    from papermill.execute import remove_error_markers

    if executed.exists():
        return remove_error_markers(nbformat.read(executed, as_version=4))
    notebook = nbformat.read(stored, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    return notebook
