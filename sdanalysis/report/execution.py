"""What happens in the process of one notebook: it is run, and its page is written."""

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sdanalysis.report import page
from sdanalysis.report.outcome import Event, Outcome
from sdanalysis.report.pictures import number_pictures
from sdanalysis.report.summary import facts, summarise


def work(
    outcome: Outcome, stamp: Mapping[str, Any], ports: Mapping[str, int], connection: Connection
) -> None:
    """Run one notebook, write its page, send the outcome."""
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches all; the parent decides
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # an exception, so the kernel is ended
    threading.Thread(target=_end_with_parent, daemon=True).start()
    logging.disable(logging.WARNING)  # only cli prints
    begun = time.monotonic()
    notebook, outcome = _execute(outcome, ports, connection)
    pictures = number_pictures(notebook, facts(outcome, stamp))
    outcome = summarise(notebook, pictures, outcome)
    outcome = replace(outcome, seconds=time.monotonic() - begun)
    outcome.page.write_text(page.render(notebook, outcome, stamp), encoding="utf-8")
    connection.send(outcome)


def _end_with_parent() -> None:
    """Wait for the end of the process that called `run`: killed, it cannot end this one."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _execute(
    outcome: Outcome, ports: Mapping[str, int], connection: Connection
) -> tuple[Any, Outcome]:
    """Run a notebook as far as it goes; return it, and the outcome with the failure, if any."""
    import nbformat
    import papermill
    from traitlets.config import Config

    cells = sum(map(_is_run, nbformat.read(outcome.notebook, as_version=4).cells))
    executed, error, reached = outcome.page.with_suffix(".ipynb"), "", 0

    def tell(cell: Any, **_: object) -> None:
        nonlocal reached
        if _is_run(cell):
            reached += 1
            cell.metadata["number"] = reached
            connection.send(Event(page=outcome.page, cell=reached, cells=cells))

    connection.send(Event(page=outcome.page, cell=0, cells=cells))
    try:
        papermill.execute_notebook(
            _literal(outcome.notebook),
            _literal(executed),
            parameters=dict(outcome.values),
            kernel_name="python3",  # the environment of this process, whatever the notebook names
            language="python",
            cwd=outcome.notebook.parent,
            progress_bar=False,
            request_save_on_cell_execute=False,
            on_cell_start=tell,
            shutdown_kernel="immediate",  # every output has arrived; the polite way takes 0.2 s
            # Encrypts where it can; without it every kernel warns of its TCP connection.
            config=Config(
                KernelManager={"transport_encryption": "auto", "cache_ports": False, **ports}
            ),
        )
    except papermill.PapermillExecutionError as problem:
        error = f"{problem.ename}: {problem.evalue}"
    except Exception as problem:  # the kernel did not start, or died
        error = f"{type(problem).__name__}: {problem}"
    notebook = _as_executed(outcome.notebook, executed)
    raised = [o for c in notebook.cells for o in c.get("outputs", []) if o.output_type == "error"]
    if raised and not error:  # papermill takes sys.exit(0) for the end of the notebook
        error = f"{raised[0].ename}: {raised[0].evalue}"
    line = error.strip().partition("\n")[0].rstrip(": ")
    return notebook, replace(outcome, error=line, cell=reached or None if error else None)


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
