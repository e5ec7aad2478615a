"""Runs notebooks side by side, in kernels, by papermill.

Runs of one notebook follow each other in as many kernels as there are processors: what it imports
and what stays in memory is paid once. The kernels are the only processes, and a guard ends them
with whatever ends this one.
"""

import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from sdanalysis.report import note
from sdanalysis.report.guard import RUN
from sdanalysis.report.outcome import Event, Executed, Planned, Progress

PROCESSORS = os.cpu_count() or 1
KERNELS = 2 * PROCESSORS  # a kernel that starts or waits for the disk leaves one idle
Ran = tuple[Planned, Executed]
_SVG = "SDANALYSIS_SVG"  # lets figures leave their kernel as SVG, too: see `plots.show`


@contextmanager
def executing(planned: Sequence[Planned], progress: Progress) -> Iterator[Iterator[Ran]]:
    """Run notebooks; give of each that has run what it became. Threads tell how far they are."""
    if not planned:
        yield iter(())
        return
    runs: dict[Path, list[Planned]] = {}
    for plan in planned:
        runs.setdefault(plan.notebook, []).append(plan)
    waiting: SimpleQueue[list[Planned] | None] = SimpleQueue()
    batches = [  # a kernel runs the plans of one after the other
        plans[start::PROCESSORS]
        for plans in runs.values()
        for start in range(min(len(plans), PROCESSORS))
    ]
    messages: SimpleQueue = SimpleQueue()
    kernels = min(len(batches), KERNELS)
    for batch in (*batches, *[None] * kernels):
        waiting.put(batch)
    with _guarded() as folder:
        for _ in range(kernels):
            work = (waiting, messages, folder, progress)
            Thread(target=_work, args=work, daemon=True).start()
        yield _received(messages, len(planned))


def _work(waiting: SimpleQueue, messages: SimpleQueue, folder: Path, progress: Progress) -> None:
    """Run batches, as long as some are waiting; after a run that failed, in a new kernel."""
    from jupyter_core.utils import ensure_event_loop

    loop = ensure_event_loop()  # that of this thread, which talks to its kernels
    try:
        for batch in iter(waiting.get, None):
            kernel = None
            for plan in batch:
                kernel = kernel or Kernel(folder / f"{plan.page.stem}.read")
                executed = _execute(plan, folder, kernel, progress)
                messages.put((plan, executed))
                is_last = executed.error or plan is batch[-1]
                if is_last or not kernel.forget(plan.notebook.parent):
                    kernel.end()
                    kernel = None
    except BaseException as problem:  # of this module: no notebook raises here
        messages.put(problem)
    loop.close()


def _received(messages: SimpleQueue, runs: int) -> Iterator[Ran]:
    for _ in range(runs):
        message = messages.get()
        if isinstance(message, BaseException):
            raise message
        yield message


class Kernel:
    """A kernel that outlives its notebooks, and the file where it notes what it reads."""

    def __init__(self, noted: Path) -> None:
        from jupyter_client import AsyncKernelManager
        from traitlets.config import Config

        # Encrypts where it can; without it every kernel warns of its TCP connection.
        config = Config(KernelManager={"transport_encryption": "auto"})
        address = str(noted.with_suffix(".json"))  # in the folder that goes with the run
        self.manager = AsyncKernelManager(
            kernel_name="python3", config=config, connection_file=address
        )
        self.manager.client = self._client  # type: ignore[method-assign]  # papermill asks it
        self.noted, self.since = noted, time.time()
        self.clients: list[Any] = []

    def _client(self, **given: Any) -> Any:
        """Return what talks to the kernel during one notebook."""
        self.clients.append(type(self.manager).client(self.manager, **given))
        return self.clients[-1]

    def forget(self, folder: Path) -> bool:
        """Forget all names of the notebook that ran, and go back to its folder; True if done."""
        from jupyter_core.utils import run_sync

        code = f"import os; os.chdir({str(folder)!r}); get_ipython().reset()"
        client = self.clients[-1]

        async def reset() -> Any:
            return await client.execute(code, silent=True, reply=True, timeout=60)

        try:
            reply = run_sync(reset)()
        except (OSError, RuntimeError):  # no answer (a TimeoutError), or it died
            return False
        self.clients.pop().stop_channels()
        return reply["content"]["status"] == "ok"

    def end(self) -> None:
        """End the kernel at once: every output has arrived; the polite way takes 0.2 s."""
        from jupyter_core.utils import run_sync

        for client in self.clients:
            client.stop_channels()
        with suppress(Exception):  # it never started, or died
            run_sync(self.manager.shutdown_kernel)(now=True)


@contextmanager
def _guarded() -> Iterator[Path]:
    """Give a folder; when the block ends, or this process, so do folder and kernels."""
    folder = tempfile.mkdtemp(prefix="sdanalysis-report-")
    command = [sys.executable, "-P", str(Path(__file__).with_name("guard.py")), folder]
    guard = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    papermill, before = logging.getLogger("papermill"), dict(os.environ)
    level = papermill.level
    try:
        os.environ |= {RUN: folder, _SVG: "1"}
        papermill.setLevel(logging.CRITICAL)  # only cli prints
        yield Path(folder)
        guard.communicate(b"done")
    finally:
        papermill.setLevel(level)
        for name in (RUN, _SVG):
            os.environ.pop(name, None)
        os.environ |= {name: before[name] for name in (RUN, _SVG) if name in before}
        if guard.poll() is None:
            guard.communicate(b"")


def _execute(planned: Planned, folder: Path, kernel: Kernel, progress: Progress) -> Executed:
    """Run a notebook as far as it goes."""
    import nbformat
    from papermill import PapermillExecutionError

    begun = time.monotonic()
    stored = nbformat.read(planned.notebook, as_version=4)
    cells = sum(map(_is_run, stored.cells))
    target, error, reached = folder / f"{planned.page.stem}.ipynb", "", 0

    def count(cell: Any, **_: object) -> None:
        nonlocal reached
        if _is_run(cell):
            reached += 1
            cell.metadata["number"] = reached
            progress(Event(page=planned.page, cell=reached, cells=cells))

    progress(Event(page=planned.page, cell=0, cells=cells))
    try:
        _call_papermill(planned, target, kernel, count)
    except PapermillExecutionError as problem:
        error = f"{problem.ename}: {problem.evalue}"
    except Exception as problem:  # the kernel did not start, or died
        error = f"{type(problem).__name__}: {problem}"
    notebook = _as_executed(stored, target)
    raised = [o for c in notebook.cells for o in c.get("outputs", []) if o.output_type == "error"]
    if raised and not error:  # papermill takes sys.exit(0) for the end of the notebook
        error = f"{raised[0].ename}: {raised[0].evalue}"
    return Executed(
        notebook,
        error=error.strip().partition("\n")[0].rstrip(": "),
        cell=reached or None if error else None,
        seconds=time.monotonic() - begun,
        since=kernel.since,
        read=note.recorded(kernel.noted),
    )


def _call_papermill(
    planned: Planned, target: Path, kernel: Kernel, count: Callable[..., None]
) -> None:
    import papermill
    from traitlets.config import Config

    # the kernel notes what it reads; no name is left behind
    code = f"__import__({note.__name__!r}, fromlist=['record']).record({str(kernel.noted)!r})"
    listener = f"--IPKernelApp.exec_lines={code}"
    papermill.execute_notebook(
        *(str(path).replace("{", "{{").replace("}", "}}") for path in (planned.notebook, target)),
        parameters=dict(planned.values),
        kernel_name="python3",  # the environment of this process, whatever the notebook names
        language="python",
        # The kernel's folder; papermill's own `cwd` is that of the whole process.
        resources={"metadata": {"path": str(planned.notebook.parent)}},
        progress_bar=False,
        request_save_on_cell_execute=False,
        on_cell_start=count,
        km=kernel.manager,
        config=Config(NotebookClient={"extra_arguments": [listener]}),
    )


def _as_executed(stored: Any, executed: Path) -> Any:
    """Read what papermill wrote, or, when the kernel died, the notebook without any output."""
    import nbformat
    from papermill.execute import remove_error_markers

    if executed.exists():
        return remove_error_markers(nbformat.read(executed, as_version=4))
    for cell in stored.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    return stored


def _is_run(cell: Any) -> bool:
    """Say whether a cell of the stored notebook gets an `In [n]`: papermill adds one that has."""
    own = "injected-parameters" not in cell.metadata.get("tags", [])
    return own and cell.cell_type == "code" and bool(cell.source.strip())
