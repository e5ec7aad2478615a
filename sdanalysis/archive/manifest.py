"""The manifest of a store: which logs there are, what they hold, and in which part that lies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from sdanalysis.errors import SdAnalysisError
from sdanalysis.paths import writing

NAME, LOCK = "manifest.parquet", "lock"
MEASUREMENTS, PROBLEMS = "measurements", "problems"  # folders, of the files of all parts
CONTENT = ["sha256", "kind"]  # the same bytes say other things under another name of a side log
LOG_KEY = ["part", "sha256", "file"]  # of the rows of a log; `file` is its name in the part
TYPES = {  # `mtime` in nanoseconds; `refused` is why a file is no log, `severity` its kind
    "path": "str", "size": "int64", "mtime": "int64", "sha256": "str", "kind": "str",
    "refused": "str", "severity": "str", "part": "str", "file": "str",
}  # fmt: skip


def is_store(path: Path) -> bool:
    """Tell whether a folder is a store."""
    return (path / NAME).is_file()


def read(store: Path) -> pd.DataFrame:
    """Return the manifest of a store, in the order of the paths."""
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
        logs.to_parquet(file, compression="zstd", index=False)


@contextmanager
def hold(store: Path) -> Iterator[pd.DataFrame]:
    """Give the manifest of a store, new or not, and keep other writers out as long as this lasts.

    A folder with other files in it, such as logs, is none.
    """
    import fcntl

    folders = (MEASUREMENTS, PROBLEMS)
    try:
        store.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in store.iterdir()} - {LOCK, *folders}
        if names and NAME not in names:
            text = f"found {min(names)} and no {NAME} in it, expected a store"
            raise SdAnalysisError(f"{store}: {text}, or a new folder for one")
        for folder in folders:
            (store / folder).mkdir(exist_ok=True)
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


def settle(logs: pd.DataFrame, places: pd.DataFrame) -> pd.DataFrame:
    """Return the manifest of logs; of all places where a content lies the first one counts."""
    places = places.dropna(subset="part").drop_duplicates(CONTENT)[[*CONTENT, "part", "file"]]
    logs = logs.drop(columns=["part", "file"]).merge(places, "left", CONTENT, validate="m:1")
    return logs.sort_values("path", ignore_index=True)[[*TYPES]].astype(TYPES)
