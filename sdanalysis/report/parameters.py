"""Reads the parameters that a notebook declares, as values of their types."""

import ast
import io
import json
import tokenize
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdanalysis.errors import DeclarationError, SdAnalysisError
from sdanalysis.toml import Kind, is_kind

READERS: dict[str, Callable[[str], object]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": lambda text: {"true": True, "false": False}[text.lower()],
}
# What a file of parameter sets may hold, by the type that the notebook declares.
KINDS: dict[str, tuple[Kind, ...]] = {
    "str": (str,), "int": (int,), "float": (float, int), "bool": (bool,), "list[str]": (list[str],)
}  # fmt: skip


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
    source = _parameters_cell(notebook)
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


def _parameters_cell(notebook: Path) -> str:
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        tagged = [c["source"] for c in cells if "parameters" in c["metadata"].get("tags", [])]
    except OSError as error:
        raise SdAnalysisError(f"{notebook}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SdAnalysisError(f"{notebook}: found no notebook in it: {error!r}") from error
    return "".join(tagged[0]) if tagged else ""


def check_parameters(
    notebooks: Sequence[Path], given: Mapping[str, str]
) -> dict[Path, dict[str, object]]:
    """Return for each notebook those of the given parameters that it has, as typed values.

    Refused are a name that no notebook has, and a text that is not of the declared type.
    """
    declared = {notebook: parameters_of(notebook) for notebook in notebooks}
    known = sorted({name for parameters in declared.values() for name in parameters})
    for name in given:
        if name not in known:
            there_are = f"there are {', '.join(known)}" if known else "they have no parameters"
            raise SdAnalysisError(f"parameter {name}: no notebook has it, {there_are}")
    return {
        notebook: {
            name: _typed(notebook, parameters[name], given[name])
            for name in given
            if name in parameters
        }
        for notebook, parameters in declared.items()
    }


def _typed(notebook: Path, parameter: Parameter, text: str) -> object:
    kind = parameter.type.removesuffix(" | None")
    if kind != parameter.type and text == "None":
        return None
    if kind not in READERS:
        declares = f"{notebook.name} declares {parameter.type}"
        only = f"from outside only {', '.join(READERS)} can be set"
        raise SdAnalysisError(f"parameter {parameter.name}: {declares}, {only}")
    try:
        return READERS[kind](text)
    except (ValueError, KeyError) as error:
        raise SdAnalysisError(
            f"parameter {parameter.name}: found {text!r}, expected {parameter.type}, as in "
            f"{notebook.name}: {parameter.name} = {parameter.default}  # {parameter.help}"
        ) from error


def checked_value(place: str, parameter: Parameter, value: object) -> object:
    """Return a value of a TOML file as the type that the notebook declares, or refuse it."""
    declared = parameter.type.removesuffix(" | None")
    if declared not in KINDS:
        known = ", ".join(KINDS)
        raise DeclarationError(
            f"{place}: found a parameter of type {declared}, expected one of {known}"
        )
    if not any(is_kind(value, kind) for kind in KINDS[declared]):
        example = f"{parameter.name} = {parameter.default}"
        raise DeclarationError(f"{place}: found {value!r}, expected {declared}, as in {example}")
    return float(value) if isinstance(value, int) and declared == "float" else value
