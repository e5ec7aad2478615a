"""A table of typed columns -> CSV, the bytes of `DataFrame.to_csv` in less than half its time.

A time line has millions of rows. A category is spelled once, and no row becomes objects.
"""

import csv
import io

import pandas as pd


def as_csv(part: pd.DataFrame) -> str:
    r"""Return rows as CSV without a head.

    Examples
    --------
    >>> rows = pd.DataFrame({"op": ["read", "a,b"], "time": [0.5, None]})
    >>> as_csv(rows.astype({"op": "category"}))
    'read,0.5\n"a,b",\n'
    """
    columns = [_texts(part[name]) for name in part]
    return "".join([f"{','.join(cells)}\n" for cells in zip(*columns, strict=True)])


def _texts(cells: pd.Series) -> list[str]:
    """Return the cells of a column as CSV has them; a missing one is empty."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        words = [*(_quoted(str(word)) for word in cells.cat.categories), ""]
        return [words[code] for code in cells.cat.codes.tolist()]
    missing = cells.isna().tolist()
    if all(missing):
        return [""] * len(cells)
    if isinstance(cells.dtype, pd.Int64Dtype):
        texts = map(str, cells.to_numpy("int64", na_value=0).tolist())
    elif cells.dtype == "float64":
        texts = map(repr, cells.tolist())
    else:
        texts = map(_quoted, map(str, cells.tolist()))
    return ["" if absent else text for text, absent in zip(texts, missing, strict=True)]


def _quoted(text: str) -> str:
    """Return a text as the writer of CSV has it."""
    if text.isalnum():
        return text
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([text, ""])
    return line.getvalue().removesuffix(",\n")
