"""The short frames: what is in them, and what is not."""

import pandas as pd
import pytest

import sdanalysis
from sdanalysis import load, stats

TABLE = load(companions=True)


def test_a_card_has_one_row_a_board_and_test():
    rows = sdanalysis.headline(load()).query("host == 'pi-4b' and op == 'randwrite'")
    rows = rows[rows["test"] == "random write, 4 KiB, iozone"]
    assert len(rows) == rows["specimen"].nunique() == 24


@pytest.mark.parametrize("op", stats.MAIN_TESTS)
def test_the_headline_has_the_figures_of_the_model(op):
    figures = stats.model_figures(TABLE, op)
    rows = sdanalysis.headline(TABLE).set_index("ids")
    shared = rows.loc[figures["ids"]]
    assert shared["MB/s"].to_numpy() == pytest.approx(figures["value"].to_numpy() / 1e6)
    assert shared["runs"].tolist() == figures["runs"].tolist()


def test_doubted_figures_are_in_the_headline_on_request():
    few, many = (sdanalysis.headline(TABLE, with_doubted=choice) for choice in (False, True))
    told = TABLE.set_index("id")["remarks"].fillna("")
    added = many[~many["ids"].isin(few["ids"])]
    assert len(added)
    assert all("suspicious" in "".join(told[list(ids)]) for ids in added["ids"])


def test_the_brief_table_has_every_row_in_words_and_units():
    rows = sdanalysis.brief(TABLE)
    assert list(rows.index) == list(TABLE.index)
    assert rows["card"].notna().all() and rows["board"].notna().all()
    bandwidth = TABLE["metric"] == "bandwidth"
    pd.testing.assert_series_equal(
        rows["MB/s"][bandwidth], TABLE["value"][bandwidth] / 1e6, check_names=False
    )
    assert rows["MB/s"][~bandwidth].isna().all() and rows["IOPS"][bandwidth].isna().all()


def test_a_log_has_no_card_but_a_line(tmp_path):
    log = tmp_path / "card.log"
    log.write_text(
        "$ hdparm -t /dev/mmcblk0\n"
        " Timing buffered disk reads: 68 MB in 3.01 seconds =  22.59 MB/sec\n"
    )
    [row] = sdanalysis.brief(sdanalysis.parse(log)).itertuples(index=False)
    assert pd.isna(row.card) and row.at == f"{log}:2"
    assert row.test == "sequential read, hdparm"
