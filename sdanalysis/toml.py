"""A TOML file -> its content, and the check that it holds the keys and kinds that it should."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdanalysis.errors import DeclarationError

Kinds = Mapping[str, type | tuple[type, ...]]


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file.

    Raises
    ------
    DeclarationError
        It cannot be read, or is no TOML in UTF-8.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DeclarationError(f"{path}: found {error.strerror}, expected a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DeclarationError(f"{path}: found no valid TOML: {error}") from error


def check_keys(where: str, found: Mapping[str, Any], required: Kinds, optional: Kinds) -> None:
    """Refuse a missing key, an unknown key, and a value of the wrong kind.

    Raises
    ------
    DeclarationError
        The message begins with `where` and names the key.
    """
    if missing := required.keys() - found.keys():
        raise DeclarationError(f"{where}: expected {', '.join(sorted(missing))}")
    known = {**optional, **required}
    if unknown := found.keys() - known.keys():
        raise DeclarationError(
            f"{where}: found {', '.join(sorted(unknown))}, expected only {', '.join(sorted(known))}"
        )
    for key, value in found.items():
        kinds = known[key] if isinstance(known[key], tuple) else (known[key],)
        if type(value) not in kinds:  # isinstance would take `true` for an integer
            names = " or ".join(kind.__name__ for kind in kinds)
            raise DeclarationError(f"{where}: {key}: found {value!r}, expected {names}")
