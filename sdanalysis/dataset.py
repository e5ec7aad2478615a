"""Raw folders -> the tidy table; loading it again, and what its figures are held against."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sdanalysis import __version__, archive
from sdanalysis.archive.manifest import is_store
from sdanalysis.codebook import package, schema
from sdanalysis.codebook.measurement import Measurement
from sdanalysis.errors import DeclarationError, SchemaError, SdAnalysisError
from sdanalysis.paths import DATA, check_data, write_whole
from sdanalysis.reference import read_reference, types_of
from sdanalysis.sources.catalogue import Catalogue, read_catalogue
from sdanalysis.sources.declaration import read_declaration
from sdanalysis.sources.folders import check_names, companions_below, source_folders
from sdanalysis.sources.load import load_source

MEASUREMENTS = DATA / "processed" / "measurements.csv"
COMPANIONS = DATA / "processed" / "companions.csv"
_PROCESSED, _CATALOGUE = "processed/measurements.csv", ("media.toml", "hosts.toml")
_REFERENCE = tuple(f"reference/{name}.csv" for name in ("noise", "specimens", "classes"))


def build(
    data: Path | str = DATA, *, raw: Path | None = None, as_published: bool = False
) -> pd.DataFrame:
    """Return the tidy table of all sources below `data/raw`: one row a measurement.

    With `raw`, of the sources in that folder alone, which may hold a media.toml and a hosts.toml
    that add to those of `data`. With `as_published` the declared corrections of columns and hosts
    are left out.
    """
    data = check_data(data, *_CATALOGUE, *([] if raw else ["raw"]))
    catalogue = read_catalogue(data, raw)
    raw = raw or data / "raw"
    check_names(data, raw)
    rows = [
        _row(measurement, catalogue, raw)
        for folder in source_folders(raw)
        for measurement in load_source(folder, as_published=as_published, pinned=True)
    ]
    return schema.conform(pd.DataFrame(rows))


def build_companions(data: Path = DATA, *, as_published: bool = False) -> pd.DataFrame | None:
    """Return the table of the companions below `data/companions`; None where there are none.

    A companion is a source beyond the five, which no notebook of theirs counts. It is built as
    they are, with a media.toml and a hosts.toml beside it that add to the catalogue.
    """
    companions = companions_below(data)
    return build(data, raw=companions, as_published=as_published) if companions else None


def companion_in_words(slug: str, data: Path = DATA) -> str:
    """Return a companion as `title - author, date (address)`."""
    source = read_declaration(data / "companions" / slug)
    return f"{source.title} - {source.author}, {source.date} ({source.url})"


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


def save(measurements: pd.DataFrame, path: Path = MEASUREMENTS) -> None:
    """Write the table as CSV, the same bytes for the same table; all of it or nothing."""
    text = schema.conform(measurements).to_csv(index=False, lineterminator="\n")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SdAnalysisError(f"{path}: found {error.strerror}, expected to write it") from error
    write_whole(path, text.encode("utf-8"))


def describe(data: Path = DATA) -> None:
    """Write datapackage.json beside the saved tables: columns, units, sources, how to cite."""
    folder = data / "processed"
    paths = [folder / MEASUREMENTS.name, folder / COMPANIONS.name]
    tables = {path.stem: path.read_bytes() for path in paths if path.exists()}
    below = filter(None, (data / "raw", companions_below(data)))
    declared = [read_declaration(path) for raw in below for path in source_folders(raw)]
    sources = [
        {"title": f"{source.slug}: {source.title}", "path": source.url, "author": source.author}
        for source in declared
    ]
    write_whole(folder / package.NAME, package.package(tables, sources, __version__))


def load(
    path: Path | str | None = None,
    *,
    companions: bool = False,
    columns: Sequence[str] | None = None,
    filters: Any = None,
) -> pd.DataFrame:
    """Return the tidy table: one row a measurement, columns as in `schema.COLUMNS`.

    Reads the committed `data/processed/measurements.csv`, or the table at `path`, which equals
    the one that `sdanalysis build` made; another is an SdAnalysisError. A `path` of a folder is one
    of data, with `processed` in it. With `companions` the rows of `companions.csv` beside the table
    are among them: figures beyond the five sources.

    Of a store of `sdanalysis archive` only those `columns` of a log, and rows that meet `filters`
    (as of `pandas.read_parquet`), are read.

    Examples
    --------
    >>> import sdanalysis
    >>> measurements = sdanalysis.load()
    >>> measurements["measured_by"].value_counts().head(2)
    measured_by
    geerling    203
    perrin      155
    Name: count, dtype: int64
    """
    path = Path(path or MEASUREMENTS)
    if is_store(path) or (columns, filters) != (None, None):
        return archive.load(path, columns=columns, filters=filters)
    if path.is_dir():
        path = check_data(path, _PROCESSED) / _PROCESSED
    if not companions:
        return _read(path)
    tables = [_read(path), _read(path.with_name(COMPANIONS.name))]
    return schema.conform(pd.concat(tables, ignore_index=True))


def tables_in(data: Path) -> list[Path]:
    """Return the files of a folder of data that `load` and `load_noise` read."""
    return [data / name for name in (_PROCESSED, *_CATALOGUE, *_REFERENCE)]


def _read(path: Path) -> pd.DataFrame:
    dtypes = {name: column.dtype for name, column in schema.COLUMNS.items()}
    try:
        frame = pd.read_csv(path, dtype=dtypes, keep_default_na=False, na_values=[""])
        return schema.conform(frame)
    except OSError as error:
        raise SdAnalysisError(
            f"{path}: found {error.strerror}, expected the table that `sdanalysis build` writes"
        ) from error
    except (ValueError, TypeError, OverflowError) as error:  # pandas' own parser errors among them
        reason = " ".join(str(error).split())
        raise SdAnalysisError(f"{path}: found no table of measurements: {reason}") from error
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from error


def load_media(
    data: Path | str = DATA, *, companions: bool = False, raw: Path | str | None = None
) -> pd.DataFrame:
    """Return the catalogue: one row a specimen, with its medium's maker, product, classes.

    Capacity is in bytes (a GB is 10^9); `evidence` says how the specimen was identified. With
    `companions` also the cards of the companions, with `raw` those of a folder of your own, as
    `sdanalysis build --raw` takes it.
    """
    return _media_frame(_catalogue(data, companions, raw))


def _catalogue(data: Path | str, companions: bool, *raws: Path | str | None) -> Catalogue:
    data = check_data(data, *_CATALOGUE)
    folders = [Path(raw) for raw in raws if raw]
    return read_catalogue(data, companions_below(data) if companions else None, *folders)


def _media_frame(catalogue: Catalogue) -> pd.DataFrame:
    specimens = pd.DataFrame(list(dict.fromkeys(catalogue.specimens.values())))
    return (
        specimens.rename(columns={"id": "specimen"})
        .merge(pd.DataFrame(catalogue.media), on="medium", how="left", validate="many_to_one")
        .sort_values("specimen", ignore_index=True)
    )


def load_hosts(
    data: Path | str = DATA, *, companions: bool = False, raw: Path | str | None = None
) -> pd.DataFrame:
    """Return hosts and readers: one row a pair, with the bus and its limit in B/s.

    `command_queue` tells whether the host could switch on that of an SD card; missing: not known.
    `aliases` are other names of the host. With `companions` also the hosts that only the companions
    describe, with `raw` those of a folder of your own.
    """
    return _hosts_frame(_catalogue(data, companions, raw))


def _hosts_frame(catalogue: Catalogue) -> pd.DataFrame:
    return pd.DataFrame(list(catalogue.readers.values())).astype({"command_queue": "boolean"})


def load_noise(
    data: Path | str = DATA,
    *,
    measurements: pd.DataFrame | None = None,
    media: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return how far the runs of one test differ, wherever a medium is known to have repeated it.

    It has repeats of the sources' own cards (of `measurements` and `media`, or as saved) without
    doubted runs. It adds those of `load_specimens` and of four media published elsewhere.

    One row a medium and test: `medium` (SD card, USB medium, SSD, iSCSI volume), `specimen`,
    `tool`, `op`, `metric`, `block_size` (B), `runs`, `minimum`, `median`, `maximum` (B/s or 1/s),
    `sd_log` (standard deviation of the natural logarithms), `source` (where it was published).
    """
    from sdanalysis.stats.noise import medium_kind, repeat_spreads
    from sdanalysis.stats.reasons import doubted, usable

    needed = [*_REFERENCE, *(_CATALOGUE if media is None else ())]
    data = check_data(data, *needed, *([_PROCESSED] if measurements is None else []))
    published = read_reference(data, "noise")
    if measurements is None:
        measurements = load(data / _PROCESSED)
    media = load_media(data) if media is None else media
    forms = media.set_index("specimen")["form"]
    cards = specimen_runs(load_specimens(data))
    tables = [published]
    figures = usable(measurements)
    for runs in (figures[~doubted(figures)], cards):
        rest = runs[~runs["specimen"].isin(published["specimen"])]  # of a companion: each card once
        spreads = repeat_spreads(rest)
        sources = runs.drop_duplicates("specimen").set_index("specimen")["source"]
        kinds = spreads["specimen"].map(forms).map(medium_kind)
        tables.append(spreads.assign(medium=kinds, source=spreads["specimen"].map(sources)))
    return pd.concat(tables, ignore_index=True)[[*published]].astype(types_of("noise"))


def specimen_runs(specimens: pd.DataFrame) -> pd.DataFrame:
    """Return the repeats of `load_specimens` as runs that `stats.repeats_outside` judges."""
    sizes = pd.array([pd.NA] * len(specimens), dtype="Int64")
    return specimens.assign(metric="bandwidth", run=specimens["repeat"], block_size=sizes)


def load_specimens(data: Path | str = DATA) -> pd.DataFrame:
    """Return what several specimens of one model gave in the same test, three times each.

    `model` (missing where the publication does not print it), `specimen`, `tool`, `op`,
    `repeat`, `value` (B/s), `source`.
    """
    return read_reference(Path(data), "specimens")


def load_classes(data: Path | str = DATA) -> pd.DataFrame:
    """Return what the classes printed on cards promise at least.

    `family`, `class`, `write` (sequential, B/s), `randread` and `randwrite` (4 KiB, 1/s; missing
    where the class says nothing), `source`.
    """
    return read_reference(Path(data), "classes")


def load_promises(data: Path | str = DATA) -> pd.DataFrame:
    """Return what a maker promises of a card in a host, beyond the minimums of its classes.

    `medium`, `host`, `randread` and `randwrite` (4 KiB, 1/s), `source`.
    """
    return read_reference(Path(data), "promises")


def load_prices(data: Path | str = DATA) -> pd.DataFrame:
    """Return what cards cost where that is known: `medium`, `price`, `currency`, `year`, `source`.

    The price is that of the name on the card in that year; the maker may have changed the card.
    """
    return read_reference(Path(data), "prices")


@dataclass(frozen=True, kw_only=True, eq=False)
class Data:
    """The tidy table and what its figures are held against, as frames that nobody changes.

    `measurements` as of `load`, `media` of `load_media`, `hosts` of `load_hosts`; and yardsticks:
    `noise` of repeated runs (`load_noise`), and from outside the five sources (`data/reference`)
    `specimens` of one model (`load_specimens`) and what `classes` promise (`load_classes`).
    """

    measurements: pd.DataFrame
    media: pd.DataFrame
    hosts: pd.DataFrame
    noise: pd.DataFrame
    specimens: pd.DataFrame
    classes: pd.DataFrame


def load_data(
    data: Path | str = DATA,
    *,
    measurements: pd.DataFrame | None = None,
    companions: bool = False,
    tables: Iterable[Path | str] = (),
) -> Data:
    """Return all that analyses need: the table, media, hosts, and the yardsticks.

    With `measurements` of that table, instead of the one that is saved below `data`. `companions`
    adds the figures, cards and hosts of the companions. `tables` adds those of your own sources:
    measurements.csv of `sdanalysis build --raw`, beside its media.toml. A folder that lacks some of
    it is an SdAnalysisError, which names all that is missing.

    Examples
    --------
    >>> import sdanalysis
    >>> data = sdanalysis.load_data()
    >>> len(data.measurements), len(data.media), len(data.hosts)
    (635, 73, 17)
    >>> more = sdanalysis.load_data(companions=True)
    >>> len(more.measurements), len(more.media), len(more.hosts)
    (2042, 85, 18)
    """
    needed = (*_CATALOGUE, *_REFERENCE, *([_PROCESSED] if measurements is None else []))
    data = check_data(data, *needed)
    paths = [Path(table) for table in tables]
    catalogue = _catalogue(data, companions, *(table.parent for table in paths))
    if measurements is None:
        measurements = load(data / _PROCESSED, companions=companions)
    for path in paths:
        table = load(path)
        catalogue.check_table(path, table["specimen"].dropna(), table["host"].dropna())
        try:
            measurements = schema.conform(pd.concat([measurements, table], ignore_index=True))
        except SchemaError as error:
            raise SchemaError(f"{path}: beside the other tables: {error}") from error
    media = _media_frame(catalogue)
    return Data(
        measurements=measurements,
        media=media,
        hosts=_hosts_frame(catalogue),
        noise=load_noise(data, measurements=measurements, media=media),
        specimens=load_specimens(data),
        classes=load_classes(data),
    )
