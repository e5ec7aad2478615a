"""A declaration that a user has yet to fill in -> an error that names every place."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sdanalysis.codebook.units import counted
from sdanalysis.errors import DeclarationError
from sdanalysis.sources.beside import beside

FILL_IN = "FILL IN"


def check_filled(path: Path, content: dict[str, Any]) -> None:
    """Refuse a declaration in which a value still begins with `FILL IN`.

    The error names each key with what belongs there, and the sha256 of a file without its pin.
    """
    try:
        places = [f"\n  {place}: {hint}" for place, hint in _unfilled(path.parent, content, "")]
    except DeclarationError as error:  # of a path that leads away
        raise DeclarationError(f"{path}: {error}") from error
    if places:
        found = f"{path}: found {FILL_IN} in {counted(len(places), 'place')}"
        raise DeclarationError(f"{found}, expected:{''.join(places)}")


def _unfilled(folder: Path, content: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield place and hint of each value that is not filled in."""
    if isinstance(content, dict):
        for key, value in content.items():
            below = f"{place}.{key}" if place else key
            if key == "sha256" and str(value).startswith(FILL_IN):
                yield below, _pin(folder, content)
            else:
                yield from _unfilled(folder, value, below)
    elif isinstance(content, list):
        for number, value in enumerate(content, 1):
            yield from _unfilled(folder, value, f"{place} {number}")
    elif isinstance(content, str) and content.startswith(FILL_IN):
        yield place, content.removeprefix(FILL_IN).strip(" :") or "a text"


def _pin(folder: Path, file: dict[str, Any]) -> str:
    """Return the sha256 of the file that an entry names, or what to do for it."""
    name = str(file.get("path", FILL_IN))
    path = None if name.startswith(FILL_IN) else beside(folder, name)
    if path is None or not path.is_file():
        return "put the file that `path` names beside source.toml; this message then has its sha256"
    return f'"{hashlib.sha256(path.read_bytes()).hexdigest()}" (of {path.name} as it is now)'
