"""source.toml -> a checked declaration of what a source folder holds."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from sdanalysis.codebook.columns import TABLE_STATUSES
from sdanalysis.codebook.units import counted
from sdanalysis.errors import DeclarationError, SdAnalysisError
from sdanalysis.parsers.table import COLUMNS, THOUSANDS, Conditions, Table, check_conditions, merge
from sdanalysis.sources.folders import raw_path
from sdanalysis.toml import Kinds, check_keys, check_word, read_toml

FILL_IN = "FILL IN"  # how a value begins that a user has yet to give
_TEXTS = ("title", "author", "url", "date")
_WORDS = tuple(status for status in TABLE_STATUSES if status != "measured")


@dataclass(frozen=True, kw_only=True)
class Correction:
    """What a line prints wrongly: `printed` must stand there, `means` is what it says in truth.

    `field` is `label` (what to look up in the catalogue), `host`, or `columns` (the names of the
    values that the printed figures really are, in printed order).
    """

    line: int
    field: str
    printed: str
    means: str | tuple[str, ...]
    why: str


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A word of the codebook on all figures of some lines, or on those of the named values."""

    lines: tuple[int, ...]
    word: str
    why: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RawFile:
    """One raw file with its conditions, and what reads it."""

    path: str
    sha256: str
    place: str
    given: Conditions
    tables: tuple[Table, ...]
    parsers: tuple[str, ...]
    skip: tuple[re.Pattern[str], ...]
    corrections: tuple[Correction, ...]
    remarks: tuple[Remark, ...]
    command: str = ""


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """All that one source.toml says."""

    folder: Path
    title: str
    author: str
    url: str
    date: str
    files: tuple[RawFile, ...]
    tools: Mapping[str, Conditions]
    left_out: tuple[Mapping[str, str], ...]

    @property
    def slug(self) -> str:
        """The source's name: that of its folder."""
        return self.folder.name


def read_declaration(folder: Path) -> Declaration:
    """Read and check `folder/source.toml`; a DeclarationError names the file and the key."""
    path = folder / "source.toml"
    content = read_toml(path)
    check_filled(path, content)
    try:
        return _declaration(folder, content)
    except SdAnalysisError as error:
        raise DeclarationError(f"{path}: {error}") from error


def _declaration(folder: Path, content: dict[str, Any]) -> Declaration:
    required: Kinds = {**dict.fromkeys(_TEXTS, str), "file": list[dict]}
    tables_of: Kinds = dict.fromkeys(("tool", "table"), dict[str, dict])
    optional: Kinds = {**tables_of, "given": dict, "words": dict[str, str], "left_out": list[dict]}
    content = _content("source", content, required, optional)
    tools, words, given = content["tool"], content["words"], content["given"]
    for name, conditions in tools.items():
        check_conditions(f"tool.{name}", conditions)
    for word, status in words.items():
        check_word(f"words.{word}", status, _WORDS)
    tables = {
        name: _table(f"table.{name}", declared, name=name, tools=tools, words=words)
        for name, declared in content["table"].items()
    }
    check_conditions("given", given)
    files = tuple(_file(folder, declared, given, tables) for declared in content["file"])
    if unused := tables.keys() - {table.name for file in files for table in file.tables}:
        raise DeclarationError(f"found the tables {sorted(unused)} that no file uses")
    texts = {name: content[name] for name in _TEXTS} | {"left_out": tuple(content["left_out"])}
    return Declaration(folder=folder, files=files, tools=tools, **texts)


def _content(where: str, table: dict[str, Any], required: Kinds, optional: Kinds) -> dict[str, Any]:
    """Return the content of a table of the file; optional keys that it lacks are empty."""
    check_keys(where, table, required, optional)
    kinds: dict[str, Any] = {**optional}
    return {key: getattr(kind, "__origin__", kind)() for key, kind in kinds.items()} | table


def _table(where: str, content: dict[str, Any], **shared: Any) -> Table:
    optional: Kinds = {
        **{"skip": list[str], "maps": dict[str, dict], "label": str, "run": str},
        **{"decimal_comma": bool, "thousands": str, "repeats": bool},
    }
    declared = _content(where, content, {"row": str, "values": dict[str, dict]}, optional)
    row = _pattern(f"{where}.row", declared["row"])
    for group in (*declared["values"], *declared["maps"]):
        if group not in row.groupindex:
            expected = f"a named group of the row pattern ({', '.join(row.groupindex)})"
            raise DeclarationError(f"{where}: found {group!r}, expected {expected}")
    places = {f"values.{value}": given for value, given in declared["values"].items()}
    for group, meanings in declared["maps"].items():
        places |= {f"maps.{group}.{text}": given for text, given in meanings.items()}
    for place, conditions in places.items():
        check_conditions(f"{where}.{place}", conditions)
    known = {*row.groupindex, *COLUMNS, "row"}
    for template in (declared["label"], declared["run"]):
        _check_template(where, template, known)
    mark, decimal = declared["thousands"], "," if declared["decimal_comma"] else "."
    if "thousands" in content:
        check_word(f"{where}.thousands", mark, THOUSANDS)
        if mark == decimal:  # parts no thousands, for it stands before decimals
            text = f"found {mark!r} as mark of thousands and of decimals"
            comma = "without" if mark == "," else "with"
            raise DeclarationError(f"{where}: {text}, expected it {comma} `decimal_comma = true`")
    skip = tuple(_pattern(f"{where}.skip", text) for text in declared["skip"])
    stated = {key: value for key, value in declared.items() if value != "" or key in content}
    return Table(**{**stated, **shared, "row": row, "skip": skip})


def _file(
    folder: Path, content: dict[str, Any], given: Conditions, tables: Mapping[str, Table]
) -> RawFile:
    where = f"file {content.get('path', '?')}"
    required: Kinds = {"path": str, "sha256": str, "place": str}
    optional: Kinds = {
        **{"given": dict, "command": str, "correction": list[dict], "remark": list[dict]},
        **dict.fromkeys(("tables", "parsers", "skip"), list[str]),
    }
    declared = _content(where, content, required, optional)
    check_conditions(f"{where}: given", declared["given"])
    if unknown := set(declared["tables"]) - tables.keys():
        text = f"{where}: found the tables {sorted(unknown)}"
        raise DeclarationError(f"{text}, expected some of {', '.join(tables)}")
    if not declared["tables"] and not declared["parsers"]:
        raise DeclarationError(f"{where}: expected `tables` or `parsers` that read it")
    texts = {name: declared[name] for name in ("path", "sha256", "place", "command")}
    raw_path(folder, texts["path"])
    return RawFile(
        **texts,
        given=merge(given, declared["given"]),
        tables=tuple(tables[name] for name in declared["tables"]),
        parsers=tuple(declared["parsers"]),
        skip=tuple(_pattern(where, text) for text in declared["skip"]),
        corrections=tuple(_correction(f"{where}: correction", it) for it in declared["correction"]),
        remarks=tuple(_remark(f"{where}: remark", it) for it in declared["remark"]),
    )


def _correction(where: str, item: dict[str, Any]) -> Correction:
    texts = dict.fromkeys(("field", "printed", "why"), str)
    kinds: Kinds = {**texts, "line": int, "means": (str, list[str])}
    check_keys(where, item, kinds, {})
    field, means = item["field"], item["means"]
    if field not in {"label", "host", "columns"}:
        text = f"found the field {field!r}, expected label, host or columns"
        raise DeclarationError(f"{where}: {text}")
    if (field == "columns") != isinstance(means, list):
        text = "expected `means` to be a list of value names for columns, a text otherwise"
        raise DeclarationError(f"{where}: {text}")
    return Correction(**{**item, "means": tuple(means) if field == "columns" else means})


def _remark(where: str, item: dict[str, Any]) -> Remark:
    kinds = {"lines": list[int], "remark": str, "why": str}
    check_keys(where, item, kinds, {"values": list[str]})
    lines, values = tuple(item["lines"]), tuple(item.get("values", ()))
    return Remark(lines=lines, word=item["remark"], why=item["why"], values=values)


def _check_template(where: str, template: str, known: set[str]) -> None:
    """Refuse a `{name}` in a template that is neither a group nor a condition."""
    try:
        names = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
    except ValueError as error:
        raise DeclarationError(f"{where}: found the template {template!r}: {error}") from error
    if unknown := names - known:
        text = f"{where}: found {sorted(unknown)} in the template {template!r}"
        raise DeclarationError(f"{text}, expected only names of groups or conditions")


def _pattern(where: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.M)
    except (re.error, RecursionError, OverflowError) as error:
        raise DeclarationError(f"{where}: found no regular expression: {error}") from error


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
                yield below, _pin(folder, str(content.get("path", FILL_IN)))
            else:
                yield from _unfilled(folder, value, below)
    elif isinstance(content, list):
        for number, value in enumerate(content, 1):
            yield from _unfilled(folder, value, f"{place} {number}")
    elif isinstance(content, str) and content.startswith(FILL_IN):
        yield place, content.removeprefix(FILL_IN).strip(" :") or "a text"


def _pin(folder: Path, name: str) -> str:
    if not name.startswith(FILL_IN) and (path := raw_path(folder, name)).is_file():
        return f'"{hashlib.sha256(path.read_bytes()).hexdigest()}" (of {name} as it is now)'
    return "put the file that `path` names beside source.toml; this message then has its sha256"
