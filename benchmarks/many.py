"""Measure `sdanalysis archive` on very many small logs: `make speed-many`.

Each run is a process of its own on logs that are made first: serial, with two processes, and with a
Dask cluster of two workers on this computer; then again with nothing new, and with one log in a
hundred changed. Processor time is that of the command and of all its workers. Memory is that of the
command alone, the most that it ever held, at a tenth of the logs and at all of them: it should not
grow. On a busy machine the seconds mean little: its load stands above the table.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import inputs
from command import high_water

WORKERS = 2
A_FOLDER = 1000  # logs
NOTHING_NEW, CHANGED = 0.03, 0.05  # of the first run, at most
LARGE, CORES = 1_000_000, 32  # what is extrapolated to
_BLANK = str.maketrans("01", " \t")


class Run(NamedTuple):
    """One run of the command: seconds, of the processor too, most bytes, first part after."""

    seconds: float
    cpu: float
    memory: float
    first: float | None


def make(folder: Path, count: int) -> None:
    """Write small logs of all tools, no two alike: at the end of each is its number in blanks."""
    logs = inputs.small_logs()
    for number in range(count):
        name, content = logs[number % len(logs)]
        varied = inputs.varied(content, 1 + number / count)
        place = folder / f"{number // A_FOLDER:04}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:07}-{name}").write_bytes(varied + _blanks(varied, number))


def change(folder: Path, every: int) -> int:
    """Change one log in so many; return how many that were."""
    changed = sorted(folder.rglob("*.log"))[::every]
    for path in changed:
        content = path.read_bytes()
        path.write_bytes(content + _blanks(content, 1))
    return len(changed)


def _blanks(content: bytes, number: int) -> bytes:
    line = f"{number:b}".translate(_BLANK) + "\n"
    return line.encode("utf-16-le" if content.startswith(b"\xff\xfe") else "ascii")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--logs", type=int, default=100_000)
    count = parser.parse_args().logs
    if missing := [name for name in ("pyarrow", "distributed") if find_spec(name) is None]:
        sys.exit(f"error: found no {' and no '.join(missing)}, expected what test-arrow installs")
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), count)


def _measure(folder: Path, count: int) -> None:
    logs, tenth = folder / "logs", folder / "tenth"
    make(logs, count)
    make(tenth, count // 10)
    size = sum(path.stat().st_size for path in logs.rglob("*.log"))
    load = "/".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{count:,} logs, {size / 1e6:.0f} MB, {os.cpu_count()} cores, load {load}")
    print(
        f"{'':24}{'s':>8}{'logs/s':>8}{'CPU us/log':>11}{'first part':>11}{'MB':>6}{'at 1/10':>8}"
    )
    serial = _both(folder, "serial", ["--jobs", "1"], count)
    pool = _both(folder, f"{WORKERS} processes", ["--jobs", str(WORKERS)], count)
    with _cluster() as address:
        _both(folder, f"Dask, {WORKERS} workers", ["--scheduler", address], count)
    names = ("serial", f"{WORKERS} processes", f"Dask, {WORKERS} workers")
    alike = len({_digest(folder / name) for name in names}) == 1
    print(f"the three stores are {'alike, byte for byte' if alike else 'NOT ALIKE'}")
    again = [
        _print("nothing new, serial", _run(logs, folder / "serial", ["--jobs", "1"]), count),
        _print(f"nothing new, {WORKERS} processes", _pooled(folder), count),
    ]
    for run, first, name in zip(again, (serial, pool), ("serial", "processes"), strict=True):
        print(f"nothing new takes {_share(run, first, NOTHING_NEW)} ({name})")
    changed = change(logs, 100)
    run = _print(f"{changed:,} changed, {WORKERS} processes", _pooled(folder), count)
    print(f"one in a hundred changed takes {_share(run, pool, CHANGED)}")
    _extrapolate(serial, pool, again[0], count)


def _share(run: Run, first: Run, most: float) -> str:
    """Say what a run takes of the first one, in processor time too: others disturb that less."""
    seconds, cpu = run.seconds / first.seconds, run.cpu / first.cpu
    word = "" if seconds < most else f", expected at most {most:.0%}"
    return f"{seconds:.1%} of the first run, {cpu:.1%} of its processor time{word}"


def _pooled(folder: Path) -> Run:
    jobs = ["--jobs", str(WORKERS)]
    return _run(folder / "logs", folder / f"{WORKERS} processes", jobs)


def _digest(store: Path) -> str:
    """Return the sha256 of all parts with their names."""
    parts = sorted(store.rglob("*.parquet"))
    texts = (f"{path.relative_to(store)} {sha256(path.read_bytes()).hexdigest()}" for path in parts)
    return sha256("\n".join(texts).encode()).hexdigest()


def _both(folder: Path, name: str, options: list[str], count: int) -> Run:
    small = _run(folder / "tenth", folder / f"{name} of a tenth", options)
    return _print(name, _run(folder / "logs", folder / name, options), count, small)


def _print(name: str, run: Run, count: int, small: Run | None = None) -> Run:
    first = f"{run.first:.1f} s" if run.first else "-"
    tenth = f"{small.memory / 1e6:.0f}" if small else "-"
    print(
        f"{name:24}{run.seconds:8.1f}{count / run.seconds:8,.0f}{run.cpu / count * 1e6:11.0f}"
        f"{first:>11}{run.memory / 1e6:6.0f}{tenth:>8}",
        flush=True,
    )
    return run


def _run(logs: Path, store: Path, options: list[str]) -> Run:
    """Run the command in a process of its own, and watch for its first part."""
    arguments = ["archive", str(logs), str(store), *options]
    began, workers = time.monotonic(), _workers_cpu()
    process = subprocess.Popen(
        [sys.executable, __file__, "--run", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # Dask tells of each connection that ends
        text=True,
    )
    first, is_new = None, not store.exists()
    while process.poll() is None:
        if first is None and is_new and any(store.glob("problems/*.parquet")):
            first = time.monotonic() - began
        time.sleep(0.05)
    seconds = time.monotonic() - began
    cpu, memory = json.loads(process.stdout.read())
    return Run(seconds, cpu + _workers_cpu() - workers, memory, first)


_WORKERS: list[int] = []  # process ids of a Dask cluster


def _workers_cpu() -> float:
    if not _WORKERS:
        return 0
    import psutil

    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in _WORKERS)


@contextmanager
def _cluster() -> Iterator[str]:
    from distributed import Client, LocalCluster

    settings = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**settings) as cluster, Client(cluster) as client:
        _WORKERS.extend([os.getpid(), *client.run(os.getpid).values()])
        yield cluster.scheduler_address
        _WORKERS.clear()


def _extrapolate(serial: Run, pool: Run, again: Run, count: int) -> None:
    """Say what a million logs would take, if nothing counted but what was measured."""
    times = LARGE / count
    workers, alone = pool.cpu * times / CORES / 60, again.seconds * times
    print(f"{LARGE:,} such logs on paper: {serial.seconds * times / 60:.0f} min on one core;")
    print(f"with {CORES} workers {workers:.1f} min of each, beside {alone:.0f} s in which the one")
    print("process that asks sees all files: that, and the storage of the logs, bound it.")


def _child(arguments: list[str]) -> None:
    from sdanalysis.cli import main as command

    command(arguments)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps([time.process_time() + children.ru_utime + children.ru_stime, high_water()]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        _child(sys.argv[2:])
    else:
        main()
