"""The manifest of a store: which log has which content, and which part holds that."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.chunks import Log

NAME, LOCK = "manifest.sqlite", "lock.sqlite"
_FORMAT = 1
# `kind` is what a name says of a side log of fio: only a name tells whether it is of bandwidth.
# `refused` is why a log has no content to read, such as a picture: its sha256 is empty.
_TABLES = f"""
PRAGMA user_version = {_FORMAT};
CREATE TABLE IF NOT EXISTS logs (
  path PRIMARY KEY, size INTEGER, mtime INTEGER, sha256 TEXT, kind TEXT,
  refused TEXT, severity TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS logs_by_content ON logs (sha256, kind, path);
CREATE TABLE IF NOT EXISTS contents (
  sha256 TEXT, kind TEXT, part TEXT, path, PRIMARY KEY (sha256, kind)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS untidy (since INTEGER PRIMARY KEY);
CREATE INDEX IF NOT EXISTS contents_by_part ON contents (part);
CREATE TEMP TABLE seen (path PRIMARY KEY, size INTEGER, mtime INTEGER) WITHOUT ROWID;
"""
_FIRST = "SELECT sha256, kind, min(path) AS path FROM logs WHERE sha256 <> '' GROUP BY sha256, kind"

_NEW = """WHERE NOT EXISTS (SELECT 1 FROM logs
  WHERE path = seen.path AND (logs.size, logs.mtime) = (seen.size, seen.mtime))"""
_NO_PART = f"""FROM ({_FIRST}) AS first WHERE NOT EXISTS
  (SELECT 1 FROM contents WHERE (sha256, kind) = (first.sha256, first.kind))"""

_UNTIDY = "INSERT OR IGNORE INTO untidy VALUES (1)"


class Stamp(NamedTuple):
    """What the system says of a file: a log with the same three was not changed."""

    path: str
    size: int
    mtime: int  # nanoseconds


class Content(NamedTuple):
    """What was found when a file was read: the sha256 of its bytes, or why they are no log."""

    stamp: Stamp
    sha256: str = ""
    kind: str = ""
    refused: str = ""
    severity: str = ""


class Manifest:
    """The tables of a store. Paths that are not UTF-8 are bytes there."""

    def __init__(self, store: Path, *, writes: bool = False) -> None:
        path = store / NAME
        name = path.absolute().as_uri()
        try:
            self._tables = sqlite3.connect(name + ("" if writes else "?mode=ro"), uri=True)
            found = self._tables.execute("PRAGMA user_version").fetchone()[0]
            if found > _FORMAT:
                text = f"found a store of format {found}, expected at most {_FORMAT}"
                raise SdAnalysisError(f"{path}: {text}: a newer sdanalysis made it")
            if writes:
                self._tables.executescript(_TABLES)
        except sqlite3.Error as error:
            text = f"found no manifest that can be read ({error}), expected that of a store"
            raise SdAnalysisError(f"{path}: {text}") from error

    def close(self) -> None:
        """Give the file back."""
        self._tables.close()

    # --- which logs there are

    def see(self, stamps: Iterable[Stamp]) -> None:
        """Remember files that are there."""
        rows = ((_stored(path), size, mtime) for path, size, mtime in stamps)
        with self._tables:
            self._tables.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", rows)

    def to_hash(self, *, every: bool) -> Iterator[Log]:
        """Yield the files that were seen and are new or changed; every one where that is wanted."""
        query = f"SELECT path FROM seen {'' if every else _NEW} ORDER BY path"
        for (path,) in self._tables.execute(query):
            yield Log(_path(path))

    def vanished(self) -> Iterator[str]:
        """Yield the logs of the store that were not seen and are nowhere."""
        query = "SELECT path FROM logs WHERE path NOT IN (SELECT path FROM seen) ORDER BY path"
        for (path,) in self._tables.execute(query):
            if not os.path.lexists(_path(path)):
                yield _path(path)

    def forget(self, paths: Iterable[str]) -> None:
        """Drop logs."""
        with self._tables:
            rows = [(_stored(path),) for path in paths]
            self._tables.execute(_UNTIDY)
            self._tables.executemany("DELETE FROM logs WHERE path = ?", rows)

    def add_contents(self, contents: Iterable[Content]) -> None:
        """Record what files hold."""
        rows = [(_stored(found.stamp.path), *found.stamp[1:], *found[1:]) for found in contents]
        with self._tables:
            self._tables.execute(_UNTIDY)
            self._tables.executemany(
                "INSERT INTO logs VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET "
                "size = excluded.size, mtime = excluded.mtime, sha256 = excluded.sha256, "
                "kind = excluded.kind, refused = excluded.refused, severity = excluded.severity",
                rows,
            )

    # --- which parts there are

    def is_tidy(self) -> bool:
        """Tell whether the parts hold what the logs say, since the last run that changed any."""
        return not self._tables.execute("SELECT count(*) FROM untidy").fetchone()[0]

    def set_tidy(self) -> None:
        """Drop the contents that no log has any more, and note that nothing is left to do."""
        with self._tables:
            self._tables.execute(
                "DELETE FROM contents WHERE NOT EXISTS "
                "(SELECT 1 FROM logs WHERE (sha256, kind) = (contents.sha256, contents.kind))"
            )
            self._tables.execute("DELETE FROM untidy")

    def without_part(self) -> Iterator[Log]:
        """Yield a log for each content that no part holds, in the order of their sha256."""
        yield from self._logs(
            f"SELECT path, sha256, NULL, NULL {_NO_PART} ORDER BY sha256, kind, path"
        )

    def counts(self, *, every: bool) -> tuple[int, int]:
        """Return how many files were seen, and how many of them are to be hashed."""
        new = "" if every else _NEW
        queries = ("SELECT count(*) FROM seen", f"SELECT count(*) FROM seen {new}")
        seen, to_hash = (self._tables.execute(query).fetchone()[0] for query in queries)
        return seen, to_hash

    def count_without_part(self) -> int:
        """Return how many contents no part holds."""
        return self._tables.execute(f"SELECT count(*) {_NO_PART}").fetchone()[0]

    def add_part(self, part: str, logs: Iterable[Log]) -> None:
        """Record the contents that a part holds now, and no other any more."""
        rows = [(part, _stored(log.path)) for log in logs]
        with self._tables:
            self._tables.executemany(
                "INSERT OR REPLACE INTO contents SELECT sha256, kind, ?, path FROM logs "
                "WHERE path = ?",
                rows,
            )

    def mark_stale(self) -> None:
        """Mark the parts that hold more than the manifest names, or it under another name."""
        with self._tables:
            self._tables.execute("DROP TABLE IF EXISTS temp.stale")
            self._tables.execute(
                "CREATE TEMP TABLE stale AS SELECT DISTINCT part FROM contents LEFT JOIN "
                f"({_FIRST}) AS first USING (sha256, kind) WHERE contents.path IS NOT first.path"
            )

    def mark_small(self, logs: int, size: int, many: int) -> None:
        """Mark no part but those with fewer logs and bytes, where many of them begin alike."""
        with self._tables:
            self._tables.execute("DELETE FROM stale")
            self._tables.execute(
                "WITH small AS (SELECT part, substr(min(contents.sha256), 1, 1) AS begins "
                "FROM contents JOIN logs USING (path) GROUP BY part "
                "HAVING count(*) < ? AND sum(size) < ?) INSERT INTO stale SELECT part FROM small "
                "WHERE begins IN (SELECT begins FROM small GROUP BY begins HAVING count(*) >= ?)",
                (logs, size, many),
            )

    def in_stale(self, first: str) -> Iterator[Log]:
        """Yield what stays of the parts that are marked, ordered by an expression first."""
        yield from self._logs(
            "SELECT first.path, sha256, part, contents.path FROM contents "
            f"JOIN ({_FIRST}) AS first USING (sha256, kind) "
            f"WHERE part IN (SELECT part FROM stale) ORDER BY {first}, sha256, kind"
        )

    def parts_of_logs(self) -> set[str]:
        """Return the names of the parts that hold what a log has."""
        query = f"SELECT DISTINCT part FROM contents JOIN ({_FIRST}) USING (sha256, kind)"
        return {part for (part,) in self._tables.execute(query)}

    def parts(self) -> set[str]:
        """Return the names of all parts."""
        return {part for (part,) in self._tables.execute("SELECT DISTINCT part FROM contents")}

    # --- for readers

    def named(self, patterns: Iterable[str]) -> set[str]:
        """Return the sha256 of the logs one of whose names matches a pattern: * ? [...]."""
        query = "SELECT DISTINCT sha256 FROM logs WHERE path GLOB ? AND sha256 <> ''"
        found = (self._tables.execute(query, (pattern,)) for pattern in patterns)
        return {sha256 for cursor in found for (sha256,) in cursor}

    def refused(self) -> Iterator[tuple[str, str, str]]:
        """Yield the files that are no logs: path, `error` or `note`, and why."""
        query = "SELECT path, severity, refused FROM logs WHERE refused <> '' ORDER BY path"
        for path, severity, text in self._tables.execute(query):
            yield _path(path), severity, text

    def _logs(self, query: str) -> Iterator[Log]:
        for path, sha256, part, was in self._tables.execute(query):
            yield Log(_path(path), sha256, part or "", _path(was or ""))


def _stored(path: str) -> str | bytes:
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def _path(stored: str | bytes) -> str:
    return os.fsdecode(stored)


def is_store(path: Path) -> bool:
    """Tell whether a folder is a store."""
    return (path / NAME).is_file()


@contextmanager
def alone(store: Path) -> Iterator[None]:
    """Keep any other writer out of a store; the system lets go of it whatever ends this one."""
    lock = sqlite3.connect(store / LOCK, timeout=0.2)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        yield
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise
        text = "found that another command writes it, expected to be the only one"
        raise SdAnalysisError(f"{store}: {text}") from error
    finally:
        lock.close()
