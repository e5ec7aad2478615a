"""What a mark of a figure says to whoever points at it: its title, and where it leads.

It is kept in the artist's gid, which matplotlib writes into an SVG and into no other format;
`svg.as_svg` moves it from there to the marks, and `sentences` lists it for who sees no figure.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
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

    Examples
    --------
    >>> from matplotlib.lines import Line2D
    >>> line = describe(Line2D([1, 2], [3, 4], marker="o"), ["one", "two"], ["#a", None])
    >>> said(line.get_gid())["links"]
    ['#a', None]
    """
    drawn = _drawn(artist)
    said = {"titles": list(titles)} | ({} if links is None else {"links": list(links)})
    if len(drawn) == len(said["titles"]):
        said = {
            name: [w for w, seen in zip(words, drawn, strict=True) if seen]
            for name, words in said.items()
        }
    return _with(artist, **said)


def as_drawn(artist: AnyArtist) -> AnyArtist:
    """Let an artist keep its colours on a dark page: they stand for values, or stand on such."""
    return _with(artist, kept=True)


def said(gid: str | None) -> dict[str, Any]:
    """Return what `describe` and `as_drawn` left in a gid; nothing where it is not theirs."""
    return json.loads(gid) if gid and gid.startswith("{") else {}


def sentences(ax: Axes) -> Iterator[str]:
    r"""Yield what the marks of an axes say, a line a mark, in the order of rows from the top.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> dots = describe(ax.scatter([1, 2], [1, 0]), ["A 8 GB\n2 MB/s", "B 8 GB\n1 MB/s"])
    >>> limits = ax.set_ylim(2, -1)
    >>> list(sentences(ax))
    ['B 8 GB, 1 MB/s', 'A 8 GB, 2 MB/s']
    """
    found: list[tuple[float, str]] = []
    for artist in ax.get_children():
        words = said(artist.get_gid()).get("titles", [])
        heights = [0.0] * len(words)
        if isinstance(artist, PathCollection) and ax.yaxis_inverted():
            points = np.ma.filled(np.ma.asarray(artist.get_offsets(), float), np.nan)
            drawn = points[np.isfinite(points).all(axis=1)]
            heights = drawn[:, 1].tolist() if len(drawn) == len(words) else heights
        found.extend(zip(heights, words, strict=True))
    for _, words in sorted(found, key=lambda pair: pair[0]):
        if not words.endswith("no figure"):  # an empty cell
            yield ", ".join(words.splitlines())


def number(value: float) -> str:
    """Return a value in three digits, and no power of ten.

    Examples
    --------
    >>> number(0.12345), number(43.21), number(12345.6)
    ('0.123', '43.2', '12,346')
    """
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _drawn(artist: Artist) -> list[bool]:
    """Tell which points of an artist are drawn: one that is missing leaves no mark."""
    if isinstance(artist, PathCollection):
        points = artist.get_offsets()
    elif isinstance(artist, Line2D):
        points = artist.get_xydata()
    else:
        return []
    return np.isfinite(np.ma.filled(np.ma.asarray(points, float), np.nan)).all(axis=1).tolist()


def _with(artist: AnyArtist, **more: Any) -> AnyArtist:
    artist.set_gid(json.dumps(said(artist.get_gid()) | more))
    return artist


def titles(rows: pd.DataFrame, values: Iterable[str], skip: Sequence[str] = ()) -> list[str]:
    """Return for each row: the card, the value, where, by whom, and the line it was printed on.

    What the frame does not have is left out, and so are the columns of `skip`, which mean
    something else there.

    Examples
    --------
    >>> rows = pd.DataFrame({"card": ["A 8 GB"], "host": "pi-4b", "ids": [("a/b.txt:2:1",)]})
    >>> print(*titles(rows, ["1.2 MB/s"]))
    A 8 GB
    1.2 MB/s
    pi-4b
    a/b.txt:2
    """
    words = [_first(rows, names, skip) for names in (_CARD, ("test",), _PLACE, _PERSON)]
    lines = zip(*words, _lines(rows), values, strict=True)
    return [
        "\n".join(dict.fromkeys(filter(None, (card, value, test, place, person, line))))
        for card, test, place, person, line, value in lines
    ]


def _first(rows: pd.DataFrame, names: Sequence[str], skip: Sequence[str]) -> list[str]:
    """Return the first word that each row has in one of the columns; a number is no name."""
    here = [name for name in names if name in rows and name not in skip]
    here = [name for name in here if not pd.api.types.is_numeric_dtype(rows[name])]
    columns = [map(_NAMES.get(name, str), map(_word, rows[name])) for name in here]
    return [next(filter(None, row), "") for row in zip(*columns, strict=True)] or [""] * len(rows)


def _lines(rows: pd.DataFrame) -> list[str]:
    """Return `file:line` of what each row was computed from: the first few, and how many more."""
    known = [name for name in ("ids", "read_id", "write_id") if name in rows]
    found = [
        list(chain(*map(_printed, ids))) for ids in zip(*(rows[n] for n in known), strict=True)
    ]
    if {"file", "line"} <= set(rows):
        found = [[f"{file}:{line}"] for file, line in zip(rows["file"], rows["line"], strict=True)]
    return [_few(list(dict.fromkeys(places))) for places in found or [[]] * len(rows)]


def _printed(ids: Any) -> Iterable[str]:
    """Return `file:line` of the ids that name a printed figure: `file:line:number`."""
    known = ids if isinstance(ids, tuple | list) else (ids,)
    return (str(one).rpartition(":")[0] for one in known if ":" in str(one))


def _few(words: Sequence[str]) -> str:
    more = len(words) - _FILES
    return "\n".join([*words[:_FILES], *([f"and {more} more"] if more > 0 else [])])


def _word(cell: object) -> str:
    """Return a cell's words on one line; none of one that is missing."""
    missing = cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell))
    return "" if missing else " ".join(str(cell).split())
