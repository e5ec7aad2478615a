"""Frames -> plain cells and words that JSON and text can hold, and tables of a fixed width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def plain(cell: Any) -> Any:
    """Return None for what is missing, and what numpy holds as Python's own."""
    import pandas as pd

    if pd.isna(cell):
        return None
    return cell.item() if hasattr(cell, "item") else cell


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame by the names of their columns, in plain cells."""
    return [
        {str(name): plain(cell) for name, cell in row.items()} for row in frame.to_dict("records")
    ]


def text_table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], *, numbers_right: bool = False
) -> Iterator[str]:
    """Yield the lines of a table; columns of numbers alone may stand to the right."""
    columns = list(zip(headers, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [
        numbers_right and all(cell[:1] in "0123456789<>~-" for cell in column[1:])
        for column in columns
    ]
    for row in (headers, *rows):
        cells = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        ]
        yield "  ".join(cells).rstrip()


def ratio_words(frame: pd.DataFrame) -> str:
    """Return what the ratios of a frame divide: from its columns, or from what made it.

    `base` and `other` hold the words of the two sides, where they are the same in all rows.

    Examples
    --------
    >>> import pandas as pd
    >>> ratio_words(pd.DataFrame({"base": ["pi-3b"], "other": ["pi-4b"], "ratio": [2.0]}))
    'pi-4b / pi-3b'
    >>> ratio_words(pd.DataFrame({"read": [2.0], "write": [1.0], "ratio": [2.0]}))
    'read / write'
    """
    if "base" in frame and "other" in frame:
        other, base = (frame[name].unique() for name in ("other", "base"))
        return f"{other[0]} / {base[0]}" if len(other) == len(base) == 1 else "other / base"
    for upper, lower in (("read", "write"), ("new", "base")):
        if upper in frame and lower in frame:
            return f"{upper} / {lower}"
    return str(frame.attrs.get("ratio", "ratio"))
