"""Reads a file of parameter sets: one notebook, and the values that each of its runs is given."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdanalysis.errors import DeclarationError, SdAnalysisError
from sdanalysis.report.parameters import Parameter, checked_value, parameters_of
from sdanalysis.toml import check_keys, read_toml

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # it becomes the name of a page
Values = Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class ParameterSets:
    """A notebook, the title of its index page, and its sets of parameters by name."""

    notebook: Path
    title: str
    sets: Mapping[str, Values]


def read_sets(path: Path) -> ParameterSets:
    """Return what a file of parameter sets declares.

    Keys of the file: `notebook`, a path that begins at the file's folder; `title`, optional;
    `[parameters]`, what all sets share; `[[set]]` with `name` and `parameters`; `[for_each]`,
    a list of values for each of some parameters: every combination is one more set, named after
    its values. A set's own value goes before that of `[parameters]`. A DeclarationError names
    what is wrong as `path:key: found ..., expected ...`.
    """
    declared = read_toml(path)
    tables = {"parameters": dict, "set": list[dict], "for_each": dict[str, list]}
    check_keys(str(path), declared, {"notebook": str}, {"title": str, **tables})
    notebook = path.parent / declared["notebook"]
    try:
        known = parameters_of(notebook)
    except SdAnalysisError as error:
        raise DeclarationError(f"{path}:notebook: {error}") from error
    shared = _checked(f"{path}:parameters", declared.get("parameters", {}), known)
    listed = _listed(path, declared.get("set", []), known)
    combined = _combined(path, declared.get("for_each", {}), known)
    sets: dict[str, Values] = {}
    for place, name, values in (*listed, *combined):
        _check_name(place, name, sets)
        sets[name] = {**shared, **values}
    if not sets:
        raise DeclarationError(f"{path}: found no set, expected [[set]] or [for_each]")
    return ParameterSets(notebook=notebook, title=declared.get("title", path.stem), sets=sets)


def _listed(
    path: Path, tables: Sequence[Mapping[str, Any]], known: Mapping[str, Parameter]
) -> Iterator[tuple[str, str, Values]]:
    """Yield place, name and values of each [[set]]; they count from 1, as a reader counts them."""
    for number, table in enumerate(tables, start=1):
        place = f"{path}:set[{number}]"
        check_keys(place, table, {"name": str}, {"parameters": dict})
        values = _checked(f"{place}.parameters", table.get("parameters", {}), known)
        yield f"{place}.name", table["name"], values


def _combined(
    path: Path, lists: Mapping[str, list[object]], known: Mapping[str, Parameter]
) -> Iterator[tuple[str, str, Values]]:
    """Yield place, name and values of every combination; the last parameter changes fastest."""
    place = f"{path}:for_each"
    for name, values in lists.items():
        if not values:
            raise DeclarationError(f"{place}.{name}: found no value, expected some")
        for value in values:
            _checked(place, {name: value}, known)
    for values in itertools.product(*lists.values()) if lists else ():
        words = (re.sub(r"[^A-Za-z0-9._]+", "-", str(value)).strip("-") for value in values)
        chosen = dict(zip(lists, values, strict=True))
        yield place, "-".join(words), _checked(place, chosen, known)


def _checked(place: str, given: Values, known: Mapping[str, Parameter]) -> Values:
    for name in given:
        if name not in known:
            there_are = ", ".join(known) or "none"
            raise DeclarationError(f"{place}.{name}: found no such parameter, expected {there_are}")
    return {name: checked_value(f"{place}.{name}", known[name], given[name]) for name in given}


def _check_name(place: str, name: str, taken: Mapping[str, Values]) -> None:
    """Refuse a name that is no file name, or is taken: some file systems fold its case."""
    if not NAME.fullmatch(name) or name.lower() == "index":
        expected = "letters, digits, `.`, `_`, `-`, and not index"
        raise DeclarationError(f"{place}: found the name {name!r}, expected {expected}")
    if name.lower() in map(str.lower, taken):
        raise DeclarationError(f"{place}: found the name {name!r} twice, expected different names")
