"""Turns notebooks into report pages: papermill runs them, nbconvert renders them.

Pages are made in a hidden folder and replace those of the earlier run at the end, together: an
interrupted run leaves the earlier pages as they were.
"""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sdanalysis import __version__
from sdanalysis.errors import SdAnalysisError
from sdanalysis.report.outcome import Event, Outcome, Planned, Progress, title_of
from sdanalysis.report.page import CARDS, publish
from sdanalysis.report.parameters import (
    Parameter,
    ParameterSets,
    check_parameters,
    parameters_of,
    read_sets,
)
from sdanalysis.report.processes import run_all

__all__ = [
    "Event", "Outcome", "Parameter", "ParameterSets", "check_parameters", "parameters_of",
    "read_sets", "run", "run_sets",
]  # fmt: skip


def run(
    notebooks: Sequence[Path],
    *,
    output: Path,
    parameters: Mapping[str, str],
    progress: Progress,
    tables: Sequence[Path] = (),
    sources: Mapping[str, str] | None = None,
    companions: Mapping[str, str] | None = None,
    cards: str = "",
) -> list[Outcome]:
    """Run notebooks side by side; write `<output>/<stem>.html` for each and `index.html`.

    A notebook that fails gets a page that says so, and leaves the others alone. Each runs in its
    own folder; the outcomes come back in the same order. `progress` is called in this process,
    with an Event while a notebook runs, with its Outcome when it ends. The pages show the hashes of
    the `tables`, and the addresses of the `sources` and the `companions` by name. The page
    of all `cards` is published beside them as `cards.html`.

    Refused before anything runs: what `check_parameters` refuses, no notebook or two of one name,
    a table that cannot be read, an output folder that cannot be written.
    """
    paths = [notebook.resolve() for notebook in notebooks]
    stems = {path.stem for path in paths}
    if not paths or len(stems) < len(paths) or stems & {"index", "cards"}:
        names = ", ".join(str(notebook) for notebook in notebooks) or "none"
        raise SdAnalysisError(f"notebooks: found {names}; expected some, of different names")
    values = check_parameters(paths, parameters)
    planned = [_plan(path, output / f"{path.stem}.html", values[path]) for path in paths]
    stamp = _stamp(tables, sources or {}, companions or {})
    return _run(planned, output, stamp, progress, cards=cards)


def run_sets(
    sets: ParameterSets,
    *,
    output: Path,
    progress: Progress,
    tables: Sequence[Path] = (),
    sources: Mapping[str, str] | None = None,
    companions: Mapping[str, str] | None = None,
) -> list[Outcome]:
    """Run one notebook over many sets of parameters; write `<output>/<set>.html` for each.

    The index names each set with its parameters and its answer. A set that fails leaves the
    others alone. Parameters and errors are those of `run`; `sets` comes from `read_sets`.
    """
    notebook = sets.notebook.resolve()
    pages = {output / f"{name}.html": values for name, values in sets.sets.items()}
    planned = [_plan(notebook, page, values) for page, values in pages.items()]
    return _run(
        planned, output, _stamp(tables, sources or {}, companions or {}), progress, title=sets.title
    )


def _plan(notebook: Path, page: Path, values: Mapping[str, object]) -> Planned:
    defaults = {name: parameter.default for name, parameter in parameters_of(notebook).items()}
    shown = defaults | {name: repr(value) for name, value in values.items()}
    return Planned(notebook=notebook, page=page, values=values, parameters=shown)


def _run(
    planned: Sequence[Planned],
    output: Path,
    stamp: Mapping[str, Any],
    progress: Progress,
    title: str = "",
    cards: str = "",
) -> list[Outcome]:
    try:
        output.mkdir(parents=True, exist_ok=True)
        hidden = tempfile.TemporaryDirectory(dir=output.resolve(), prefix=".making-")
    except OSError as error:
        raise SdAnalysisError(f"{output}: cannot be written: {error.strerror}") from error
    pages = {one.page.name: title_of(one.notebook) for one in planned}
    if title:  # one notebook many times: its sets are told apart by their names
        pages = {name: Path(name).stem for name in pages}
    stamp = {**stamp, "pages": pages, "cards": CARDS if cards else ""}
    with hidden as folder:
        outcomes = run_all(planned, Path(folder), stamp, progress)
        publish(outcomes, Path(folder), output, stamp, title, cards)
    return outcomes


def _stamp(
    tables: Sequence[Path], sources: Mapping[str, str], companions: Mapping[str, str]
) -> dict[str, Any]:
    """Collect what every page says about the run that made it."""
    digests = {}
    for table in tables:
        try:
            digests[table.name] = hashlib.sha256(table.read_bytes()).hexdigest()
        except OSError as error:
            raise SdAnalysisError(f"{table}: cannot be read: {error.strerror}") from error
    made = f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}"
    origin = {"tables": digests, "sources": sources, "companions": companions}
    return {"version": __version__, "made": made} | origin
