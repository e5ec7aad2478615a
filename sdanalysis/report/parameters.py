"""Reads the parameters that a notebook declares, and the values that its runs are given."""

import ast
import io
import itertools
import json
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdanalysis.errors import DeclarationError, SdAnalysisError, UsageError, suggestion
from sdanalysis.paths import printable
from sdanalysis.toml import Kind, check_keys, is_kind, read_toml

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # of a set: it becomes the name of a page
READERS: dict[str, Callable[[str], object]] = {
    "str": str, "int": int, "float": float,
    "bool": lambda text: {"true": True, "false": False}[text.lower()],
}  # fmt: skip
# What a file of parameter sets may hold, by the type that the notebook declares.
KINDS: dict[str, tuple[Kind, ...]] = {
    "str": (str,), "int": (int,), "float": (float, int), "bool": (bool,), "list[str]": (list[str],)
}  # fmt: skip
Values = Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One assignment of a parameters cell, as it is written."""

    name: str
    type: str
    default: str
    help: str


def parameters_of(notebook: Path) -> dict[str, Parameter]:
    """Return what a notebook declares in its cell tagged `parameters`, by name.

    Read from the syntax tree: `papermill.inspect_notebook` passes over a line with an equals
    sign in its comment or with an annotation such as `str | None`.
    """
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        tagged = [c["source"] for c in cells if "parameters" in c["metadata"].get("tags", [])]
        source = "".join(tagged[0]) if tagged else ""
    except OSError as error:
        raise SdAnalysisError(f"{notebook}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SdAnalysisError(f"{notebook}: found no notebook in it: {error!r}") from error
    try:
        statements = ast.parse(source).body
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, tokenize.TokenError) as error:
        raise SdAnalysisError(f"{notebook}: the parameters cell is not Python: {error}") from error
    comments = {token.end[0]: token.string for token in tokens if token.type == tokenize.COMMENT}
    declared = {}
    for statement in statements:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                kind = ast.unparse(statement.annotation)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
                kind = type(value.value).__name__
            case _:
                continue
        comment = comments.get(statement.end_lineno or 0, "").lstrip("# ")
        declared[name] = Parameter(name=name, type=kind, default=ast.unparse(value), help=comment)
    return declared


def check_parameters(
    notebooks: Sequence[Path], given: Mapping[str, str]
) -> dict[Path, dict[str, object]]:
    """Return for each notebook those of the given parameters that it has, as typed values.

    A UsageError is a name that no notebook has, and a text that is not of the declared type.
    """
    declared = {notebook: parameters_of(notebook) for notebook in notebooks}
    known = sorted({name for parameters in declared.values() for name in parameters})
    for name, text in given.items():
        if printable(text) != text:
            raise UsageError(f"parameter {name}: found {text!r}, expected UTF-8")
        if name not in known:
            there_are = f"there are {', '.join(known)}" if known else "they have no parameters"
            near = suggestion(name, known)
            raise UsageError(f"parameter {name}: no notebook has it, {there_are}{near}")
    return {
        notebook: {name: _typed(notebook, own[name], given[name]) for name in given if name in own}
        for notebook, own in declared.items()
    }


def _typed(notebook: Path, parameter: Parameter, text: str) -> object:
    kind = parameter.type.removesuffix(" | None")
    if kind != parameter.type and text == "None":
        return None
    if kind not in READERS:
        declares = f"{notebook.name} declares {parameter.type}"
        only = f"from outside only {', '.join(READERS)} can be set"
        raise UsageError(f"parameter {parameter.name}: {declares}, {only}")
    try:
        return READERS[kind](text)
    except (ValueError, KeyError) as error:
        raise UsageError(
            f"parameter {parameter.name}: found {text!r}, expected {parameter.type}, as in "
            f"{notebook.name}: {parameter.name} = {parameter.default}  # {parameter.help}"
        ) from error


@dataclass(frozen=True, kw_only=True)
class ParameterSets:
    """A notebook, the title of its index page, and its sets of parameters by name."""

    notebook: Path
    title: str
    sets: Mapping[str, Values]


def read_sets(path: Path) -> ParameterSets:
    """Return what a file of parameter sets declares.

    Keys of the file: `notebook`, a path that begins at the file's folder, and optionally `title`.
    `[parameters]` is what all sets share; a `[[set]]` has `name` and `parameters`. `[for_each]`
    lists values of some parameters: every combination is one more set, named after its values. A
    set's own value goes before that of `[parameters]`. A DeclarationError names what is wrong as
    `path:key: found ..., expected ...`.
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
    sets: dict[str, Values] = {}
    for place, name, values in (*_listed(path, declared), *_combined(path, declared)):
        where = place.removesuffix(".name")
        own = _checked(where + ".parameters" * (where != place), values, known)
        if not NAME.fullmatch(name) or name.lower() == "index":
            expected = "letters, digits, `.`, `_`, `-`, and not index"
            raise DeclarationError(f"{place}: found the name {name!r}, expected {expected}")
        if name.lower() in map(str.lower, sets):  # some file systems fold its case
            text = f"found the name {name!r} twice, expected different names"
            raise DeclarationError(f"{place}: {text}")
        sets[name] = {**shared, **own}
    if not sets:
        raise DeclarationError(f"{path}: found no set, expected [[set]] or [for_each]")
    return ParameterSets(notebook=notebook, title=declared.get("title", path.stem), sets=sets)


def _listed(path: Path, declared: Mapping[str, Any]) -> Iterator[tuple[str, str, Values]]:
    """Yield place, name and values of each [[set]]; they count from 1, as a reader counts them."""
    for number, table in enumerate(declared.get("set", []), start=1):
        place = f"{path}:set[{number}]"
        check_keys(place, table, {"name": str}, {"parameters": dict})
        yield f"{place}.name", table["name"], table.get("parameters", {})


def _combined(path: Path, declared: Mapping[str, Any]) -> Iterator[tuple[str, str, Values]]:
    """Yield place, name and values of every combination; the last parameter changes fastest."""
    place, lists = f"{path}:for_each", declared.get("for_each", {})
    for name, values in lists.items():
        if not values:
            raise DeclarationError(f"{place}.{name}: found no value, expected some")
    for values in itertools.product(*lists.values()) if lists else ():
        words = (re.sub(r"[^A-Za-z0-9._]+", "-", str(value)).strip("-") for value in values)
        yield place, "-".join(words), dict(zip(lists, values, strict=True))


def _checked(place: str, given: Values, known: Mapping[str, Parameter]) -> Values:
    """Return the values of a TOML file as the types that the notebook declares, or refuse them."""
    typed = {}
    for name, value in given.items():
        where = f"{place}.{name}"
        if name not in known:
            there_are = ", ".join(known) or "none"
            raise DeclarationError(f"{where}: found no such parameter, expected {there_are}")
        declared = known[name].type.removesuffix(" | None")
        if declared not in KINDS:
            text = f"found a parameter of type {declared}, expected one of {', '.join(KINDS)}"
            raise DeclarationError(f"{where}: {text}")
        if not any(is_kind(value, kind) for kind in KINDS[declared]):
            example = f"{name} = {known[name].default}"
            text = f"found {value!r}, expected {declared}, as in {example}"
            raise DeclarationError(f"{where}: {text}")
        typed[name] = float(value) if isinstance(value, int) and declared == "float" else value
    return typed
