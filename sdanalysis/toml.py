"""A TOML file -> its content, and the check that it holds the keys and kinds that it should."""

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from types import GenericAlias
from typing import Any

from sdanalysis.errors import DeclarationError

Kind = type | GenericAlias  # list[str] is a list of nothing but texts, dict[str, dict] of tables
Kinds = Mapping[str, Kind | tuple[Kind, ...]]


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; DeclarationError where it cannot be read or is none."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        _check_numbers(content)
    except OSError as error:
        raise DeclarationError(f"{path}: found {error.strerror}, expected a TOML file") from error
    except RecursionError as error:
        raise DeclarationError(f"{path}: found values nested too deeply, expected less") from error
    except ValueError as error:  # of the syntax, of the encoding, of 5,000 digits
        raise DeclarationError(f"{path}: found no valid TOML: {error}") from error
    return content


def _check_numbers(content: object) -> None:
    """Refuse whole numbers beyond those of TOML, which no table holds and Python may not print."""
    if isinstance(content, dict | list):
        for value in content.values() if isinstance(content, dict) else content:
            _check_numbers(value)
    elif isinstance(content, int) and not -(2**63) <= content < 2**63:
        raise ValueError("a whole number beyond 64 bits")


def check_keys(where: str, content: Mapping[str, Any], required: Kinds, optional: Kinds) -> None:
    """Refuse a missing key, an unknown key, and a value of the wrong kind."""
    if missing := required.keys() - content.keys():
        raise DeclarationError(f"{where}: expected {', '.join(sorted(missing))}")
    known = {**optional, **required}
    if unknown := content.keys() - known.keys():
        raise DeclarationError(
            f"{where}: found {', '.join(sorted(unknown))}, expected only {', '.join(sorted(known))}"
        )
    for key, value in content.items():
        expected = known[key]
        kinds = expected if isinstance(expected, tuple) else (expected,)
        if not any(is_kind(value, kind) for kind in kinds):
            names = " or ".join(map(name_of, kinds))
            raise DeclarationError(f"{where}: {key}: found {value!r}, expected {names}")


def check_word(where: str, word: object, known: Collection[str]) -> None:
    """Refuse a word that is none of the known."""
    if word not in known:
        raise DeclarationError(f"{where}: found {word!r}, expected one of {', '.join(known)}")


def is_kind(value: object, kind: Kind) -> bool:
    """Tell whether a value is of a kind, and all that it holds of the kind that is named last."""
    if not isinstance(kind, GenericAlias):
        return type(value) is kind  # isinstance would take `true` for an integer
    if not isinstance(value, list | dict) or type(value) is not kind.__origin__:
        return False
    items = value.values() if isinstance(value, dict) else value
    return all(type(item) is kind.__args__[-1] for item in items)


def name_of(kind: Kind) -> str:
    """Return the words for a kind in an error message."""
    return str(kind) if isinstance(kind, GenericAlias) else kind.__name__
