"""What a mark of a figure says to whoever points at it: its title, and where it leads.

It stands in the artist's gid, which matplotlib writes into SVGs only. `svg.as_svg` moves it from
there to the marks; `sentences` lists it for readers who see no figure.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D

from sdanalysis.codebook.people import people_name

AnyArtist = TypeVar("AnyArtist", bound=Artist)

_CARD = ("name", "cards", "card", "row", "specimen")  # the first that a row has, and so on
_PLACE = ("computer", "place", "host")
_PERSON = ("people", "owner", "who", "measured_by")
_FILES = 3  # that a title names
_NAMES: dict[str, Callable[[str], str]] = {  # what an id is called
    "measured_by": people_name,
    "specimen": lambda specimen: specimen.rpartition("/")[2],
}


def describe(
    artist: AnyArtist, titles: Iterable[str], links: Iterable[str | None] | None = None
) -> AnyArtist:
    """Give each mark of an artist its title, in the order of its points, and a link if there is.

    A point that is missing leaves no mark.
    """
    words = {"titles": list(titles)} | ({} if links is None else {"links": list(links)})
    finite = np.isfinite(_places(artist)).all(axis=1)
    if len(finite) == len(words["titles"]):
        words = {name: list(compress(texts, finite)) for name, texts in words.items()}
    return _add(artist, **words)


def _places(artist: Artist) -> np.ndarray:
    """Return the points of an artist that has some: an array of x and y."""
    if isinstance(artist, PathCollection):
        points = artist.get_offsets()
    else:
        points = artist.get_xydata() if isinstance(artist, Line2D) else np.empty((0, 2))
    return np.ma.filled(np.ma.asarray(points, float), np.nan)


def fix_colours(artist: AnyArtist) -> AnyArtist:
    """Let an artist keep its colours on a dark page: they stand for values, or stand on such."""
    return _add(artist, fixed=True)


def parse_gid(gid: str | None) -> dict[str, Any]:
    """Return what `describe` and `fix_colours` left in a gid; nothing where it is not theirs."""
    return json.loads(gid) if gid and gid.startswith("{") else {}


def sentences(ax: Axes) -> Iterator[str]:
    """Yield what the marks of an axes say, a line a mark, in the order of rows from the top."""
    lines: list[tuple[float, str]] = []
    for artist in ax.get_children():
        words = parse_gid(artist.get_gid()).get("titles", [])
        heights = np.zeros(len(words))
        if isinstance(artist, PathCollection) and ax.yaxis_inverted():
            points = _places(artist)
            marks = points[np.isfinite(points).all(axis=1), 1]
            heights = marks if len(marks) == len(words) else heights
        lines.extend(zip(heights, words, strict=True))
    for _, words in sorted(lines, key=lambda pair: pair[0]):
        if not words.endswith("no figure"):  # an empty cell
            yield ", ".join(words.splitlines())


def number(value: float) -> str:
    """Return a value in three digits, and no power of ten."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _add(artist: AnyArtist, **more: Any) -> AnyArtist:
    artist.set_gid(json.dumps(parse_gid(artist.get_gid()) | more))
    return artist


def titles(rows: pd.DataFrame, values: Iterable[str]) -> list[str]:
    """Return for each row: the card, the value, where, by whom, and the line it was printed on.

    What the frame does not have is left out.
    """
    words = [_first(rows, names) for names in (_CARD, ("test",), _PLACE, _PERSON)]
    lines = zip(*words, _lines(rows), values, strict=True)
    return [
        "\n".join(dict.fromkeys(filter(None, (card, value, test, place, person, line))))
        for card, test, place, person, line, value in lines
    ]


def _first(rows: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the first word that each row has in one of the columns; a number is no name."""
    known = [name for name in names if name in rows]
    known = [name for name in known if not pd.api.types.is_numeric_dtype(rows[name])]
    columns = [map(_NAMES.get(name, str), map(_word, rows[name])) for name in known]
    return [next(filter(None, row), "") for row in zip(*columns, strict=True)] or [""] * len(rows)


def _lines(rows: pd.DataFrame) -> Iterator[str]:
    """Yield `file:line` of what each row was computed from: the first few, and how many more."""
    known = [name for name in ("ids", "read_id", "write_id") if name in rows]
    for row in rows.to_dict("records"):
        cells = (row[name] for name in known)
        ids = chain(*(cell if isinstance(cell, tuple | list) else (cell,) for cell in cells))
        places = [str(id_).rpartition(":")[0] for id_ in ids if ":" in str(id_)]
        places = [f"{row['file']}:{row['line']}"] if {"file", "line"} <= row.keys() else places
        places = list(dict.fromkeys(places))
        more = [f"and {len(places) - _FILES} more"] if len(places) > _FILES else []
        yield "\n".join([*places[:_FILES], *more])


def _word(cell: object) -> str:
    """Return a cell's words on one line; none of one that is missing."""
    missing = cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell))
    return "" if missing else " ".join(str(cell).split())
