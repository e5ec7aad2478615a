"""A measurement's id -> the printed line it came from, and each step that changed it."""

from pathlib import Path

from sdanalysis.codebook.measurement import Measurement
from sdanalysis.errors import SdAnalysisError, check_known
from sdanalysis.paths import check_data
from sdanalysis.sources.catalogue import Catalogue, read_catalogue
from sdanalysis.sources.declaration import read_declaration
from sdanalysis.sources.folders import folder_of, source_folders
from sdanalysis.sources.load import capture_of, load_file

_BASE = {"bandwidth": (1e6, "MB/s (10^6 B/s)"), "iops": (1, "IOPS"), "latency": (1, "s")}


def explain(identifier: str, data: Path, raw: Path | None = None) -> str:
    """Return, in words, where a figure stands and what was done to it.

    `identifier` is `source/file:line:n`, or `source/file:line` for all figures of a line; `raw`
    is a folder of sources of the user's own. The companions of `data` are found by their names.
    """
    path, *numbers = identifier.split(":")
    source, slash, name = path.partition("/")
    if not slash or not 1 <= len(numbers) <= 2 or not all(map(str.isdecimal, numbers)):
        raise SdAnalysisError(
            f"found the id {identifier!r}, expected source/file:line:n as in the "
            "column `id` of measurements.csv"
        )
    check_data(data, "media.toml", "hosts.toml", *([] if raw else ["raw"]))
    if raw is None and (folder := folder_of(source, data)) != data / "raw":
        raw = folder
    catalogue = read_catalogue(data, raw)
    folder = (raw or data / "raw") / source
    if not (folder / "source.toml").exists():
        check_known("source", source, [place.name for place in source_folders(folder.parent)])
    declaration = read_declaration(folder)
    files = {file.path: file for file in declaration.files}
    if name not in files:
        text = f"{declaration.folder}: found the file {name!r}, expected one of {', '.join(files)}"
        raise SdAnalysisError(text)
    figures, file = load_file(declaration, files[name]), files[name]
    rows = [item for item in figures if identifier in (item.id, f"{path}:{item.line}")]
    if not rows:
        lines = ", ".join(map(str, sorted({item.line for item in figures})))
        text = f"found no figure {identifier!r}, expected one of the lines {lines} of {path}"
        raise SdAnalysisError(f"{text}, and its number")
    texts = capture_of(declaration.folder / name).lines
    head = (
        f"{declaration.title} - {declaration.author}, {declaration.date}\n{declaration.url}\n"
        f"{path}: {file.place}"
    ) + (f"\ncommand: {file.command}" if file.command else "")
    return "\n\n".join([head, *(_figure(row, texts[row.line - 1], catalogue) for row in rows)])


def _figure(item: Measurement, text: str, catalogue: Catalogue) -> str:
    """Return one figure: its line, a caret under it, the steps, and what came out."""
    margin = f"{item.line:>5} | "
    caret = " " * (len(margin) + item.column - 1) + "^" * max(len(item.raw or ""), 1)
    unit = f"unit {item.raw_unit}" if item.raw_unit else "no unit printed"
    steps = [f"printed: {item.raw}, {unit}" if item.raw else "printed: nothing (a blank cell)"]
    if item.unit is not None:  # of a tool's own figure; a table says it with its other steps
        steps.append(f"{item.raw} {item.raw_unit} x {item.unit.factor:,.12g}: {item.unit.why}")
    specimen = catalogue.specimen_of(item.measured_by or "", item.looked_up or item.label or "")
    catalogue.check_host(item.host, item.reader)
    reader = catalogue.readers[item.host or "", item.reader or ""]
    steps += [
        *item.steps,
        f"label {item.label!r} of {item.measured_by} is the specimen {specimen.id}, medium "
        f"{specimen.medium} ({specimen.evidence}){f': {specimen.note}' if specimen.note else ''}",
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
    low, value, high = (bound / scale for bound in (item.value_low, item.value, item.value_high))
    return f"{value:.6g} {unit}, from {low:.6g} to {high:.6g} ({words})"
