"""Folders of logs -> a store that holds them: only what is new or changed is read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from sdanalysis.archive import parts
from sdanalysis.archive.chunks import (
    CHUNK,
    CHUNK_BYTES,
    UNDER_WAY,
    Log,
    Result,
    Work,
    chunks,
    in_order,
)
from sdanalysis.archive.manifest import LOCK, NAME, Content, Manifest, Stamp, alone, is_store
from sdanalysis.archive.parts import Part
from sdanalysis.codebook.measurement import Problem
from sdanalysis.errors import SdAnalysisError, missing_extra
from sdanalysis.logs.files import MOST_BYTES, read_bytes, unpacked
from sdanalysis.logs.read import unread
from sdanalysis.paths import InFolder, LeftOut, printable, walk

_AT_ONCE = 1000  # files that the manifest takes together
_MANY_SMALL = 16  # parts of few logs with one first digit: so many become few of many logs
_GONE = 1 / 8  # of the logs of a part: then it is written anew without their rows
_SAID = 10  # problems, and logs that vanished, that are told one by one


class Way(NamedTuple):
    """How logs are read: by whom, how many together, and of whom one hears how far it is.

    `progress` takes what is done (`read`, `joined`), how many logs it was done to, and to how many
    it will be; `tell` takes a word on a worker that died.
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

    `seen` files were there; of `hashed` ones the content was read, and of `read` contents that no
    part held the rows. `said` are the first problems, `left_out` are words on files that are not
    read on purpose, `vanished` names the first logs that are no more, of `gone` in all.
    """

    seen: int = 0
    hashed: int = 0
    read: int = 0
    rows: int = 0
    parts: int = 0
    parts_there: int = 0
    errors: int = 0
    joined: int = 0
    gone: int = 0
    said: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)

    def add_problem(self, path: str, problem: Problem) -> None:
        """Count what could not be read."""
        if problem.kind == "error":
            self.add_errors(1, [f"{printable(path)}:{problem.line}: {problem.text}"])

    def add_errors(self, errors: int, said: Iterable[str]) -> None:
        """Count errors, and keep the first."""
        self.errors += errors
        self.said += islice(said, max(_SAID - len(self.said), 0))


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
    if find_spec("pyarrow") is None:
        raise missing_extra("parquet", "pyarrow", "`sdanalysis archive`")
    _make(store)
    with alone(store), closing(Manifest(store, writes=True)) as manifest:
        run = _Update(store, manifest, way)
        for stamps in _together(run.stamps(names, include), _AT_ONCE):
            manifest.see(stamps)
        run.forget(prune=prune)
        run.read(every=check)
        if compact or not manifest.is_tidy():
            run.tidy(0 if compact else _GONE)
        return run.summary


def _make(store: Path) -> None:
    """Make the folder of a store; one with other files in it, such as logs, is none."""
    try:
        store.mkdir(parents=True, exist_ok=True)
        others = {path.name for path in store.iterdir()} - {LOCK}
    except OSError as error:
        raise SdAnalysisError(f"{store}: found {error.strerror}, expected a folder") from error
    if others and not is_store(store):
        text = f"found {min(others)} and no {NAME} in it, expected a store, or a new folder for one"
        raise SdAnalysisError(f"{store}: {text}")


class _Update:
    """A run: what a store lacks is hashed and read, and what is left of old parts is joined."""

    def __init__(self, store: Path, manifest: Manifest, way: Way) -> None:
        self._store, self._manifest, self._way = store.absolute(), manifest, way
        self._done, self._whole, self._lost = 0, 0, 0
        self._named: set[str] = set()  # files that no folder led to: no log among them is an error
        self.summary = Summary()

    def stamps(self, names: Sequence[str], include: Sequence[str]) -> Iterator[Stamp]:
        """Yield the files with what the system says of them; none of the store itself."""
        own = f"{self._store}{os.sep}"
        for found in walk(names, include):
            path = os.path.abspath(found)  # noqa: PTH100 - there are thousands
            if path.startswith(own):
                continue
            if isinstance(found, LeftOut):
                self.summary.left_out.append(f"{printable(path)}: note: not read, for {found.why}")
                continue
            try:
                status = os.stat(path)  # noqa: PTH116 - as above
            except OSError as error:
                self.summary.add_problem(path, unread(path, error).problems[0])
                continue
            if not isinstance(found, InFolder):
                self._named.add(path)
            yield Stamp(path, status.st_size, status.st_mtime_ns)

    def _as_found(self, log: Log) -> Log:
        """Return a log with its path as `walk` gave it, which tells whether it was named."""
        return log if log.path in self._named else log._replace(path=InFolder(log.path))

    def _each(self, work: Work[Result], chunked: Iterable[Sequence[Log]]) -> Iterator[Result]:
        way = self._way
        return in_order(work, chunked, way.executor, under_way=way.under_way, tell=way.tell)

    def forget(self, *, prune: bool) -> None:
        """Find the logs that vanished, and drop them where that is wanted."""
        for paths in _together(self._manifest.vanished(), _AT_ONCE):
            self.summary.gone += len(paths)
            self.summary.vanished += paths[: _SAID - len(self.summary.vanished)]
            if prune:
                self._manifest.forget(paths)

    def read(self, *, every: bool) -> None:
        """Hash what is new or changed, and read each content that no part holds, as it is found."""
        self.summary.seen, self._whole = self._manifest.counts(every=every)
        self._write(chain(self._left(), self._new(every=every)))  # one row: its chunks are whole
        if self._lost:  # a log changed meanwhile; perhaps another has what it had
            self._write(self._left())

    def _left(self) -> Iterator[Log]:
        """Yield a log of each content that a run which was killed left without a part."""
        if not self._manifest.is_tidy():
            self._whole += self._manifest.count_without_part()
            yield from self._manifest.without_part()

    def _new(self, *, every: bool) -> Iterator[Log]:
        """Record the contents of logs that are new or changed; yield those that are to be read."""
        logs = map(self._as_found, self._manifest.to_hash(every=every))
        work = partial(hashed, most=self._way.most)
        for contents, problems in self._each(work, chunks(logs, self._way.chunk)):
            new = self._manifest.add_contents(contents)
            for path, problem in problems:
                self.summary.add_problem(path, problem)
            self.summary.hashed += len(contents)
            self._progress(len(contents) - len(new))
            yield from new

    def _write(self, logs: Iterable[Log]) -> None:
        """Write parts of logs."""
        work = partial(parts.write, store=str(self._store), most=self._way.most)
        for part in self._each(work, parts.alike(self._asked(logs), self._way.chunk)):
            if self._is_there(part):
                self._manifest.add_part(part.name, part.logs)
            self._lost -= len(part.logs)
            self.summary.read += len(part.logs)
            self.summary.rows += part.rows
            self.summary.add_errors(part.errors, part.said)
            self._progress(len(part.logs))

    def _asked(self, logs: Iterable[Log]) -> Iterator[Log]:
        for log in logs:
            self._lost += 1  # until its part is there
            yield self._as_found(log)

    def _progress(self, done: int) -> None:
        self._done += done
        self._way.progress("read", self._done, self._whole)

    def _is_there(self, part: Part) -> bool:
        """Count a part, which has to be where this process finds it; one of no log is none."""
        if not part.logs:
            return False
        if not parts.is_there(self._store, part):
            text = f"found no part {part.name} that a worker wrote"
            raise SdAnalysisError(f"{self._store}: {text}, expected one folder for all workers")
        if part.is_new:
            self.summary.parts += 1
        else:
            self.summary.parts_there += 1
        return True

    def tidy(self, share: float) -> None:
        """Show what the logs say; write anew the parts that hold too much else, or too little."""
        self._manifest.let_go()
        self._join(self._manifest.renamed())
        self._manifest.mark_gone(share)
        self._manifest.mark_small(self._way.chunk // 2, CHUNK_BYTES // 2, _MANY_SMALL)
        self._join(self._manifest.in_stale())
        write_gone = partial(parts.write_gone, store=str(self._store))
        list(self._each(write_gone, [self._manifest.gone()]))  # by who has read: pyarrow is there
        parts.sweep(self._store, self._manifest.parts())
        if not self._lost:
            self._manifest.set_tidy()

    def _join(self, logs: Iterable[Log]) -> None:
        work = partial(parts.write_again, store=str(self._store))
        for part in self._each(work, parts.alike(logs, self._way.chunk)):
            if self._is_there(part):
                self._manifest.move(part.name, part.logs)
            self.summary.joined += len(part.logs)
            self._way.progress("joined", self.summary.joined, self.summary.joined)
        self._manifest.switch()


def hashed(
    logs: Sequence[Log], deadly: frozenset[str] = frozenset(), *, most: int = MOST_BYTES
) -> tuple[list[Content], list[tuple[str, Problem]]]:
    """Return what files hold, and what could not be opened: for a worker."""
    contents, problems = [], []
    for path, *_ in logs:
        try:
            status = os.stat(path)  # noqa: PTH116 - there are thousands
            found = _content(Stamp(path, status.st_size, status.st_mtime_ns), most)
        except OSError as error:
            problems.append((path, unread(path, error).problems[0]))
        else:
            contents.append(found)
            if found.refused:
                problems.append((path, Problem(1, found.refused, found.severity)))
    return contents, problems


def _content(stamp: Stamp, most: int) -> Content:
    """Return the sha256 of a log; of what is none, why."""
    try:
        content = read_bytes(stamp.path, most)
    except SdAnalysisError as error:
        problem = unread(stamp.path, error).problems[0]
        return Content(stamp, refused=problem.text, severity=problem.kind)
    return Content(stamp, hashlib.sha256(content).hexdigest(), _kind(stamp.path, content, most))


def _kind(path: str, content: bytes, most: int) -> str:
    """Return what a name says of the samples in a log: of the same bytes another name says other.

    Of all other logs nothing, for it would make one log two.
    """
    from sdanalysis.parsers.fio import side_logs

    match = side_logs.NAME.search(path.rpartition(os.sep)[2])
    if not match:
        return ""
    try:
        begins = unpacked(content, most).lstrip()[:1]
    except SdAnalysisError:
        return ""
    return match[1] if begins.isdigit() else ""


Item = TypeVar("Item")


def _together(items: Iterator[Item], most: int) -> Iterator[list[Item]]:
    while part := list(islice(items, most)):
        yield part
