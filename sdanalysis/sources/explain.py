"""A measurement's id -> the printed line it came from, and each step that changed it."""

from __future__ import annotations

from pathlib import Path

from sdanalysis.codebook.measurement import Measurement
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers import decode, split_lines
from sdanalysis.sources import load as sources
from sdanalysis.sources.declaration import Declaration, RawFile, read_declaration
from sdanalysis.sources.media import Catalogue, read_catalogue

_BASE = {"bandwidth": (1e6, "MB/s (10^6 B/s)"), "iops": (1, "IOPS"), "latency": (1, "s")}


def explain(identifier: str, data: Path, raw: Path | None = None) -> str:
    """Return, in words, where a figure stands and what was done to it.

    `identifier` is `source/file:line:n`, or `source/file:line` for all figures of a line; `raw`
    is a folder of sources of the user's own.

    Raises
    ------
    SdAnalysisError
        There is no such source, file or figure.
    """
    place, source, name = _place(identifier)
    catalogue = read_catalogue(data, raw)
    raw = raw or data / "raw"
    folder = raw / source
    if not (folder / "source.toml").exists():
        known = ", ".join(path.name for path in sources.folders(raw))
        raise SdAnalysisError(f"found the source {source!r}, expected one of {known}")
    declaration = read_declaration(folder)
    file = next((one for one in declaration.files if one.path == name), None)
    if file is None:
        known = ", ".join(one.path for one in declaration.files)
        raise SdAnalysisError(f"{folder}: found the file {name!r}, expected one of {known}")
    measurements = [item for item in sources.load(folder) if item.file == name]
    chosen = [
        item
        for item in measurements
        if identifier == item.id
        or (place == identifier and f"{source}/{name}:{item.line}" == place)
    ]
    if not chosen:
        lines = sorted({item.line for item in measurements})
        raise SdAnalysisError(
            f"found no figure {identifier!r}, expected one of the lines "
            f"{', '.join(map(str, lines))} of {source}/{name}, and its number"
        )
    head = _head(declaration, file)
    return "\n\n".join([head, *(_figure(item, folder / name, catalogue) for item in chosen)])


def _place(identifier: str) -> tuple[str, str, str]:
    """Return (source/file:line, source, file) of an id, with or without its last number."""
    path, *numbers = identifier.split(":")
    source, slash, name = path.partition("/")
    if not slash or not 1 <= len(numbers) <= 2 or not all(one.isdecimal() for one in numbers):
        raise SdAnalysisError(
            f"found the id {identifier!r}, expected source/file:line:n as in the "
            "column `id` of measurements.csv"
        )
    return f"{path}:{numbers[0]}", source, name


def _head(declaration: Declaration, file: RawFile) -> str:
    lines = [
        f"{declaration.title} - {declaration.author}, {declaration.date}",
        declaration.url,
        f"{declaration.slug}/{file.path}: {file.place}",
    ]
    return "\n".join([*lines, *([f"command: {file.command}"] if file.command else [])])


def _figure(item: Measurement, path: Path, catalogue: Catalogue) -> str:
    """Return one figure: its line, a caret under it, the steps, and what came out."""
    text = split_lines(decode(path.read_bytes()))[item.line - 1].text
    margin = f"{item.line:>5} | "
    caret = " " * (len(margin) + item.column - 1) + "^" * max(len(item.raw or ""), 1)
    label = item.looked_up or item.label or ""
    specimen = catalogue.specimen_of(item.measured_by or "", label)
    catalogue.check_host(item.host, item.reader)
    reader = catalogue.readers[item.host or "", item.reader or ""]
    steps = [
        f"printed: {item.raw or 'nothing (a blank cell)'}"
        + (
            f", unit {item.raw_unit}"
            if item.raw_unit and item.raw
            else ", no unit printed"
            if item.raw
            else ""
        ),
        *item.steps,
        f"label {item.label!r} of {item.measured_by} is the specimen {specimen.id}, "
        f"medium {specimen.medium} ({specimen.evidence})"
        + (f": {specimen.note}" if specimen.note else ""),
        f"host {item.host}, reader {item.reader}: {reader['bus']}, at most "
        f"{reader['limit'] / 1e6:g} MB/s",
    ]
    numbered = [f"  {number}. {step}" for number, step in enumerate(steps, 1)]
    return "\n".join([str(item.id), margin + text, caret, *numbered, f"  = {_result(item)}"])


def _result(item: Measurement) -> str:
    conditions = [
        item.op,
        item.tool,
        f"version {item.tool_version}" if item.tool_version else "",
        f"block {item.block_size} B" if item.block_size else "",
        f"numjobs {item.numjobs}" if item.numjobs else "",
        f"queue depth {item.iodepth}" if item.iodepth else "",
        f"{item.read_mix:g} % reads" if item.read_mix else "",
        item.origin,
        *item.remarks,
    ]
    words = ", ".join(word for word in conditions if word)
    if item.value is None or item.value_low is None or item.value_high is None:
        return f"{item.status}: no value ({words})"
    scale, unit = _BASE.get(item.metric, (1, f"({item.metric})"))
    low, value, high = (one / scale for one in (item.value_low, item.value, item.value_high))
    return f"{value:.6g} {unit}, from {low:.6g} to {high:.6g} ({words})"
