"""Turns notebooks into report pages: papermill runs them, nbconvert renders them.

Pages are made in a hidden folder and replace those of the earlier run at the end, together: an
interrupted run leaves the earlier pages as they were.
"""

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sdanalysis import __version__
from sdanalysis.errors import SdAnalysisError
from sdanalysis.report import kept
from sdanalysis.report.kept import forget
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
    "Event", "Outcome", "Parameter", "ParameterSets", "check_parameters", "forget",
    "parameters_of", "read_sets", "run", "run_sets",
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
    cards: Callable[[], str] | None = None,
) -> list[Outcome]:
    """Run notebooks side by side; write `<output>/<stem>.html` for each and `index.html`.

    A notebook that fails gets a page that says so, and leaves the others alone. Each runs in its
    own folder; the outcomes come back in the same order. `progress` is called in this process,
    with an Event while a notebook runs, with its Outcome when it ends. The pages show the hashes of
    the `tables`, and the addresses of the `sources` and the `companions` by name. The page
    that `cards` returns is published beside them as `cards.html`.

    A report for which nothing has changed since it was made in this folder (its notebook, its
    parameters, the package, the data, the libraries, the files that it read) is `kept`, its page
    as it is, with the date of its own run; after `forget(output)` all are run.

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
    stamp = _stamp(tables, sources or {}, companions or {})
    return _run(planned, output, stamp, progress, title=sets.title)


def _plan(notebook: Path, page: Path, values: Mapping[str, object]) -> Planned:
    defaults = {name: parameter.default for name, parameter in parameters_of(notebook).items()}
    shown = defaults | {name: repr(value) for name, value in values.items()}
    return Planned(notebook=notebook, page=page, values=values, parameters=shown)


def _run(
    planned: Sequence[Planned],
    output: Path,
    stamp: Mapping[str, Any],
    progress: Progress,
    *,
    title: str = "",
    cards: Callable[[], str] | None = None,
) -> list[Outcome]:
    try:
        output.mkdir(parents=True, exist_ok=True)
        hidden = tempfile.TemporaryDirectory(dir=output.resolve(), prefix=".making-")
    except OSError as error:
        raise SdAnalysisError(f"{output}: cannot be written: {error.strerror}") from error
    pages = {one.page.name: title_of(one.notebook) for one in planned}
    if title:  # one notebook many times: its sets are told apart by their names
        pages = {name: Path(name).stem for name in pages}
    around, own = kept.surroundings(), {**stamp, "pages": pages, "cards": CARDS if cards else ""}
    planned = [replace(one, mark=kept.fingerprint(around, own, one)) for one in planned]
    found = {one.page: kept.outcome_of(one) for one in planned}
    ended = {page: outcome for page, outcome in found.items() if outcome}
    for outcome in ended.values():
        progress(outcome)
    left = [one for one in planned if one.page not in ended]
    with hidden as folder, ThreadPoolExecutor(1) as beside:
        mark = kept.fingerprint(around, stamp)
        page = beside.submit(_make_cards, cards, Path(folder), output, mark)
        ended |= {outcome.page: outcome for outcome in run_all(left, Path(folder), own, progress)}
        page.result()
        outcomes = [ended[one.page] for one in planned]
        publish(outcomes, Path(folder), output, own, title, bool(cards))
    return outcomes


def _make_cards(cards: Callable[[], str] | None, folder: Path, output: Path, mark: str) -> None:
    """Write the page of all cards into the folder, unless that of the output may be kept."""
    if cards and not kept.recall(output, CARDS, mark):
        (folder / CARDS).write_text(cards(), encoding="utf-8", errors="backslashreplace")
        kept.note(folder, CARDS, mark)


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
