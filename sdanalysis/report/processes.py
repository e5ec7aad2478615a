"""One process a notebook: started, listened to, and ended with whatever ends the caller.

papermill changes the directory of its process, so threads would disturb each other.
"""

import multiprocessing
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from sdanalysis.report.execution import work
from sdanalysis.report.outcome import Event, Outcome, Progress
from sdanalysis.report.ports import free_ports


def run_all(
    planned: Sequence[Outcome], stamp: Mapping[str, Any], progress: Progress
) -> list[Outcome]:
    """Run each notebook in a process; whatever ends this function ends the processes too."""
    waiting, done = list(planned), {}
    running: dict[Any, tuple[BaseProcess, Outcome]] = {}
    taken: set[int] = set()
    try:
        while waiting or running:
            # Twice the processors: a kernel that starts or waits for the disk leaves one idle.
            while waiting and len(running) < 2 * (os.cpu_count() or 1):
                ports = free_ports(taken)
                taken.update(ports.values())
                connection, process = _start(waiting[0], stamp, ports)
                running[connection] = process, waiting.pop(0)
            for connection in wait(list(running)):
                message = _receive(connection, *running[connection])
                if isinstance(message, Outcome):
                    done[message.page] = message
                    running.pop(connection)[0].join()
                progress(message)
    finally:
        for process, _ in running.values():
            process.terminate()
        for process, _ in running.values():
            process.join()
    return [done[outcome.page] for outcome in planned]


def _start(
    outcome: Outcome, stamp: Mapping[str, Any], ports: Mapping[str, int]
) -> tuple[Connection, BaseProcess]:
    """Start a notebook's process: a fork of one that has the libraries loaded and no threads."""
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("forkserver" if forks else "spawn")
    if forks:
        context.set_forkserver_preload(["papermill", "nbconvert", "PIL.PngImagePlugin", __name__])
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(outcome, stamp, ports, theirs))
    process.start()
    theirs.close()  # so that the end of the process ends the connection
    return ours, process


def _receive(connection: Connection, process: BaseProcess, outcome: Outcome) -> Event | Outcome:
    try:
        return connection.recv()
    except EOFError:
        process.join()
        return replace(outcome, error=f"its process ended early, exit code {process.exitcode}")
