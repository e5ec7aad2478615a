"""Turns notebooks into report pages: papermill runs them, nbconvert renders them.

When its notebook has run, each page is written whole, with a note in its last line. The index is
written from the notes of all pages of the folder.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from sdanalysis import __version__
from sdanalysis.errors import SdAnalysisError
from sdanalysis.paths import write_whole
from sdanalysis.report import note
from sdanalysis.report.answer import TITLE, drop_copy, passage, take_opening
from sdanalysis.report.execution import executing
from sdanalysis.report.outcome import Event, Executed, Outcome, Planned, Progress, summarise
from sdanalysis.report.page import CARDS, INDEX, picker_of, render, render_index
from sdanalysis.report.parameters import (
    Parameter,
    ParameterSets,
    check_parameters,
    parameters_of,
    read_sets,
)
from sdanalysis.report.pictures import number_pictures, slug

__all__ = [
    "Event", "Origin", "Outcome", "Parameter", "ParameterSets", "check_parameters", "parameters_of",
    "read_sets", "run", "run_sets",
]  # fmt: skip


class Origin(NamedTuple):
    """Where figures come from: the tables, whose hashes a page shows, and addresses by name."""

    tables: Sequence[Path] = ()
    sources: Mapping[str, str] = MappingProxyType({})
    companions: Mapping[str, str] = MappingProxyType({})


NO_ORIGIN = Origin()


def run(  # noqa: PLR0913 - what the command asks for, each by its name
    notebooks: Sequence[Path],
    *,
    output: Path,
    parameters: Mapping[str, str],
    progress: Progress,
    origin: Origin = NO_ORIGIN,
    cards: Callable[[], str] | None = None,
    picker: Callable[[], str] | None = None,
    also: ParameterSets | None = None,
    anew: bool = False,
) -> list[Outcome]:
    """Run notebooks side by side; write `<output>/<stem>.html` for each and `index.html`.

    A notebook that runs with other parameters than its own has them in the name of its page. One
    that fails is shown in `<stem>.failed.html`: its page of an earlier run stays, and the others go
    on. Each runs in its own folder; the outcomes come back in the same order. `progress` is called
    with an Event while a notebook runs, in a thread, and with its Outcome when it ends. The page
    that `cards` returns is published beside them as `cards.html`. What `picker` returns opens the
    index and links the pages of the sets of `also`. The index shows these reports, and those of
    earlier runs in the folder whose notebooks are there.

    A report is `kept`, with the page and date of its own run, where nothing has changed since:
    notebook, parameters, package, data, libraries and the files that it read. With `anew` all are
    made again.

    Refused before anything runs: what `check_parameters` refuses, no notebook or two of one name,
    a table that cannot be read, an output folder that cannot be written.
    """
    paths = [notebook.resolve() for notebook in notebooks]
    stems = {path.stem for path in paths}
    if not paths or len(stems) < len(paths) or stems & {"index", "cards"}:
        names = ", ".join(str(notebook) for notebook in notebooks) or "none"
        raise SdAnalysisError(f"notebooks: found {names}; expected some, of different names")
    values = check_parameters(paths, parameters)
    planned = {}
    for plan in [_plan(path, output, values[path]) for path in paths]:
        planned[plan.page] = plan
    if also:  # its pages are named as if each were asked for
        own = parameters_of(also.notebook)
        for given in also.sets.values():
            changed = {n: value for n, value in given.items() if repr(value) != own[n].default}
            plan = _plan(also.notebook.resolve(), output, changed)
            planned.setdefault(plan.page, plan)
    made = {CARDS: cards, INDEX: picker}
    return _run(list(planned.values()), output, _stamp(origin), progress, made=made, anew=anew)


def run_sets(
    sets: ParameterSets,
    *,
    output: Path,
    progress: Progress,
    origin: Origin = NO_ORIGIN,
    anew: bool = False,
) -> list[Outcome]:
    """Run one notebook over many sets of parameters; write `<output>/<set>.html` for each.

    The index names each set with its parameters and its answer. A set that fails leaves the
    others alone. Parameters and errors are those of `run`; `sets` comes from `read_sets`.
    """
    notebook = sets.notebook.resolve()
    planned = [_plan(notebook, output, values, name) for name, values in sets.sets.items()]
    return _run(planned, output, _stamp(origin), progress, title=sets.title, anew=anew)


def _plan(notebook: Path, output: Path, values: Mapping[str, object], name: str = "") -> Planned:
    """Return the run of a notebook; its page is named after the parameters that it changes."""
    defaults = {name: parameter.default for name, parameter in parameters_of(notebook).items()}
    texts = {name: repr(value) for name, value in values.items()}
    others = (f"-{n}-{slug(str(v))}" for n, v in values.items() if texts[n] != defaults[n])
    page = output / f"{name or notebook.stem + ''.join(others)}.html"
    return Planned(notebook=notebook, page=page, values=values, parameters=defaults | texts)


def _run(
    planned: Sequence[Planned],
    output: Path,
    stamp: Mapping[str, Any],
    progress: Progress,
    *,
    title: str = "",
    made: Mapping[str, Callable[[], str] | None] = MappingProxyType({}),
    anew: bool = False,
) -> list[Outcome]:
    cards, picker = made.get(CARDS), made.get(INDEX)
    notes = _notes(output)
    others = _others(notes, planned, output)
    every = [*others, *planned]
    own = {**stamp, "pages": _pages(every, named=bool(title)), "cards": CARDS if cards else ""}
    stamps = {plan.page: {**own, "alike": _alike(plan, every)} for plan in planned}
    around = note.surroundings()
    marks = {plan.page: note.fingerprint(around, stamps[plan.page], plan) for plan in planned}
    mark = note.fingerprint(around, stamp)
    outcomes: dict[Path, Outcome] = {}
    for plan in planned:
        noted = notes.get(plan.page.name)
        if not anew and note.is_fresh(noted, marks[plan.page]):
            outcomes[plan.page] = note.outcome_of(noted, output)
            progress(outcomes[plan.page])
    missing = [plan for plan in planned if plan.page not in outcomes]
    with executing(missing, progress) as runs:
        if cards and (anew or not note.is_fresh(notes.get(CARDS), mark)):
            write_whole(output / CARDS, note.sign(cards(), mark))
        chosen = ""
        if picker:
            kept = not anew and note.is_fresh(notes.get(INDEX), mark)
            chosen = picker_of(output / INDEX) if kept else picker()
        for plan, executed in runs:
            outcomes[plan.page] = _publish(plan, executed, stamps[plan.page], marks[plan.page])
            progress(outcomes[plan.page])
    ran = [outcomes[plan.page] for plan in planned]
    listed = (
        [*ran, *others] if title else sorted([*ran, *others], key=lambda outcome: outcome.page.name)
    )
    index = render_index(listed, output, own, title, chosen)
    write_whole(output / INDEX, note.sign(index, mark if picker else ""))
    return ran


def _pages(every: Sequence[Planned], *, named: bool) -> dict[str, str]:
    """Return the titles of the pages that follow each other: a notebook has one, sets have all."""
    import nbformat

    names = {plan.page.name for plan in every}
    if named:
        return {name: Path(name).stem for name in sorted(names)}
    titles = {}
    for plan in every:
        name, stored = plan.page.name, plan.notebook
        if name == f"{stored.stem}.html" or f"{stored.stem}.html" not in names:
            made = plan if isinstance(plan, Outcome) else None
            title = made.title if made else passage(nbformat.read(stored, as_version=4), TITLE)
            titles[name] = title or stored.stem
    return dict(sorted(titles.items()))


def _alike(plan: Planned, every: Sequence[Planned]) -> dict[str, dict[str, str]]:
    """Return by parameter, and its value, the pages that differ from one in that alone."""
    found: dict[str, dict[str, str]] = {}
    for other in every:
        values = other.parameters
        differing = {name for name in plan.parameters if values.get(name) != plan.parameters[name]}
        if other.notebook == plan.notebook and len(differing) == 1:
            name = differing.pop()
            found.setdefault(name, {})[values.get(name, "")] = other.page.name
    for name, pages in found.items():
        pages[plan.parameters[name]] = plan.page.name
    return found


def _notes(output: Path) -> dict[str, dict[str, Any] | None]:
    """Make the folder of the pages; return what each page in it says of itself."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        return {path.name: note.read(path) for path in sorted(output.glob("*.html"))}
    except OSError as error:
        raise SdAnalysisError(f"{output}: cannot be written: {error.strerror}") from error


def _others(
    notes: Mapping[str, dict[str, Any] | None], planned: Sequence[Planned], output: Path
) -> list[Outcome]:
    """Return the outcomes of earlier runs that the index goes on to show."""
    own = {plan.page for plan in planned}
    noted = [found for found in notes.values() if found and "outcome" in found]
    outcomes = [note.outcome_of(found, output) for found in noted]
    failed = {outcome.page for outcome in outcomes if outcome.error}
    return [
        outcome
        for outcome in outcomes
        if outcome.page not in own
        and outcome.notebook.is_file()
        and (outcome.error or outcome.page not in failed)
    ]


def _publish(plan: Planned, executed: Executed, stamp: Mapping[str, Any], mark: str) -> Outcome:
    """Write the page of a notebook that ran."""
    drop_copy(executed.notebook)
    facts = {  # what each picture says of itself, by keywords that PNG readers know
        "Software": f"sd-card-analysis {stamp['version']}",
        "Source": plan.notebook.name,
        "Parameters": ", ".join(f"{name} = {value}" for name, value in plan.parameters.items()),
        "Data": ", ".join(f"{name} sha256:{digest}" for name, digest in stamp["tables"].items()),
    }
    pictures = number_pictures(executed.notebook, facts)
    outcome = replace(summarise(plan, executed, pictures), made=stamp["made"])
    take_opening(executed.notebook, outcome.answer)
    page = render(executed.notebook, outcome, stamp)
    write_whole(outcome.shown, note.signed(page, mark, outcome, executed))
    if not outcome.error:
        outcome.failed_page.unlink(missing_ok=True)
    return outcome


def _stamp(origin: Origin) -> dict[str, Any]:
    """Collect what every page says about the run that made it."""
    digests = {}
    for table in origin.tables:
        try:
            digests[table.name] = hashlib.sha256(table.read_bytes()).hexdigest()
        except OSError as error:
            raise SdAnalysisError(f"{table}: cannot be read: {error.strerror}") from error
    made = f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}"
    own = {"tables": digests, "sources": {**origin.sources}, "companions": {**origin.companions}}
    return {"version": __version__, "made": made} | own
