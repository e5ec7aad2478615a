"""All of a file or nothing: what stood there before stays until the new content is whole."""

from __future__ import annotations

from pathlib import Path

from sdanalysis.errors import SdAnalysisError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file by way of an unfinished one beside it, of which nothing is left behind.

    Raises
    ------
    SdAnalysisError
        It cannot be written; the file is as it was.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        try:
            unfinished.write_bytes(content)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise SdAnalysisError(f"{path}: found {error.strerror}, expected to write it") from error
