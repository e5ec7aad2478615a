"""The table as its sources published it, beside the table with the declared corrections."""

from __future__ import annotations

import pandas as pd

from sdanalysis.stats.same_test import columns

_TEST = columns("op", "block_size")  # what corrections change
_SHOWN = ["id", *columns("name", "place"), "raw"]


def moved_figures(published: pd.DataFrame, measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the figures that a correction moved to another test.

    Returns
    -------
    DataFrame
        `id`, `label`, `host`, `reader`, `raw`, `op_published`, `block_size_published` (B), `op`,
        `block_size` (B).

    Examples
    --------
    >>> from sdanalysis import dataset, stats
    >>> moved = stats.moved_figures(dataset.build(as_published=True), dataset.load())
    >>> moved[["raw", "op_published", "op"]].head(2)
        raw op_published         op
    0  6.41         read   randread
    1  2.27        write  randwrite
    """
    both = measurements[[*_SHOWN, *_TEST]].merge(
        published[["id", *_TEST]], on="id", suffixes=("", "_published"), validate="one_to_one"
    )
    moved = both[both["op"] != both["op_published"]]
    return moved[[*_SHOWN, "op_published", "block_size_published", *_TEST]].reset_index(drop=True)


def namesakes(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of specimens that may be one: same laboratory and name, other places.

    A reader of the tables would take them for one card, and may be wrong. Where two specimens
    of a name were in the same reader, they are two, and are left out.

    Parameters
    ----------
    measurements : DataFrame
        The tidy table, or the table as published.
    media : DataFrame
        The catalogue: that of `sdanalysis.load_data()`; the name is maker, product, capacity.

    Returns
    -------
    DataFrame
        Rows of `measurements`, `specimen` and `medium` replaced by the name.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> data = sdanalysis.load_data()
    >>> sorted(set(stats.namesakes(data.measurements, data.media)["specimen"]))
    ['kulesz/Samsung Evo 32 GB']
    """
    size = (media["capacity"] / 1e9).map("{:g} GB".format)
    names = media.assign(name=media["maker"] + " " + media["product"] + " " + size)
    named = measurements.merge(
        names.loc[names["product"] != "unknown", ["specimen", "name"]],
        on="specimen",
        how="inner",
        validate="many_to_one",
    )
    key = ["measured_by", "name"]
    here = named.groupby([*key, *columns("place")])["specimen"].nunique().groupby(key).max()
    cards = named.groupby(key)["specimen"].nunique()
    possible = cards.index[(cards > 1) & (here == 1)]
    rows = named[pd.MultiIndex.from_frame(named[key]).isin(possible)]
    renamed = rows.assign(specimen=rows["measured_by"] + "/" + rows["name"], medium=rows["name"])
    return renamed.drop(columns="name").reset_index(drop=True)
