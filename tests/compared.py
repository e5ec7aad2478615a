"""Whole answers of `sdanalysis compare`: `python tests/compared.py NAME 'ARGUMENTS'` writes one.

A file of `tests/comparisons` has the arguments in its first line, then the exit code, what is
printed and what is complained of. What is there stays: remove a file to write it anew.
"""

import contextlib
import io
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import pandas as pd

from sdanalysis.cli import main

ANSWERS = Path(__file__).resolve().parent / "comparisons"


def results(values, /, *, slack=0.0, **given):
    """Rows as `sdanalysis.parse` returns them: one test, a run a value, unless said otherwise."""
    row = {"op": "read", "metric": "bandwidth", "stat": "single", "status": "measured"}
    row |= {"tool": "dd", "block_size": 4096, "raw_unit": "MB/s"} | given
    bounds = {"value": 1, "value_low": 1 - slack, "value_high": 1 + slack}
    lines = [row | {name: value * end for name, end in bounds.items()} for value in values]
    return pd.DataFrame(lines).astype({"block_size": "Int64", **dict.fromkeys(bounds, float)})


def ran(capsys, *arguments):
    """The exit code, the output and the complaints of a command."""
    code = main(["compare", *map(str, arguments)])
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    return code, printed.out, printed.err


def dd_log(path, *seconds):
    """Write a log of dd that writes: a result for each time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        "dd if=/dev/zero of=test bs=1M count=95 oflag=direct\n95+0 records in\n95+0 records out\n"
        f"99614720 bytes (100 MB, 95 MiB) copied, {time:.5f} s, {99.61472 / time:.1f} MB/s\n"
        for time in seconds
    ]
    path.write_text("".join(lines), encoding="utf-8")


def copy_log(path, second, megabytes=100):
    """Write a log of dd without its command: a copy, whose block size its counts tell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    blocks, rate = {100: "95+1", 200: "190+1"}[megabytes], megabytes / second
    counts = f"{blocks} records in\n{blocks} records out\n{megabytes * 10**6} bytes "
    size = f"({megabytes} MB, {megabytes * 10**6 // 2**20} MiB)"
    path.write_text(f"{counts}{size} copied, {second} s, {rate:.3g} MB/s\n", encoding="utf-8")


def make_sets(folder):
    """Make logs to compare: sets of four copies, sets of five writes, histories of six runs."""
    for name, times in (("slow", (2, 2.1, 2.2, 2.3)), ("fast", (1, 1.02, 1.04, 1.06))):
        for number, second in enumerate(times):
            copy_log(folder / name / f"run{number}.log", second)
    for name in ("copied", "damaged", "longer"):
        shutil.copytree(folder / "slow", folder / name)
    shutil.copy(folder / "slow" / "run0.log", folder / "copied" / "run9.log")
    (folder / "damaged" / "broken.log").write_text('{ "fio version" : "fio-3.33",\n')
    (folder / "damaged" / "notes.md").write_text("nothing\n")
    copy_log(folder / "longer" / "longer.log", 4.2, 200)
    (folder / "empty").mkdir()
    (folder / "empty.log").write_bytes(b"")
    (folder / "prose.log").write_text("Nothing was measured today.\n")
    (folder / "binary.log").write_bytes(bytes(range(32)) * 200)
    for name, factor in (("plain", 1), ("slower", 1.1), ("twice", 0.5)):
        dd_log(folder / f"{name}.log", *(factor * time for time in (2, 2.02, 2.04, 2.06, 2.08)))
    for number, second in enumerate((2, 2.04, 1.98, 2.02, 2.01, 3), 8):
        dd_log(folder / "runs" / f"run-{number}" / "write.log", second, second * 1.01)
    for name in ("reordered", "unread", "twins", "last-unread"):
        shutil.copytree(folder / "runs", folder / name)
    (folder / "reordered" / "run-13").rename(folder / "reordered" / "run-1")
    (folder / "unread" / "run-9" / "write.log").write_text("nothing\n")
    (folder / "unread" / "run-10" / "write.log").unlink()
    (folder / "last-unread" / "run-13" / "write.log").write_text("nothing\n")
    shutil.copy(folder / "twins" / "run-8" / "write.log", folder / "twins" / "run-9")
    dd_log(folder / "first" / "run-1" / "write.log", 2.0)
    for day, second in enumerate((2, 2.02, 1.98, 2.01), 8):
        dd_log(folder / "days" / f"2026-11-{day}.log", second)
    (folder / "days" / ".gitkeep").write_text("")


def answer(arguments):
    """What the command answers, as a file has it; in a folder that `make_sets` filled."""
    printed, complaints = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaints):
        code = main(["compare", *shlex.split(arguments)])
    return f"{arguments}\nexit {code}\n{printed.getvalue()}--- stderr\n{complaints.getvalue()}"


def write(name, arguments):
    """Write an answer that lacks."""
    path = ANSWERS / f"{name}.txt"
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        make_sets(Path(folder))
        with path.open("x", encoding="utf-8") as file:
            file.write(answer(arguments))
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    write(*sys.argv[1:])
