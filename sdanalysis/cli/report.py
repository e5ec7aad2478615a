"""`sdanalysis report`: notebooks -> web pages."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from sdanalysis import cards, report
from sdanalysis.errors import UsageError, missing_extra, suggestion
from sdanalysis.paths import DATA, NOTEBOOKS, OTHER_DATA, check_data
from sdanalysis.report import Event, Origin, Outcome
from sdanalysis.sources.declaration import read_declaration
from sdanalysis.sources.folders import companions_below, source_folders

_NEEDED = ("papermill", "nbconvert", "nbformat", "ipykernel", "traitlets")  # the extra notebooks
WHICH_CARD = NOTEBOOKS / "sets" / "which_card.toml"  # the boards and uses of the front page


class _Progress:
    """How far a run is: when it began, and how many of its reports have ended."""

    def __init__(self, reports: int) -> None:
        self.began, self.reports, self.ended = time.monotonic(), reports, 0

    def seconds(self) -> float:
        """Return the seconds since the run began."""
        return time.monotonic() - self.began

    def __call__(self, event: Event | Outcome) -> None:
        """Print a line for a start or an end, and on a terminal for each cell."""
        line = f"[{self.seconds():5.1f} s] {event.page.stem}"
        if not hasattr(event, "cells"):
            self.ended += 1
            state = "FAILED" if event.error else "unchanged, kept" if event.kept else "done"
            print(f"{line}: {state}, {self.ended} of {self.reports}", flush=True)
        elif event.cell == 0:
            print(f"{line}: started", flush=True)
        elif sys.stdout.isatty():
            print(f"{line}: cell {event.cell} of {event.cells}", flush=True)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if options.set and (options.notebooks or options.parameter or options.list):
        raise UsageError("--set goes without NOTEBOOK, -p and -l: the file names all that it runs")
    notebooks = [_notebook(name) for name in options.notebooks]
    is_front = not (notebooks or options.parameter or options.set)
    notebooks = notebooks or sorted(NOTEBOOKS.glob("*.ipynb"))
    if options.list:
        for notebook in notebooks:
            print(notebook.stem)
            for entry in report.parameters_of(notebook).values():
                print(f"  {entry.name}: {entry.type} = {entry.default}  # {entry.help}")
        return 0
    # each notebook would say so on its own
    if missing := next((name for name in _NEEDED if find_spec(name) is None), None):
        raise missing_extra("report", missing, "`sdanalysis report`")
    output = options.output / options.set.stem if options.set else options.output
    how = {"output": output, "origin": _origin(options.data), "anew": options.all}
    if options.set:
        sets = report.read_sets(options.set)
        progress = _Progress(len(sets.sets))
        return _tell(report.run_sets(sets, progress=progress, **how), output, progress)
    sets = report.read_sets(WHICH_CARD) if is_front else None
    progress = _Progress(len(notebooks) + (len(sets.sets) - 1 if sets else 0))
    known = {"folder": options.data, "companions": bool(companions_below(options.data))}
    given = {"cards": partial(cards.render, **known), "picker": partial(cards.picker, **known)}
    given |= {"parameters": _parameters(options), "also": sets}
    return _tell(report.run(notebooks, progress=progress, **given, **how), output, progress)


def _tell(outcomes: Sequence[Outcome], output: Path, progress: _Progress) -> int:
    """Print what failed and where the index is; return the exit code."""
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        place = f"cell {outcome.cell}" if outcome.cell else "before its first cell"
        notebook, page = outcome.notebook, outcome.page.stem
        name = notebook.name if page == notebook.stem else f"{notebook.name}, set {page}"
        print(f"sdanalysis report: {name}, {place}: {outcome.error}", file=sys.stderr)
    done = f"{len(outcomes) - len(failed)} of {len(outcomes)} reports"
    kept = sum(outcome.kept for outcome in outcomes)
    done += f", {kept} of them kept" if kept else ""
    print(f"{output / 'index.html'}: {done} in {progress.seconds():.1f} s")
    return 1 if failed else 0


def _origin(data: Path) -> Origin:
    """Return what every page says of its origin: the tables, and where its figures come from.

    The kernels of the notebooks, which are told nothing else, find the folder by its name in the
    environment.
    """
    if data.absolute() != DATA:
        os.environ[OTHER_DATA] = str(data.absolute())
    made = check_data(data, "raw", "processed/measurements.csv") / "processed"
    companions = companions_below(data)
    below = {"sources": data / "raw"} | ({"companions": companions} if companions else {})
    declared = {
        name: [read_declaration(path) for path in source_folders(folder)]
        for name, folder in below.items()
    }
    tables = [made / "measurements.csv", *([made / "companions.csv"] if companions else [])]
    addresses = {
        name: {source.slug: source.url for source in found} for name, found in declared.items()
    }
    return Origin(tables=tables, **addresses)


def _notebook(name: str) -> Path:
    """Return the notebook that a path or a bare name in notebooks/ means."""
    for path in (Path(name), NOTEBOOKS / name, NOTEBOOKS / f"{name}.ipynb"):
        if path.is_file():
            return path
    known = [path.stem for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
    expected = f"expected a path or one of {', '.join(known)}{suggestion(name, known)}"
    raise UsageError(f"found no notebook {name!r}, {expected}")


def _parameters(options: argparse.Namespace) -> dict[str, str]:
    """Return the parameters by name, a host as the id that any of its names means."""
    names = [name for name, _ in options.parameter]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"found the parameter {name!r} twice, expected it once")
    values = dict(map(tuple, options.parameter))
    if "host" in values:
        from sdanalysis.dataset import load_data
        from sdanalysis.my_card.computer import computer_of

        hosts = load_data(options.data, companions=True).hosts
        values["host"] = computer_of(values["host"], [], hosts).host or values["host"]
    return values
