"""Where files lie: those that arguments name, the project's data, and how a file is written."""

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sdanalysis.errors import SdAnalysisError

STANDARD_INPUT = "-"
PROJECT = Path(__file__).resolve().parent.parent
DATA = PROJECT / "data"
TEMPLATES = Path(__file__).parent / "report" / "templates"  # of every page


def expand(paths: Sequence[str]) -> list[str]:
    """Return the files that the arguments name: files, folders (all below), globs, `-`."""
    found: list[str] = []
    for name in paths:
        path = Path(name)
        if name == STANDARD_INPUT or (path.exists() and not path.is_dir()):
            found.append(name)
        elif path.is_dir():
            below = sorted(_files_below(str(path)))
            if not below:
                raise SdAnalysisError(f"{name}: found an empty folder, expected logs in it")
            found.extend(below)
        else:
            names = glob.glob(name, recursive=True)  # noqa: PTH207 - an absolute pattern, too
            matches = sorted(match for match in names if Path(match).is_file())
            if not matches:
                raise SdAnalysisError(f"{name}: found no such file, folder or match")
            found.extend(matches)
    return list(dict.fromkeys(found))


def _files_below(folder: str) -> Iterator[str]:
    """Yield the files of a folder and of those in it; no path objects, for there are thousands."""
    try:
        entries = list(os.scandir(None if folder == "." else folder))
    except PermissionError:
        return
    for entry in entries:
        path = entry.path.removeprefix("./")
        if entry.is_dir(follow_symlinks=False):
            yield from _files_below(path)
        elif entry.is_file():
            yield path


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to by way of an unfinished one beside it: all of it, or it stays."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        try:
            with unfinished.open("wb") as file:
                yield file
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise SdAnalysisError(f"{path}: found {error.strerror}, expected to write it") from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole, or leave it as it was."""
    with writing(path) as file:
        file.write(content)
