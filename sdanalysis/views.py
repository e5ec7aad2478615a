"""Short frames of the table, in the words of a card owner: a card, a board, a test, MB/s."""

import pandas as pd

from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.codebook.people import people_name
from sdanalysis.dataset import load_hosts, load_media
from sdanalysis.stats.names import specimen_names
from sdanalysis.stats.reasons import doubted, usable
from sdanalysis.stats.same_test import average_repeats, columns, with_test


def headline(measurements: pd.DataFrame, *, with_doubted: bool = False) -> pd.DataFrame:
    """Return the results that may be ranked: one row a card, board and test, as bandwidth.

    Restated and derived figures, other metrics, mixed jobs, words in the place of a figure are out;
    those that an audit rule doubts too, unless `with_doubted`. Repeated runs are averaged
    (geometric mean), and `runs` counts them.

    Returns
    -------
    DataFrame
        `card`, `board`, `test`, `MB/s` (10^6 B/s), `runs`, `people` (who measured), and to select
        by: `host`, `op`, `specimen`, `source`, `ids` (of the figures; `sdanalysis explain` takes
        one).

    Examples
    --------
    >>> import sdanalysis
    >>> rows = sdanalysis.headline(sdanalysis.load())
    >>> best = rows.query("host == 'pi-4b' and op == 'randwrite'").nlargest(2, "MB/s")
    >>> best[["card", "MB/s", "people"]].round(2)
                                 card  MB/s    people
    177  SanDisk Extreme PRO 32 GB A1  4.95    Arthur
    207                  Micro Center  4.89  a reader
    """
    rows = usable(measurements)
    rows = rows[(rows["stat"] == "single") & (with_doubted | ~doubted(rows))]
    figures = average_repeats(rows, columns("laboratory", "card", "place", "quantity", "test"))
    figures["MB/s"], figures["source"] = figures["value"] / 1e6, figures["ids"].str[0]
    figures["source"] = figures["source"].str.partition("/")[0]
    return _in_words(with_test(figures))[
        [
            *("card", "board", "test", "MB/s", "runs", "people"),
            *("host", "op", "specimen", "source", "ids"),
        ]
    ]


def brief(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the ten columns that matter first, of any rows of `load` or `parse`.

    Returns
    -------
    DataFrame
        One row a row, with its index: `card`, `board`, `people` (missing in a log), `test`, `MB/s`
        (10^6 B/s), `IOPS` (1/s), `origin`, `status`, `remarks`, `at` (file and line).

    Examples
    --------
    >>> import sdanalysis
    >>> sdanalysis.brief(sdanalysis.load())[["card", "test", "MB/s"]].tail(1)
                      card                               test      MB/s
    634  Samsung Evo 64 GB  sequential write, 4 KiB, unstated  1.983693
    """
    missing = {name: column.dtype for name, column in COLUMNS.items() if name not in rows}
    rows = with_test(rows.reindex(columns=[*rows, *missing]).astype(missing))
    words = _in_words(rows)
    for metric, name, unit in (("bandwidth", "MB/s", 1e6), ("iops", "IOPS", 1)):
        words[name] = (rows["value"] / unit).where(rows["metric"] == metric)
    file = (rows["source"] + "/").fillna("") + rows["file"].astype("str")
    words["at"] = file + ":" + rows["line"].astype("str")
    return words[
        ["card", "board", "people", "test", "MB/s", "IOPS", "origin", "status", "remarks", "at"]
    ]


def _in_words(rows: pd.DataFrame) -> pd.DataFrame:
    """Add `card`, `board` and `people`, as their owners call them."""
    hosts = load_hosts(companions=True).set_index(["host", "reader"])
    reader = (", " + hosts["reader_name"]).where(hosts.index.get_level_values(1) != "slot", "")
    boards = hosts["host_name"] + reader
    places = pd.MultiIndex.from_frame(rows[["host", "reader"]])
    cards = specimen_names(load_media(companions=True))
    return rows.assign(
        card=rows["specimen"].map(cards),
        board=boards.reindex(places).array,
        people=rows["measured_by"].map(people_name, na_action="ignore"),
    )
