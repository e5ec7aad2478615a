"""Turns notebooks into report pages: papermill runs them, nbconvert renders them.

Pages are made in a hidden folder and replace those of the earlier run at the end, together: an
interrupted run leaves the earlier pages as they were.
"""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from sdanalysis.errors import SdAnalysisError
from sdanalysis.report.outcome import Event, Outcome, Progress
from sdanalysis.report.page import TEMPLATES
from sdanalysis.report.parameters import Parameter, check_parameters, parameters_of
from sdanalysis.report.processes import run_all

__all__ = ["Event", "Outcome", "Parameter", "check_parameters", "parameters_of", "run"]


def run(
    notebooks: Sequence[Path],
    *,
    output: Path,
    parameters: Mapping[str, str],
    progress: Progress,
    data: Path | None = None,
    sources: Mapping[str, str] | None = None,
) -> list[Outcome]:
    """Run notebooks side by side; write `<output>/<stem>.html` for each and `index.html`.

    A notebook that fails gets a page that says so, and leaves the others alone.

    Parameters
    ----------
    notebooks
        Each runs in its own folder. The outcomes come back in the same order.
    parameters
        Name and text of what is set from outside, see `check_parameters`.
    progress
        Called here, in the calling process: with an Event while a notebook runs, with its
        Outcome when it ends.
    data, sources
        The table whose hash the pages show, and the sources' addresses by name.

    Raises
    ------
    SdAnalysisError
        Before anything runs: what `check_parameters` raises, no notebook or two of one name,
        data that cannot be read, an output folder that cannot be written.
    """
    paths = [notebook.resolve() for notebook in notebooks]
    stems = {path.stem for path in paths}
    if not paths or len(stems) < len(paths) or "index" in stems:
        names = ", ".join(str(notebook) for notebook in notebooks) or "none"
        raise SdAnalysisError(f"notebooks: found {names}; expected some, of different names")
    values = check_parameters(paths, parameters)
    stamp = _stamp(data, sources or {})
    try:
        output.mkdir(parents=True, exist_ok=True)
        hidden = tempfile.TemporaryDirectory(dir=output.resolve(), prefix=".making-")
    except OSError as error:
        raise SdAnalysisError(f"{output}: cannot be written: {error.strerror}") from error
    with hidden as folder:
        planned = [_plan(path, Path(folder), values[path]) for path in paths]
        return _publish(run_all(planned, stamp, progress), stamp, output)


def _plan(notebook: Path, folder: Path, values: Mapping[str, object]) -> Outcome:
    defaults = {name: parameter.default for name, parameter in parameters_of(notebook).items()}
    shown = defaults | {name: repr(value) for name, value in values.items()}
    page = folder / f"{notebook.stem}.html"
    return Outcome(notebook=notebook, page=page, values=values, parameters=shown)


def _stamp(data: Path | None, sources: Mapping[str, str]) -> dict[str, Any]:
    """Collect what every page says about the run that made it."""
    try:
        digest = hashlib.sha256(data.read_bytes()).hexdigest() if data else ""
    except OSError as error:
        raise SdAnalysisError(f"{data}: cannot be read: {error.strerror}") from error
    try:
        version = metadata.version("sd-card-analysis")
    except metadata.PackageNotFoundError:  # a checkout that is imported without installing it
        version = ""
    made = f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}"
    name = data.name if data else ""
    return {"version": version, "made": made, "data": name, "hash": digest, "sources": sources}


def _publish(outcomes: Sequence[Outcome], stamp: Mapping[str, Any], output: Path) -> list[Outcome]:
    """Put the pages in place, and an index that names what earlier runs left beside them."""
    from jinja2 import Environment, FileSystemLoader

    published = [replace(outcome, page=output / outcome.page.name) for outcome in outcomes]
    current = {outcome.page.name for outcome in outcomes} | {"index.html"}
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    index = environment.get_template("index.html.j2").render(
        outcomes=published,
        stamp=stamp,
        missing=[outcome.page.name for outcome in outcomes if not outcome.page.exists()],
        earlier=sorted(p.name for p in output.glob("*.html") if p.name not in current),
    )
    new_index = outcomes[0].page.with_name("index.html")
    new_index.write_text(index, encoding="utf-8")
    for made in (*(outcome.page for outcome in outcomes), new_index):
        if made.exists():
            made.replace(output / made.name)
        else:  # a page of an earlier run must not pass for one of this run
            (output / made.name).unlink(missing_ok=True)
    return published
