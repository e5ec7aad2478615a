"""`sdanalysis report`: notebooks -> web pages."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis.cli.options import ROOT, add_command
from sdanalysis.errors import SdAnalysisError

if TYPE_CHECKING:
    from sdanalysis.report import Event, Outcome


def add(commands: argparse._SubParsersAction) -> None:
    """Add `report` to the commands."""
    command = add_command(
        commands,
        "report",
        "Run the notebooks and write their reports as web pages.",
        epilog="examples:\n  sdanalysis report\n"
        "  sdanalysis report 02_read_write_ratio -p access sequential\n"
        "A notebook that fails does not stop the others; the exit code is then 1.",
    )
    command.add_argument(
        "notebooks",
        nargs="*",
        metavar="NOTEBOOK",
        help="a path, or a name in the project's notebooks/ (default: all)",
    )
    command.add_argument(
        "-p",
        "--parameter",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="set a parameter; may be repeated",
    )
    command.add_argument(
        "-l",
        "--list",
        action="store_true",
        help="list the parameters of the notebooks, and run nothing",
    )
    command.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("reports"),
        metavar="DIR",
        help="folder of the pages (default: reports)",
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from sdanalysis import report, sources
    from sdanalysis.declaration import read_declaration

    notebooks = [_notebook(name) for name in options.notebooks]
    notebooks = notebooks or sorted((ROOT / "notebooks").glob("*.ipynb"))
    if options.list:
        return _list_parameters(notebooks)
    declarations = [read_declaration(folder) for folder in sources.folders(ROOT / "data" / "raw")]
    progress = _Progress()
    outcomes = report.run(
        notebooks,
        output=options.output,
        parameters=_parameters(options.parameter),
        progress=progress,
        data=ROOT / "data" / "processed" / "measurements.csv",
        sources={one.slug: one.url for one in declarations},
    )
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        place = f"cell {outcome.cell}" if outcome.cell else "before its first cell"
        print(
            f"sdanalysis report: {outcome.notebook.name}, {place}: {outcome.error}", file=sys.stderr
        )
    print(
        f"{options.output / 'index.html'}: {len(outcomes) - len(failed)} of {len(outcomes)} "
        f"reports in {progress.seconds():.1f} s"
    )
    return 1 if failed else 0


def _notebook(name: str) -> Path:
    """Return the notebook that a path or a bare name in notebooks/ means."""
    for path in (Path(name), ROOT / "notebooks" / name, ROOT / "notebooks" / f"{name}.ipynb"):
        if path.is_file():
            return path
    known = ", ".join(path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb")))
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


class _Progress:
    """Prints what the notebooks do: a line per notebook, and on a terminal each cell.

    A class because it knows when the run began.
    """

    def __init__(self) -> None:
        self.began = time.monotonic()

    def seconds(self) -> float:
        """Return the seconds since the run began."""
        return time.monotonic() - self.began

    def __call__(self, event: Event | Outcome) -> None:
        line = f"[{self.seconds():5.1f} s] {event.notebook.stem}"
        if hasattr(event, "cells"):
            if event.cell == 0:
                print(f"{line}: started", flush=True)
            elif sys.stdout.isatty():
                print(f"{line}: cell {event.cell} of {event.cells}", flush=True)
        else:
            print(f"{line}: {'FAILED' if event.error else 'done'}", flush=True)
