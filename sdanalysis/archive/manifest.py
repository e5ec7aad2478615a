"""The manifest of a store: which logs there are, what they hold, and in which part that lies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from sdanalysis.errors import SdAnalysisError
from sdanalysis.paths import writing

NAME, LOCK = "manifest.parquet", "lock"
CONTENT = ["sha256", "kind"]  # of the same bytes another name of fio's side logs says other
# A row without a path is of rows that lie in a part and are shown no more. `part` holds the rows of
# the content, whose `file` is the name that the log had; `refused` is why a file is no log.
TYPES = {
    "path": "str", "size": "int64", "mtime": "int64", "sha256": "str", "kind": "str",
    "refused": "str", "severity": "str", "part": "str", "file": "str",
}  # fmt: skip


def is_store(path: Path) -> bool:
    """Tell whether a folder is a store."""
    return (path / NAME).is_file()


def read(store: Path) -> pd.DataFrame:
    """Return the manifest of a store."""
    if not is_store(store):
        text = f"found no {NAME} in it, expected a store that `sdanalysis archive` made"
        raise SdAnalysisError(f"{store}: {text}")
    try:
        return pd.read_parquet(store / NAME, columns=[*TYPES]).astype(TYPES)
    except (OSError, ValueError) as error:
        text = f"found no manifest that can be read ({error}), expected that of a store"
        raise SdAnalysisError(f"{store / NAME}: {text}") from error


def write(store: Path, logs: pd.DataFrame) -> None:
    """Write the manifest whole, or leave the one that is there."""
    with writing(store / NAME) as file:
        logs[[*TYPES]].to_parquet(file, compression="zstd", index=False)


@contextmanager
def alone(store: Path) -> Iterator[pd.DataFrame]:
    """Give the manifest of a store, new or not, and keep other writers out as long as this lasts.

    A folder with other files in it, such as logs, is none.
    """
    import fcntl

    try:
        store.mkdir(parents=True, exist_ok=True)
        others = {path.name for path in store.iterdir()} - {LOCK, "measurements", "problems"}
        if others and NAME not in others:
            text = f"found {min(others)} and no {NAME} in it, expected a store"
            raise SdAnalysisError(f"{store}: {text}, or a new folder for one")
        lock = (store / LOCK).open("w")
    except OSError as error:
        raise SdAnalysisError(f"{store}: found {error.strerror}, expected a folder") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # whatever ends this process ends it
        except BlockingIOError as error:
            text = "found that another command writes it, expected to be the only one"
            raise SdAnalysisError(f"{store}: {text}") from error
        yield read(store) if is_store(store) else pd.DataFrame(columns=[*TYPES]).astype(TYPES)


def settled(logs: pd.DataFrame, stored: pd.DataFrame) -> pd.DataFrame:
    """Return the manifest of some logs: the part of each, and what parts hold besides.

    `stored` has all contents that lie in parts, under whatever name. Of a content that lies there
    under several names the one counts that its first log has, else the first.
    """
    place = [*CONTENT, "part", "file"]
    stored = stored.loc[stored["part"].notna(), [*place, "size"]]
    stored = stored.drop_duplicates([*CONTENT, "file"]).reset_index(drop=True)
    names = logs.groupby(CONTENT)["path"].min().rename("name")
    shown = stored.join(names, on=CONTENT).dropna(subset="name")
    best = (shown["file"] != shown["name"]).sort_values(kind="stable").index
    shown = shown.loc[best, place].drop_duplicates(CONTENT)
    logs = logs.drop(columns=["part", "file"]).merge(shown, "left", CONTENT, validate="m:1")
    gone = stored.drop(index=shown.index)
    gone = gone[gone["part"].isin(shown["part"])].assign(mtime=0)
    table = [logs.sort_values("path"), gone.sort_values(["part", "file"])]
    return pd.concat(table, ignore_index=True).reindex(columns=[*TYPES]).astype(TYPES)
