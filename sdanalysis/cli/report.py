"""`sdanalysis report`: notebooks -> web pages."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdanalysis.cli.options import add_command
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import PROJECT

if TYPE_CHECKING:
    from sdanalysis.report import Event, Outcome

EPILOG = """\
examples:
  sdanalysis report
  sdanalysis report 02_read_write_ratio -p access sequential
  sdanalysis report --set notebooks/sets/sources.toml
A notebook that fails does not stop the others; the exit code is then 1.

A file of parameter sets runs one notebook many times, side by side, into DIR/FILE's name/:
  notebook = "../02_read_write_ratio.ipynb"    # begins at the file's folder
  title = "Reads against writes"               # optional, of the index page
  [parameters]                                 # optional, what all sets share
  confidence = 0.9
  [[set]]                                      # a set: its name becomes the page's name
  name = "ddrescue"
  parameters = { tool = "ddrescue", access = "sequential" }
  [for_each]                                   # and one set for each combination of these
  form = ["microSD", "SD"]
"""


def add(commands: argparse._SubParsersAction) -> None:
    """Add `report` to the commands."""
    summary = "Run the notebooks and write their reports as web pages."
    command = add_command(commands, "report", summary, epilog=EPILOG)
    command.add_argument(
        "notebooks", nargs="*", metavar="NOTEBOOK",
        help="a path, or a name in the project's notebooks/ (default: all)",
    )  # fmt: skip
    command.add_argument(
        "-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"),
        help="set a parameter; may be repeated",
    )  # fmt: skip
    command.add_argument(
        "--set", type=Path, metavar="FILE",
        help="run one notebook over the parameter sets of a TOML file (see below)",
    )  # fmt: skip
    words = "list the parameters of the notebooks, and run nothing"
    command.add_argument("-l", "--list", action="store_true", help=words)
    command.add_argument(
        "-o", "--output", type=Path, default=Path("reports"), metavar="DIR",
        help="folder of the pages (default: reports)",
    )  # fmt: skip
    command.set_defaults(run=_run)


class Progress:
    """A run of notebooks: when it began, how many of its reports have ended; says so."""

    def __init__(self, reports: int) -> None:
        self.began, self.reports, self.ended = time.monotonic(), reports, 0

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


def _run(options: argparse.Namespace) -> int:
    if options.set:
        return _run_sets(options)
    from sdanalysis import report

    notebooks = [_notebook(name) for name in options.notebooks]
    notebooks = notebooks or sorted((PROJECT / "notebooks").glob("*.ipynb"))
    if options.list:
        return _list_parameters(notebooks)
    progress = Progress(len(notebooks))
    outcomes = report.run(
        notebooks,
        output=options.output,
        parameters=_parameters(options.parameter),
        progress=progress,
        **_provenance(),
    )
    return _tell(outcomes, options.output, progress)


def _run_sets(options: argparse.Namespace) -> int:
    from sdanalysis import report

    if options.notebooks or options.parameter or options.list:
        raise UsageError("--set goes without NOTEBOOK, -p and -l: the file names all that it runs")
    sets = report.read_sets(options.set)
    output, progress = options.output / options.set.stem, Progress(len(sets.sets))
    outcomes = report.run_sets(sets, output=output, progress=progress, **_provenance())
    return _tell(outcomes, output, progress)


def _provenance() -> dict[str, Any]:
    """Return what every page says of its origin: the table, and where its figures come from."""
    from sdanalysis.sources.declaration import read_declaration
    from sdanalysis.sources.load import source_folders

    declarations = [read_declaration(folder) for folder in source_folders(PROJECT / "data" / "raw")]
    return {
        "data": PROJECT / "data" / "processed" / "measurements.csv",
        "sources": {declared.slug: declared.url for declared in declarations},
    }


def _tell(outcomes: Sequence[Outcome], output: Path, progress: Progress) -> int:
    """Print what failed and where the index is; return the exit code."""
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        place = f"cell {outcome.cell}" if outcome.cell else "before its first cell"
        name = outcome.notebook.name
        if outcome.page.stem != outcome.notebook.stem:
            name = f"{name}, set {outcome.page.stem}"
        print(f"sdanalysis report: {name}, {place}: {outcome.error}", file=sys.stderr)
    print(
        f"{output / 'index.html'}: {len(outcomes) - len(failed)} of {len(outcomes)} "
        f"reports in {progress.seconds():.1f} s"
    )
    return 1 if failed else 0


def _notebook(name: str) -> Path:
    """Return the notebook that a path or a bare name in notebooks/ means."""
    for path in (Path(name), PROJECT / "notebooks" / name, PROJECT / "notebooks" / f"{name}.ipynb"):
        if path.is_file():
            return path
    known = ", ".join(path.stem for path in sorted((PROJECT / "notebooks").glob("*.ipynb")))
    raise SdAnalysisError(f"found no notebook {name!r}, expected a path or one of {known}")


def _parameters(pairs: Sequence[Sequence[str]]) -> dict[str, str]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise SdAnalysisError(f"found the parameter {name!r} twice, expected it once")
    return dict(map(tuple, pairs))


def _list_parameters(notebooks: Sequence[Path]) -> int:
    from sdanalysis import report

    for notebook in notebooks:
        print(notebook.stem)
        for parameter in report.parameters_of(notebook).values():
            print(f"  {parameter.name}: {parameter.type} = {parameter.default}  # {parameter.help}")
    return 0
