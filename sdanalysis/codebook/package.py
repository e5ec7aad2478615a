"""The codebook -> datapackage.json: what other programs need to know of the tables.

The format is the Frictionless Data Package, version 1 (https://specs.frictionlessdata.io).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from sdanalysis.codebook.columns import COLUMNS, KEY, METRICS, REQUIRED, Column

NAME = "datapackage.json"
_TYPES = {"str": "string", "Int64": "integer", "float64": "number", "boolean": "boolean"}
_TITLES = {
    "measurements": "Published SD-card benchmarks of five sources",
    "companions": "Figures beyond the five sources",
}
_DESCRIPTION = (
    "One row is one printed figure, or the word in its place, with the file and line that it "
    "stands in, its unit and its conditions. Values are in base units: "
    + ", ".join(f"{metric} {unit}" for metric, unit in METRICS.items())
    + ". Cite the source of each figure that you use: the column source says which."
)
_FREE = {"name": "MIT", "title": "MIT License", "path": "https://opensource.org/license/mit"}
_FREE |= {"description": "selection, corrections, catalogue and code; figures belong to sources"}


def package(
    tables: Mapping[str, bytes], sources: Sequence[Mapping[str, str]], version: str
) -> bytes:
    """Return the description of tables, by their names, as JSON.

    A source has `title`, `path` (its address) and `author`.
    """
    described = {
        "profile": "tabular-data-package",
        "name": "sd-card-analysis",
        "title": "SD-card benchmarks for small computers",
        "description": _DESCRIPTION,
        "version": version,
        "licenses": [_FREE],
        "sources": [dict(source) for source in sources],
        "keywords": ["storage benchmarks", "SD cards", "Raspberry Pi"],
        "resources": [_resource(name, content) for name, content in tables.items()],
    }
    return (json.dumps(described, indent=2, ensure_ascii=False) + "\n").encode()


def _resource(name: str, content: bytes) -> dict[str, Any]:
    return {
        "profile": "tabular-data-resource",
        "name": name,
        "title": _TITLES.get(name, name),
        "path": f"{name}.csv",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "schema": {
            "fields": [_field(name, column) for name, column in COLUMNS.items()],
            "missingValues": [""],
            "primaryKey": list(KEY),
        },
    }


def _field(name: str, column: Column) -> dict[str, Any]:
    kind, meaning = _TYPES[column.dtype], column.meaning
    field: dict[str, Any] = {"name": name, "type": kind, "description": meaning}
    if column.unit:
        field["unit"] = column.unit
    if column.dtype == "boolean":
        field |= {"trueValues": ["True"], "falseValues": ["False"]}
    constraints: dict[str, Any] = {"required": True} if name in REQUIRED else {}
    if column.words and name != "remarks":  # of which a cell may hold several
        constraints["enum"] = list(column.words)
    return field | ({"constraints": constraints} if constraints else {})
