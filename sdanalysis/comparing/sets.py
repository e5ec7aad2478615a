"""Read the sets of results that `compare` names: logs, rows of the table or a store, runs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from sdanalysis import archive, paths
from sdanalysis.codebook.units import counted
from sdanalysis.comparing.selection import Side, conditions, select_rows
from sdanalysis.dataset import load
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.logs.files import MOST_BYTES, read_bytes
from sdanalysis.logs.many import Rows
from sdanalysis.logs.session import session_of
from sdanalysis.stats.same_test import columns, without_spreads

TABLE, STORE = "table:", "store:"
GIVEN = columns("laboratory", "card", "name", "place", "system")  # what no log states


def read(
    sets: Sequence[str | Path],
    given: Sequence[str | None] = (),
    *,
    table: Path | None = None,
    store: Path | None = None,
    files: Sequence[Sequence[str]] | None = None,
    most: int = MOST_BYTES,
) -> list[Side]:
    """Read sets of results: logs, a folder or glob of them, or rows of the table or a store.

    A set is as an argument of the command: `before/`, `*.log`, `table:host=pi-4b,tool=fio`, of the
    project's table or another, or `store:file=*run-17*`. `given` holds for each, in their order,
    what its logs do not say: `host=pi-4b,reader=usb`. `problems` of a side are what was not read.
    `files` are those of each set, where they are known; of each `most` bytes are read.

    Examples
    --------
    >>> from sdanalysis import comparing
    >>> sets = comparing.read(["table:reader=cr0015,tool=iozone", "table:reader=cr0034a"])
    >>> [(side.name, len(side.rows)) for side in sets]
    [('table:reader=cr0015,tool=iozone', 32), ('table:reader=cr0034a', 32)]
    """
    names = [*map(str, sets)]
    if len(given) > len(names):
        raise UsageError(f"found {given[-1]!r} given for no set, expected at most one for each")
    facts = [*map(_facts, given), *[{}] * (len(names) - len(given))]
    sides = []
    for name, paths_of, known in zip(names, files or map(files_of, names), facts, strict=True):
        if name.startswith(TABLE):
            if known:
                raise UsageError(f"found conditions given for {name}, expected them for logs only")
            wanted = conditions(name[len(TABLE) :])
            sides.append(Side(name, select_rows(load(table), wanted, f"{name}: ")))
        elif name.startswith(STORE):
            sides.append(_of_store(name, store, known))
        else:
            sides.append(_of_logs(name, paths_of, known, most))
    return sides


def files_of(name: str, include: Sequence[str] = ()) -> list[str]:
    """Return the files of a set; a filter on the table has none.

    Of a folder only the files that one of the globs `include` names, where there are any.
    """
    return [] if name.startswith((TABLE, STORE)) else paths.expand([name], include)


def history(folder: str | Path) -> list[Side]:
    """Read the runs below a folder: all earlier ones as one set, and the last.

    Each folder or file right below is a run, in the order of their names (digits count as numbers).
    For `compare(..., is_history=True)`.
    """
    return earlier_and_last(of_runs(runs_below(folder)))


def _of_store(argument: str, store: Path | None, given: Mapping[str, str]) -> Side:
    """Return the rows of the store that `store:NAME=VALUE,...` names; `file` may be a pattern."""
    if store is None:
        raise UsageError(f"found {argument} and no store, expected --store DIR")
    wanted = conditions(argument[len(STORE) :])
    names = wanted.pop("file", None)
    rows = without_spreads(archive.load(store, logs=names))
    if names and rows.empty:
        text = f"found no log named {' or '.join(names)} in {store}, expected a whole path"
        raise SdAnalysisError(f"{argument}: {text}, or a pattern such as '*/run-17/*'")
    rows = select_rows(rows, wanted, f"{argument}: ").assign(**given)
    files = rows.drop_duplicates("sha256").set_index("sha256")["file"].to_dict()
    return Side(argument, rows.drop(columns="sha256"), files)


def _of_logs(
    name: str,
    files: Sequence[str],
    given: Mapping[str, str],
    most: int,
    earlier: Mapping[str, str] = {},
) -> Side:
    """Return the rows of logs, with what the user states of them; there may be none.

    What is among the `earlier` files (as `files` of a side) is a copy.
    """
    rows = Rows(most)
    own: dict[str, str] = {}
    copies: dict[str, str] = {}
    for path in files:
        digest = _digest(path, most)
        first = earlier.get(digest) or own.setdefault(digest, path)
        if first != path:
            copies[path] = first
    problems = [(path, problem) for path in own.values() for problem in rows.add_file(path)]
    results = without_spreads(rows.frame())
    stated = _session_columns(results["file"], own.values())
    return Side(name, results.assign(**stated).assign(**given), own, copies, problems)


def _session_columns(files: pd.Series, logs: Iterable[str]) -> dict[str, pd.Series]:
    """Return the columns that the sessions of the logs state: label, host and reader."""
    stated: dict[str, dict[str, str]] = {}
    for path in logs:
        if session := session_of(path):
            board = session.host or session.model
            values = {"label": session.label, "host": board, "reader": session.reader}
            for name, value in values.items():
                stated.setdefault(name, {})[paths.printable(path)] = value
    return {
        name: files.map({path: value or None for path, value in values.items()}).astype("str")
        for name, values in stated.items()
        if any(values.values())
    }


def runs_below(folder: Path | str, include: Sequence[str] = ()) -> dict[str, list[str]]:
    """Return the files of each run of a history, in the order of the runs' names.

    Each folder and each file right below is a run. Digits in a name count as a number: `run10`
    follows `run9`, and ISO dates follow in time. Times of files are not asked, for checking out,
    copying or unpacking sets them anew; hidden files are no runs.
    """
    root = Path(folder)
    if not root.is_dir():
        raise SdAnalysisError(f"{folder}: found no such folder, expected runs in it")
    entries = [entry for entry in root.iterdir() if not entry.name.startswith(".")]
    runs = sorted((entry.name for entry in entries), key=_in_numbers)
    if not runs:
        raise SdAnalysisError(f"{folder}: found an empty folder, expected one run in each entry")
    # A folder without files is an empty run: another may stand for it.
    return {
        name: paths.expand([str(root / name)], include)
        if not (root / name).is_dir() or any(path.is_file() for path in (root / name).rglob("*"))
        else []
        for name in runs
    }


def _in_numbers(name: str) -> list[tuple[int, str]]:
    parts = re.split(r"([0-9]+)", name)  # every second part is a number
    return [(int(part), part) if place % 2 else (0, part) for place, part in enumerate(parts)]


def of_runs(runs: Mapping[str, Sequence[str]], most: int = MOST_BYTES) -> list[Side]:
    """Return the runs of a history as one side each; what was read before is a copy."""
    known: dict[str, str] = {}
    sides = []
    for name, files in runs.items():
        side = _of_logs(name, files, {}, most, known)
        known |= side.files
        sides.append(side._replace(rows=side.rows.assign(run=name)))
    return sides


def earlier_and_last(runs: Sequence[Side]) -> list[Side]:
    """Return all runs before the last as one side, and the last; a run without results is none.

    Before a first run there is none: SdAnalysisError.
    """
    *before, last = runs
    earlier = [run for run in before if not run.rows.empty]
    if last.rows.empty or not earlier:
        where = f"the last run, {last.name}" if last.rows.empty else f"a run before {last.name}"
        raise SdAnalysisError(f"found no measurement in {where}, expected a benchmark's results")
    ends = dict.fromkeys([earlier[0].name, earlier[-1].name])
    name = f"{counted(len(earlier), 'earlier run')}, {' to '.join(ends)}"
    rows = pd.concat([run.rows for run in earlier], ignore_index=True)
    return [Side(name, rows), last._replace(name=f"the last run, {last.name}")]


def shared(sides: Iterable[Side]) -> list[str]:
    """Return the files whose content stands in an earlier set, too."""
    digests: set[str] = set()
    again = []
    for side in sides:
        again += [path for digest, path in side.files.items() if digest in digests]
        digests |= side.files.keys()
    return again


def _digest(path: str, most: int) -> str:
    """Return what tells contents apart; standard input and what cannot be read are themselves."""
    try:
        content = b"" if path == paths.STANDARD_INPUT else read_bytes(path, most)
    except (OSError, SdAnalysisError):
        content = b""
    return hashlib.sha256(content).hexdigest() if content else path


def _facts(text: str | None) -> dict[str, str]:
    stated = conditions(text) if text is not None else {}
    for name, values in stated.items():
        if name not in GIVEN or len(values) > 1:
            expected = f"one value for any of {', '.join(GIVEN)}"
            raise UsageError(f"found {name}={','.join(values)}, expected {expected}")
    return {name: value for name, (value,) in stated.items()}
