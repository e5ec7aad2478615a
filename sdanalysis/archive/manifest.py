"""The manifest of a store: which log has which content, and which part holds that."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sdanalysis.archive.chunks import Log
from sdanalysis.errors import SdAnalysisError

NAME, LOCK = "manifest.sqlite", "lock.sqlite"
_FORMAT = 1
# `kind` is what a name says of a side log of fio: only a name tells whether it is of bandwidth.
# `refused` is why a log has no content to read, such as a picture: its sha256 is empty.
# `contents` are the rows that are shown: of each content, under the first name of its logs.
# `gone` are the rows that parts hold beside these; no two of both have one name and one content.
# `touched` are the contents for which a log went, came or changed, but for those that are new.
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
CREATE INDEX IF NOT EXISTS contents_by_part ON contents (part);
CREATE TABLE IF NOT EXISTS gone (
  sha256 TEXT, kind TEXT, part TEXT, path, PRIMARY KEY (sha256, kind, path)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS touched (
  sha256 TEXT, kind TEXT, PRIMARY KEY (sha256, kind)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS untidy (since INTEGER PRIMARY KEY);
CREATE TEMP TABLE seen (path PRIMARY KEY, size INTEGER, mtime INTEGER) WITHOUT ROWID;
CREATE TEMP TABLE arrived (path, size, mtime, sha256, kind, refused, severity);
CREATE TEMP TABLE moved (sha256, kind, part, path, PRIMARY KEY (sha256, kind)) WITHOUT ROWID;
CREATE TEMP TABLE stale (part PRIMARY KEY) WITHOUT ROWID;
"""
_NEW = """WHERE NOT EXISTS (SELECT 1 FROM logs
  WHERE path = seen.path AND (logs.size, logs.mtime) = (seen.size, seen.mtime))"""
_NO_PART = """FROM logs WHERE sha256 <> '' AND NOT EXISTS
  (SELECT 1 FROM contents WHERE (sha256, kind) = (logs.sha256, logs.kind))"""
_IN_PART = "EXISTS (SELECT 1 FROM contents WHERE (sha256, kind) = (arrived.sha256, arrived.kind))"
_HAS_LOG = """EXISTS (SELECT 1 FROM logs
  WHERE (sha256, kind) = (arrived.sha256, arrived.kind) AND path <> arrived.path)"""
_TOUCH = "INSERT OR IGNORE INTO touched SELECT"

_UNTIDY = "INSERT OR IGNORE INTO untidy VALUES (1)"
_FIRST_NAMES = """
DROP TABLE IF EXISTS temp.firsts;
CREATE TEMP TABLE firsts AS SELECT sha256, kind, (SELECT min(path) FROM logs
  WHERE (sha256, kind) = (touched.sha256, touched.kind)) AS path FROM touched;
"""
# What no log has any more is gone; what has the name of rows that were gone has these again.
_LET_GO = (
    "INSERT INTO gone SELECT sha256, kind, part, contents.path FROM contents "
    "JOIN firsts USING (sha256, kind) WHERE firsts.path IS NULL",
    "DELETE FROM contents WHERE (sha256, kind) IN "
    "(SELECT sha256, kind FROM firsts WHERE path IS NULL)",
    "INSERT INTO moved SELECT gone.sha256, gone.kind, gone.part, gone.path FROM gone "
    "JOIN firsts USING (sha256, kind, path) JOIN contents USING (sha256, kind)",
)
_SWITCH = (
    "INSERT OR REPLACE INTO gone SELECT sha256, kind, contents.part, contents.path FROM contents "
    "JOIN moved USING (sha256, kind)",
    "INSERT OR REPLACE INTO contents SELECT sha256, kind, part, path FROM moved",
    "DELETE FROM gone WHERE part NOT IN (SELECT part FROM contents)",
    "DELETE FROM gone WHERE (sha256, kind, part, path) IN (SELECT * FROM moved)",
    "DELETE FROM moved",
)


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
        rows = [(_stored(path),) for path in paths]
        with self._tables:
            self._tables.execute(_UNTIDY)
            touch = f"{_TOUCH} sha256, kind FROM logs WHERE path = ? AND sha256 <> ''"
            self._tables.executemany(touch, rows)
            self._tables.executemany("DELETE FROM logs WHERE path = ?", rows)

    def add_contents(self, contents: Iterable[Content]) -> list[Log]:
        """Record what files hold; return those whose content neither a part nor a log had."""
        rows = [(_stored(found.stamp.path), *found.stamp[1:], *found[1:]) for found in contents]
        with self._tables:
            self._tables.execute(_UNTIDY)
            self._tables.execute("DELETE FROM arrived")
            self._tables.executemany("INSERT INTO arrived VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            self._bring_back()
            self._tables.execute(
                f"{_TOUCH} logs.sha256, logs.kind FROM arrived JOIN logs USING (path) WHERE "
                "logs.sha256 <> '' AND (logs.sha256, logs.kind) <> (arrived.sha256, arrived.kind)"
            )
            known = f"sha256 <> '' AND ({_IN_PART} OR {_HAS_LOG})"
            self._tables.execute(f"{_TOUCH} sha256, kind FROM arrived WHERE {known}")
            new = self._tables.execute(
                f"SELECT min(path) AS first, sha256 FROM arrived WHERE sha256 <> '' AND NOT "
                f"({known}) GROUP BY sha256, kind ORDER BY first"
            ).fetchall()
            self._tables.execute(
                "INSERT INTO logs SELECT * FROM arrived WHERE true ON CONFLICT (path) DO UPDATE "
                "SET size = excluded.size, mtime = excluded.mtime, sha256 = excluded.sha256, "
                "kind = excluded.kind, refused = excluded.refused, severity = excluded.severity"
            )
        return [Log(_path(path), sha256) for path, sha256 in new]

    def _bring_back(self) -> None:
        """Let contents that arrived have the rows of them that were gone, under whatever name."""
        brought = self._tables.execute(
            "INSERT INTO contents SELECT gone.sha256, gone.kind, part, min(gone.path) "
            "FROM arrived JOIN gone USING (sha256, kind) "
            f"WHERE NOT {_IN_PART} GROUP BY gone.sha256, gone.kind"
        )
        if brought.rowcount:
            self._tables.execute(
                "DELETE FROM gone WHERE EXISTS (SELECT 1 FROM contents WHERE "
                "(sha256, kind, path) = (gone.sha256, gone.kind, gone.path))"
            )

    # --- which parts there are

    def is_tidy(self) -> bool:
        """Tell whether the parts hold what the logs say, since the last run that changed any."""
        return not self._tables.execute("SELECT count(*) FROM untidy").fetchone()[0]

    def set_tidy(self) -> None:
        """Note that nothing is left to do."""
        with self._tables:
            self._tables.execute("DELETE FROM touched")
            self._tables.execute("DELETE FROM untidy")

    def without_part(self) -> Iterator[Log]:
        """Yield a log for each content that no part holds."""
        query = f"SELECT min(path) AS first, sha256 {_NO_PART} GROUP BY sha256, kind ORDER BY first"
        for path, sha256 in self._tables.execute(query):
            yield Log(_path(path), sha256)

    def counts(self, *, every: bool) -> tuple[int, int]:
        """Return how many files were seen, and how many of them are to be hashed."""
        new = "" if every else _NEW
        queries = ("SELECT count(*) FROM seen", f"SELECT count(*) FROM seen {new}")
        seen, to_hash = (self._tables.execute(query).fetchone()[0] for query in queries)
        return seen, to_hash

    def count_without_part(self) -> int:
        """Return how many contents no part holds."""
        query = f"SELECT count(*) FROM (SELECT 1 {_NO_PART} GROUP BY sha256, kind)"
        return self._tables.execute(query).fetchone()[0]

    def add_part(self, part: str, logs: Iterable[Log]) -> None:
        """Record a part of contents that no other holds."""
        self._record("contents", part, logs)

    def move(self, part: str, logs: Iterable[Log]) -> None:
        """Record a part that holds contents of others, which hold them until `switch`."""
        self._record("moved", part, logs)

    def _record(self, table: str, part: str, logs: Iterable[Log]) -> None:
        rows = [(part, _stored(log.path)) for log in logs]
        with self._tables:
            self._tables.executemany(
                f"INSERT OR REPLACE INTO {table} SELECT sha256, kind, ?, path FROM logs "
                "WHERE path = ?",
                rows,
            )

    def let_go(self) -> None:
        """Show no rows any more of what no log has, and note the first names of what was touched.

        Rows that have such a name and are there still, since it had it before, are shown again.
        """
        self._tables.executescript(_FIRST_NAMES)
        with self._tables:
            for statement in (*_LET_GO, *_SWITCH):
                self._tables.execute(statement)

    def renamed(self) -> Iterator[Log]:
        """Yield the contents whose first name is another than that of their rows."""
        yield from self._logs(
            "SELECT firsts.path, sha256, part, contents.path FROM contents "
            "JOIN firsts USING (sha256, kind) WHERE contents.path <> firsts.path "
            "ORDER BY substr(sha256, 1, 1), part, sha256, kind"
        )

    def switch(self) -> None:
        """Show the rows of what was moved where it is now, all at once."""
        with self._tables:
            for statement in _SWITCH:
                self._tables.execute(statement)

    def mark_gone(self, share: float) -> None:
        """Mark the parts of whose logs such a share is gone."""
        with self._tables:
            self._tables.execute("DELETE FROM stale")
            self._tables.execute(
                "INSERT INTO stale SELECT part FROM (SELECT part, count(*) AS gone FROM gone "
                "GROUP BY part) AS some WHERE gone >= ? * (gone + "
                "(SELECT count(*) FROM contents WHERE part = some.part))",
                (share,),
            )

    def mark_small(self, logs: int, size: int, many: int) -> None:
        """Mark the parts with fewer logs and bytes, too, where many of them begin alike."""
        few = (
            "SELECT part, substr(min(sha256), 1, 1) AS begins FROM contents GROUP BY part "
            "HAVING count(*) < ?"
        )
        often = "SELECT begins FROM {} GROUP BY begins HAVING count(*) >= ?"
        with self._tables:
            self._tables.execute(
                f"WITH few AS ({few}), small AS (SELECT part, begins FROM few "
                f"WHERE begins IN ({often.format('few')}) AND (SELECT sum(size) FROM contents "
                "JOIN logs USING (path) WHERE part = few.part) < ?) "
                "INSERT OR IGNORE INTO stale SELECT part FROM small "
                f"WHERE begins IN ({often.format('small')})",
                (logs, many, size, many),
            )

    def in_stale(self) -> Iterator[Log]:
        """Yield what stays of the parts that are marked."""
        yield from self._logs(
            "SELECT path, sha256, part, path FROM contents WHERE part IN (SELECT part FROM stale) "
            "ORDER BY substr(sha256, 1, 1), part, sha256, kind"
        )

    def parts(self) -> set[str]:
        """Return the names of all parts."""
        return {part for (part,) in self._tables.execute("SELECT DISTINCT part FROM contents")}

    # --- for readers

    def named(self, patterns: Iterable[str]) -> set[str]:
        """Return the sha256 of the logs one of whose names matches a pattern: * ? [...]."""
        query = "SELECT DISTINCT sha256 FROM logs WHERE path GLOB ? AND sha256 <> ''"
        found = (self._tables.execute(query, (pattern,)) for pattern in patterns)
        return {sha256 for cursor in found for (sha256,) in cursor}

    def gone(self) -> list[Log]:
        """Return the logs whose rows are in parts and not shown."""
        query = "SELECT path, sha256 FROM gone ORDER BY path, sha256"
        return [Log(_path(path), sha256) for path, sha256 in self._tables.execute(query)]

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
