"""Raw folders -> the tidy data frame; saving it; loading it again, equal."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from sdanalysis.codebook import schema
from sdanalysis.codebook.measurement import Measurement
from sdanalysis.errors import DeclarationError, SdAnalysisError
from sdanalysis.logs import bulk as frames
from sdanalysis.paths import DATA, expand, write_whole
from sdanalysis.sources import load as sources
from sdanalysis.sources.declaration import read_declaration
from sdanalysis.sources.media import Catalogue, read_catalogue

MEASUREMENTS = DATA / "processed" / "measurements.csv"


def build(
    data: Path = DATA, *, raw: Path | None = None, as_published: bool = False
) -> pd.DataFrame:
    """Return the tidy table of all sources below `data/raw`: one row a measurement.

    Columns and units are those of `schema.COLUMNS`. With `raw`, of the sources in that folder
    alone, which may hold a media.toml and a hosts.toml that add to those of `data`. With
    `as_published` the declared corrections of columns and hosts are left out.

    Raises
    ------
    SdAnalysisError
        A raw file, a declaration or the catalogue does not fit: see `sources` and `media`.
    """
    catalogue = read_catalogue(data, raw)
    raw = raw or data / "raw"
    rows = []
    for folder in sources.folders(raw):
        sources.verify_pins(folder, read_declaration(folder))
        for measurement in sources.load(folder, as_published=as_published):
            rows.append(_row(measurement, catalogue, raw))
    return schema.conform(pd.DataFrame(rows))


def _row(measurement: Measurement, catalogue: Catalogue, raw: Path) -> dict[str, object]:
    """Return the measurement as a row of the table, its medium looked up."""
    label = measurement.looked_up or measurement.label or ""
    try:
        specimen = catalogue.specimen_of(measurement.measured_by or "", label)
        catalogue.check_host(measurement.host, measurement.reader)
    except DeclarationError as error:
        place = f"{raw / (measurement.source or '') / (measurement.file or '')}:{measurement.line}"
        raise DeclarationError(f"{place}: {error}") from error
    row = {name: getattr(measurement, name, None) for name in schema.COLUMNS}
    remarks = " ".join(sorted(set(measurement.remarks))) or None
    return {**row, "medium": specimen.medium, "specimen": specimen.id, "remarks": remarks}


def parse_logs(paths: Iterable[Path | str] | Path | str) -> pd.DataFrame:
    """Return what logs hold as one table: a row a measurement, the columns `logs.COLUMNS`.

    `paths` are files, folders, globs or `-`, as of `sdanalysis parse`. One warning tells how many
    logs were not read to the end, and the first reason.

    Raises
    ------
    SdAnalysisError
        A path names nothing.
    """
    names = [paths] if isinstance(paths, Path | str) else paths
    rows = frames.Rows()
    refused: list[str] = []
    with _without_search_for_cycles():
        for path in expand([str(name) for name in names]):
            errors = [one for one in rows.add_file(path) if one.kind == "error"]
            if errors:
                refused.append(f"{path}:{errors[0].line}: {errors[0].text}")
        frame = rows.frame()
    if refused:
        text = f"{len(refused)} logs were not wholly read (`sdanalysis parse` tells all): "
        warnings.warn(text + refused[0], stacklevel=3)
    return frame


@contextmanager
def _without_search_for_cycles() -> Iterator[None]:
    """Switch the garbage collector off: parsers make no cycles, and rows are many to search.

    The search takes a sixth of the time of 10,000 logs, and finds nothing.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def save(measurements: pd.DataFrame, path: Path = MEASUREMENTS) -> None:
    """Write the table as CSV, the same bytes for the same table; all of it or nothing."""
    text = schema.conform(measurements).to_csv(index=False, lineterminator="\n")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SdAnalysisError(f"{path}: found {error.strerror}, expected to write it") from error
    write_whole(path, text.encode("utf-8"))


def load(path: Path = MEASUREMENTS) -> pd.DataFrame:
    """Return the saved table, equal to the one that `build` made.

    Raises
    ------
    SchemaError
        The file is not such a table.
    SdAnalysisError
        There is no such file.
    """
    dtypes = {name: column.dtype for name, column in schema.COLUMNS.items()}
    try:
        frame = pd.read_csv(path, dtype=dtypes, keep_default_na=False, na_values=[""])
    except OSError as error:
        raise SdAnalysisError(
            f"{path}: found {error.strerror}, expected the table that `sdanalysis build` writes"
        ) from error
    except (ValueError, pd.errors.ParserError) as error:
        raise SdAnalysisError(f"{path}: found no table of measurements: {error}") from error
    return schema.conform(frame)


def load_media(data: Path = DATA) -> pd.DataFrame:
    """Return the catalogue of media: one row a specimen, with its medium's columns.

    Capacity is in bytes (a GB is 10^9); `evidence` says how the specimen was identified.
    """
    catalogue = read_catalogue(data)
    media = pd.DataFrame(catalogue.media)
    specimens = {specimen.id: specimen for specimen in catalogue.specimens.values()}
    rows = pd.DataFrame(
        {"specimen": one.id, "medium": one.medium, "evidence": one.evidence, "note": one.note}
        for one in specimens.values()
    )
    merged = rows.merge(media, on="medium", how="left", validate="many_to_one")
    return merged.sort_values("specimen", ignore_index=True)


def load_hosts(data: Path = DATA) -> pd.DataFrame:
    """Return hosts and readers: one row a pair, `limit` in B/s with its evidence."""
    return pd.DataFrame(read_catalogue(data).readers.values())
