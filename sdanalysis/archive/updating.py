"""Folders of logs -> a store that holds them: only what is new or changed is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from sdanalysis.archive import manifest, parts
from sdanalysis.archive.chunks import CHUNK, UNDER_WAY, Log, chunks, map_work
from sdanalysis.archive.manifest import CONTENT
from sdanalysis.archive.parts import Part, Row
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.files import MOST_BYTES
from sdanalysis.paths import InFolder, LeftOut, printable, walk

_MANY_SMALL = 16  # parts of few logs: so many become few of many logs
_GONE = 1 / 8  # of the logs of a part: then it is written anew without their rows
_SAVED_EVERY = 30  # seconds: a run that is killed loses no more
_NAMED = 10  # problems, and logs that vanished, that are told one by one
_File = tuple[str, int, int]  # its path, as `walk` gave it, its size and time


class Way(NamedTuple):
    """How logs are read: by whom, how many together, and of whom one hears how far it is.

    `progress` takes an action (`read`, `joined`), how many logs it has done, and how many there
    are. `tell` takes a text on a worker that died.
    """

    executor: Executor | None = None
    under_way: int = UNDER_WAY
    chunk: int = CHUNK
    most: int = MOST_BYTES
    progress: Callable[[str, int, int], object] = lambda what, done, whole: None
    tell: Callable[[str], object] = lambda text: None


@dataclass(kw_only=True)
class Summary:
    """What a run did: numbers of logs, but for `rows`, `parts` and `errors` of what it read.

    `files` were there; of `hashed` ones the content was read, and of `read` contents that no
    part held the rows. `words` are on the first problems, `left_out` on files that are not read on
    purpose, `vanished` names the first logs that are no more, of `gone` in all.
    """

    files: int = 0
    hashed: int = 0
    read: int = 0
    rows: int = 0
    parts: int = 0
    parts_there: int = 0
    errors: int = 0
    joined: int = 0
    gone: int = 0
    words: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)

    def add(self, part: Part) -> None:
        """Count what became of a chunk of logs."""
        self.hashed += len(part.logs)
        self.read += parts.size_of(part.name) if part.name else 0
        self.rows += part.rows
        self.parts += part.is_new
        self.parts_there += bool(part.name) and not part.is_new
        self.errors += len(part.errors)
        self.words += part.errors[: max(_NAMED - len(self.words), 0)]


def update(
    store: Path,
    names: Sequence[str],
    way: Way = Way(),  # noqa: B008 - a tuple, which nobody can change
    *,
    include: Sequence[str] = (),
    check: bool = False,
    prune: bool = False,
    compact: bool = False,
) -> Summary:
    """Read what a store lacks of some files, folders and globs, and return what was done.

    A file with the size and time of its last reading is not opened, unless with `check`. A log that
    vanished stays in the store, unless with `prune`. Rows that are gone stay in their part until an
    eighth of it is, unless with `compact`. Killed at any time, it goes on where it was.
    """
    summary = Summary()
    with manifest.hold(store) as known:
        files = _find_files(store, names, include, summary)
        paths, *stamps = (known[name].tolist() for name in ("path", "size", "mtime"))
        vanished = (path for path in paths if path not in files and not os.path.lexists(path))
        gone = [path for path in vanished if r"\udc" not in path]  # of other bytes: may be there
        summary.gone, summary.vanished = len(gone), gone[:_NAMED]
        same = dict(zip(paths, zip(*stamps, strict=True), strict=True)) if not check else {}
        new = [files[name] for name in sorted(files) if same.get(name) != files[name][1:]]
        logs = known[~known["path"].isin(gone)] if prune else known
        table = _read(new, logs, known, store, way, summary)
        table = _join_parts(table, store, way, summary, 0 if compact else _GONE)
        if not table.equals(known) or not manifest.is_store(store):
            manifest.write(store, table)
        parts.sweep(store, set(table["part"].dropna()))
    return summary


def _find_files(
    store: Path, names: Sequence[str], include: Sequence[str], summary: Summary
) -> dict[str, _File]:
    """Return the files by their printable names."""
    prefix = f"{store.absolute()}{os.sep}"
    files: dict[str, _File] = {}
    for name in walk(names, include):
        path = os.path.abspath(name)  # noqa: PTH100 - there are thousands
        if path.startswith(prefix):
            continue
        if isinstance(name, LeftOut):
            summary.left_out.append(f"{printable(path)}: note: not read, for {name.why}")
            continue
        stamp = (0, 0)
        with suppress(OSError):  # reading it will say why
            status = os.stat(path)  # noqa: PTH116 - as above
            stamp = (status.st_size, status.st_mtime_ns)
        path = InFolder(path) if isinstance(name, InFolder) else path
        files.setdefault(printable(path), (path, *stamp))
    summary.files = len(files)
    return files


def _read(
    new: Sequence[_File],
    logs: pd.DataFrame,
    known: pd.DataFrame,
    store: Path,
    way: Way,
    summary: Summary,
) -> pd.DataFrame:
    """Hash files, and read each content that no part holds; return the manifest."""

    def table() -> pd.DataFrame:
        rows = pd.DataFrame(entries, columns=[*manifest.TYPES]).astype(manifest.TYPES)
        remainder = logs[~logs["path"].isin(rows["path"])]
        return manifest.settle(pd.concat([remainder, rows]), pd.concat([known, rows]))

    entries: list[Row] = []
    saved = time.monotonic()
    work = partial(parts.make, store=store, most=way.most)
    chunked = chunks(_make_logs(new, known), way.chunk)
    for part in map_work(work, chunked, way.executor, under_way=way.under_way, tell=way.tell):
        if part.name and not parts.last_file(store, part.name).exists():
            text = f"found no part {part.name} that a worker wrote"
            raise SdAnalysisError(f"{store}: {text}, expected one folder for all workers")
        entries += part.logs
        summary.add(part)
        way.progress("read", summary.hashed, len(new))
        if time.monotonic() - saved > _SAVED_EVERY:
            manifest.write(store, table())
            saved = time.monotonic()
    return table() if entries or len(logs) < len(known) else known


def _make_logs(new: Sequence[_File], known: pd.DataFrame) -> Iterator[Log]:
    """Yield logs, each with the contents of its size that lie in parts."""
    by_size: dict[int, set[tuple[str, str]]] = {size: set() for _, size, _ in new}
    stored = known[known["part"].notna() & known["size"].isin(by_size)]
    for size, *content in zip(*(stored[n].tolist() for n in ("size", *CONTENT)), strict=True):
        by_size[size].add(tuple(content))
    for path, size, _ in new:
        yield Log(path, frozenset(by_size[size]))


def _join_parts(
    table: pd.DataFrame, store: Path, way: Way, summary: Summary, share: float
) -> pd.DataFrame:
    """Write anew what has another name by now, and parts that hold too much else or too little."""
    rows = table.dropna(subset="part")
    logs = rows.drop_duplicates(CONTENT).rename(columns={"path": "name"})
    counts = logs["part"].value_counts()
    sizes = counts.index.map(parts.size_of)
    wasted = counts.index[(counts < sizes) & (sizes - counts >= share * sizes)]
    small = counts.index[counts < way.chunk // 2]
    moves = [*wasted, *(small if len(small) >= _MANY_SMALL else ())]
    moved = logs[logs["part"].isin(moves) | (logs["file"] != logs["name"])]
    if moved.empty:
        return table
    moved = moved.sort_values(["part", "file"], ignore_index=True)
    for first in range(0, len(moved), way.chunk):
        some = moved.iloc[first : first + way.chunk]
        moved.loc[some.index, "new"] = parts.join(store, some)
        summary.joined += len(some)
        way.progress("joined", summary.joined, len(moved))
    moved = moved.assign(part=moved["new"], file=moved["name"])
    return manifest.settle(table, pd.concat([moved, rows]))
