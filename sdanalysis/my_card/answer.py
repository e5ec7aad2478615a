"""What logs held -> where the card stands, in frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from sdanalysis import dataset, reference
from sdanalysis.codebook import schema
from sdanalysis.errors import UsageError
from sdanalysis.logs.read import COLUMNS
from sdanalysis.my_card import standing
from sdanalysis.my_card.gather import Found
from sdanalysis.my_card.not_compared import not_compared


@dataclass(frozen=True, kw_only=True)
class Known:
    """The frames that a card is compared with: a class because they belong together."""

    measurements: pd.DataFrame
    media: pd.DataFrame
    hosts: pd.DataFrame
    noise: pd.DataFrame
    specimens: pd.DataFrame
    classes: pd.DataFrame
    figures: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Where a card stands: a class because the page, the text and the notebook show all of it.

    Frames as the functions of `standing` return them: `figures`, `placed`, `nearest`, `doubts`,
    `same` (specimens of the label's name), `classes` (one row a class) with `class_figures`,
    `candidates` (what the label may mean), `points` (of the figure). `not_compared` has `what`,
    `figures` (their number), `why` and `at` of the first. `limit` is the bus's, in B/s;
    `host_name` host and reader in words.
    """

    found: Found
    host: str | None
    reader: str | None
    label: str | None
    host_name: str | None
    limit: float
    bus: str
    yardstick: tuple[float, str]
    figures: pd.DataFrame
    placed: pd.DataFrame
    not_compared: pd.DataFrame
    nearest: pd.DataFrame
    doubts: pd.DataFrame
    classes: pd.DataFrame
    class_figures: pd.DataFrame
    candidates: pd.DataFrame
    same: pd.DataFrame
    points: pd.DataFrame
    suggested_host: tuple[str, str, str] | None


@cache
def load_known() -> Known:
    """Return the committed table and its companions; read once, changed by nobody."""
    measurements, media = dataset.load(), dataset.load_media()
    return Known(
        measurements=measurements,
        media=media,
        hosts=dataset.load_hosts(),
        noise=reference.noise(),
        specimens=reference.specimens(),
        classes=reference.classes(),
        figures=standing.known_figures(measurements, media),
    )


def answer(
    found: Found, *, host: str | None = None, reader: str | None = None, label: str | None = None
) -> Answer:
    """Return where the card stands whose logs were read; all of them count as runs of one card.

    Parameters
    ----------
    found : Found
        As `gather` returns it.
    host, reader : str
        As in data/hosts.toml; empty or missing: not known. The reader is the slot by default.
    label : str
        What is printed on the card; empty or missing: not known.

    Raises
    ------
    UsageError
        There is no such host or reader, or a reader without a host.
    """
    known = load_known()
    host, reader = place_of(known.hosts, host or None, reader or None)
    where = {"host": host, "reader": reader}
    rows = frame_of(found.rows)
    limit, bus = standing.bus_limit(known.hosts, host, reader)
    figures = standing.card_figures(rows)
    too_fast = standing.above(figures, limit)
    possible = figures[~too_fast]
    placed = standing.place(possible, known.figures, known.noise, **where)
    candidates = standing.match_label(label or "", known.media)
    yardstick = standing.specimen_yardstick(known.specimens)
    classes, class_figures = _classes(rows, found, known, where)
    return Answer(
        found=found,
        **where,
        label=label or None,
        host_name=_name_of(known.hosts, host, reader),
        limit=limit,
        bus=bus,
        yardstick=yardstick,
        figures=figures,
        placed=placed,
        not_compared=not_compared(
            rows, figures[too_fast], possible, placed, known.figures, found.samples
        ),
        nearest=standing.nearest(placed, known.figures, **where),
        doubts=standing.doubts(rows, known.hosts, host, reader),
        classes=classes,
        class_figures=class_figures,
        candidates=candidates,
        same=_same(placed, known, candidates, where, yardstick[0]),
        points=standing.drawn_points(
            placed, known.figures, known.classes, limit=limit if host else None, **where
        ),
        suggested_host=None if host else _suggested(found, known.hosts),
    )


def frame_of(rows: Sequence[dict[str, object]]) -> pd.DataFrame:
    """Return rows of logs as a frame, typed as the tidy table's; absurd sizes are missing."""
    types = {name: schema.COLUMNS[name].dtype for name in COLUMNS}
    whole = [name for name in COLUMNS if types[name] == "Int64"]
    held = [row | {name: _held(row[name]) for name in whole} for row in rows]
    return pd.DataFrame(held, columns=list(COLUMNS)).astype(types)


def _held(number: object) -> object:
    """Return a whole number, or that it is missing where no machine could have such a size."""
    return number if number is None or abs(int(number)) < 2**63 else None


def place_of(
    hosts: pd.DataFrame, host: str | None, reader: str | None
) -> tuple[str | None, str | None]:
    """Return a host and reader of the table: the slot where no reader is given.

    Raises
    ------
    UsageError
        The table has no such pair, or a reader comes without a host.
    """
    if host is None:
        if reader is not None:
            raise UsageError(f"--reader {reader}: found no --host, expected one with it")
        return None, None
    readers = list(hosts.loc[hosts["host"] == host, "reader"])
    if not readers:
        names = ", ".join(sorted(set(hosts["host"])))
        raise UsageError(f"--host {host}: found no such host, expected one of {names}")
    if reader is None:
        if "slot" not in readers and len(readers) > 1:
            raise UsageError(f"--host {host}: found several readers, expected --reader with one "
                             f"of {', '.join(readers)}")  # fmt: skip
        reader = "slot" if "slot" in readers else readers[0]
    if reader not in readers:
        raise UsageError(
            f"--reader {reader}: found no such reader of {host}, "
            f"expected one of {', '.join(readers)}"
        )
    return host, reader


def _name_of(hosts: pd.DataFrame, host: str | None, reader: str | None) -> str | None:
    rows = hosts[(hosts["host"] == host) & (hosts["reader"] == reader)]
    return f"{rows['host_name'].iloc[0]}, {rows['reader_name'].iloc[0]}" if len(rows) else None


def _classes(
    rows: pd.DataFrame, found: Found, known: Known, where: dict[str, str | None]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    claimed = next((fact.value for _, fact in found.facts if fact.name == "classes"), "")
    tables = standing.class_tables(
        rows, known.measurements, known.media, known.hosts, claimed=claimed.split(), **where
    )
    return standing.shown_classes(tables, known.classes, known.noise)


def _same(
    placed: pd.DataFrame,
    known: Known,
    candidates: pd.DataFrame,
    where: dict[str, str | None],
    yardstick: float,
) -> pd.DataFrame:
    """Compare with each medium that the label may mean; of other hosts where it has to be."""
    here = standing.on_host(known.figures, **where) if where["host"] else known.figures.head(0)
    parts = []
    for medium, name in zip(candidates["medium"], candidates["name"], strict=True):
        near = standing.same_name(placed, here, medium, yardstick=yardstick)
        pool = here if len(near) else known.figures
        rows = standing.same_name(placed, pool, medium, yardstick=yardstick)
        parts.append(rows.assign(name=name, same_host=len(near) > 0))
    empty = standing.same_name(placed, here, "", yardstick=yardstick)
    empty = empty.assign(name="", same_host=False)
    return pd.concat(parts, ignore_index=True) if parts else empty


def _suggested(found: Found, hosts: pd.DataFrame) -> tuple[str, str, str] | None:
    """Return a host that a log names, its words and where; `Plus` is another host."""
    names = dict(zip(hosts["host_name"], hosts["host"], strict=True))
    matches = [
        (names[board.partition(" Rev ")[0].strip()], board, at)
        for at, board in found.boards
        if board.partition(" Rev ")[0].strip() in names
    ]
    return matches[0] if matches else None
