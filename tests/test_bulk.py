"""`sdanalysis.parse`: many logs as one table, the rows of `read_log`; fio's long tables."""

import gzip
import warnings
from pathlib import Path

import pandas as pd
import pytest
from corpus_logs import assert_frames_are_alike, frame_of
from iozone_printer import C2, log, row

import sdanalysis
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs import arrays, fio_tables, lean
from sdanalysis.logs.bulk import parse_lean
from sdanalysis.logs.read import read_log, row_of
from sdanalysis.parsers import PARSERS
from sdanalysis.parsers.fio.bulk import rows as bulk_rows

CORPUS = Path(__file__).resolve().parent / "corpus"
LOGS = sorted(CORPUS.glob("*/*/*.log"))
HDPARM = CORPUS / "hdparm" / "valid" / "t--9.65.log"
TESTS = list(range(8))


def expected(*paths):
    """The table of `read_log`'s rows, built in the plain way."""
    found = [item for path in paths for item in read_log(str(path)).measurements]
    return frame_of(map(row_of, found))


def parsed(*paths):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # broken logs of the corpus
        return sdanalysis.parse(paths)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_parse_gives_the_rows_of_read_log(path):
    assert_frames_are_alike(parsed(path), expected(path))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_the_command_reads_the_measurements_and_problems_of_read_log(path):
    assert lean_parts(path) == plain_parts(path)


def lean_parts(path):
    read = lean.read_log(str(path))
    return list(read.measurements()), list(read.log.problems)


def plain_parts(path):
    log = read_log(str(path))
    return [found._replace(file=None) for found in log.measurements], list(log.problems)


def test_the_command_reads_a_long_table_cell_by_cell(tmp_path):
    path = tmp_path / "long.log"
    rows = [row(C2, TESTS, range(9 + n, 22 + n), size=n + 64) for n in range(300)]
    path.write_text(f"{HDPARM.read_text()}{log(C2, TESTS, rows)}{HDPARM.read_text()}")
    assert lean.read_log(str(path)).tables
    assert lean_parts(path) == plain_parts(path)


def test_what_is_damaged_where_no_figure_stands_is_said_and_gives_no_rows(tmp_path):
    path = tmp_path / "card.json"
    text = (CORPUS / "fio" / "valid" / "json-randrw--3.25.log").read_text()
    path.write_text(text.replace('"usr_cpu" : ', '"usr_cpu" : x', 1))
    assert bulk_rows(path.read_bytes()) is None
    assert lean_parts(path) == plain_parts(path)
    assert lean.read_log(str(path)).log.problems
    with pytest.warns(UserWarning, match="found JSON that is cut or damaged here"):
        assert sdanalysis.parse(path).empty


def test_a_json_object_with_a_line_drawn_over_is_read_in_one_way(tmp_path):
    path = tmp_path / "card.json"
    text = (CORPUS / "fio" / "valid" / "json-randrw--3.25.log").read_text()
    path.write_bytes(text.replace('"ctx" : ', '"ctx" : \r', 1).encode())
    assert bulk_rows(path.read_bytes()) is None
    assert lean_parts(path) == plain_parts(path)


def test_all_logs_together_are_one_table_in_the_order_of_the_paths():
    pd.testing.assert_frame_equal(parsed(*LOGS), expected(*LOGS))


def test_a_folder_of_many_small_json_files_is_the_same_as_each_of_them(tmp_path):
    text = (CORPUS / "fio" / "valid" / "json-randrw--3.25.log").read_text(encoding="utf-8")
    for number in range(150):  # each of two directions: more than become columns at once
        (tmp_path / f"{number:03}.json").write_text(text, encoding="utf-8")
    together = sdanalysis.parse(tmp_path)
    each = [sdanalysis.parse(path) for path in sorted(tmp_path.iterdir())]
    pd.testing.assert_frame_equal(together, pd.concat(each, ignore_index=True))
    assert together["file"].nunique() == 150


def test_a_long_table_of_iozone_is_the_same_as_its_rows(tmp_path):
    path = tmp_path / "long.log"
    rows = [row(C2, TESTS, range(9 + n, 22 + n), size=n + 64) for n in range(300)]
    rows[250] = row(C2, TESTS, [0] * 13)  # refused, so there are two tables
    path.write_text(log(C2, TESTS, rows))
    with pytest.warns(UserWarning, match=r"1 logs .*long\.log:256: found 0"):
        found = sdanalysis.parse([path, HDPARM])
    pd.testing.assert_frame_equal(found, expected(path, HDPARM))
    assert len(found) == 299 * 13 + 1


def test_cells_of_a_long_table_are_written_into_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(arrays, "_LONG", 1000)  # the same cell is kept once from here on
    path = tmp_path / "long.log"
    rows = [row(C2, TESTS, range(9 + n, 22 + n), size=n + 64) for n in range(300)]
    path.write_text(log(C2, TESTS, rows))
    found = sdanalysis.parse(path)
    pd.testing.assert_frame_equal(found, expected(path))
    others = {"str": "x", "float64": 1.5, "Int64": 7, "boolean": True}
    for name in found:
        new = others[str(found[name].dtype)]
        kept = expected(path)[name]
        kept[[3, 7]] = new
        found.loc[3, name] = new
        found.iloc[7, found.columns.get_loc(name)] = new
        pd.testing.assert_series_equal(found[name], kept)
    pd.testing.assert_frame_equal(sdanalysis.parse(path), expected(path))


def test_a_size_that_no_machine_has_is_missing_and_no_traceback(tmp_path):
    rows = [row(C2, (0,), [1000, 1001], size=9_999_999_999_999_999)]
    (tmp_path / "card.log").write_text(log(C2, (0,), rows))
    frame = sdanalysis.parse(tmp_path / "card.log")
    assert frame["raw"].tolist() == ["1000", "1001"]
    assert frame["file_size"].isna().all()


def test_a_line_of_a_long_table_that_two_tools_claim_is_nobodys(tmp_path, monkeypatch):
    path = tmp_path / "long.log"
    text = log(C2, TESTS, [row(C2, TESTS, range(9, 22), size=n + 64) for n in range(300)])
    path.write_text(text)
    (table,) = parse_lean(str(path), path.read_bytes()).lean.tables
    twice = table.lines[7].number

    (found,) = read_log(str(HDPARM)).measurements
    claimed = found._replace(line=twice, tool="twin")
    monkeypatch.setitem(PARSERS, "twin", lambda _: [claimed])
    lean = parse_lean(str(path), path.read_bytes()).lean
    assert not lean.tables
    assert lean.log == read_log(str(path))
    assert len(lean.log.measurements) == 299 * 13
    assert twice not in {item.line for item in lean.log.measurements}
    text = "found a line that iozone and twin both claim, expected one tool's"
    assert [problem.text for problem in lean.log.problems if problem.line == twice] == [text]
    with pytest.warns(UserWarning, match=text):
        pd.testing.assert_frame_equal(sdanalysis.parse(path), expected(path))


def test_what_was_not_read_is_one_warning(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("nothing\n")
    with pytest.warns(UserWarning, match=r"2 logs .*a:1: found no benchmark") as warned:
        assert sdanalysis.parse([tmp_path / "a", tmp_path / "b"]).empty
    assert len(warned) == 1
    with pytest.warns(UserWarning, match="found no measurements in any of 2 files"):
        assert sdanalysis.parse(tmp_path).empty


def test_a_path_that_names_nothing_is_refused():
    with pytest.raises(SdAnalysisError, match="found no such file"):
        sdanalysis.parse("nothing.log")


def test_bins_are_a_long_table():
    table = fio_tables.bins(CORPUS / "fio/valid/json-plus--3.33.log")
    assert list(table) == ["series", "latency_ns", "count"]
    assert len(table) > 100
    assert (table["count"] > 0).all()


@pytest.mark.parametrize("cut", [b"", b"1000, 2", b"1000, 25, 0, 4096"])
def test_samples_leave_out_a_last_line_without_its_end(tmp_path, cut):
    path = tmp_path / "card_bw.1.log"
    path.write_bytes(gzip.compress(b"500, 21, 0, 4096\n750, 22, 1, 4096\n" + cut))
    assert fio_tables.samples(path)["value"].tolist() == [21, 22]


@pytest.mark.parametrize(
    "line", ["1, 2, 0", "1, 2, 0, 4096, 0", "1, x, 0, 4096", "1, 2, 3, 4096", "1, -2, 0, 4096"]
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_samples_with_other_columns_are_refused(tmp_path, line, place):
    path = tmp_path / "card_bw.1.log"
    lines = ["500, 21, 0, 4096", "750, 22, 1, 4096"]
    path.write_text("\n".join([*lines[:place], line, *lines[place:], ""]))
    with pytest.raises(SdAnalysisError, match=r"card_bw\.1\.log: found"):
        fio_tables.samples(path)


@pytest.mark.parametrize(
    "short", ["750, 22, 1, 4096, 0", "750, 22, 1, 4096, 0,", "750, 22, 1, 4096"]
)
def test_samples_without_their_last_column_are_refused(tmp_path, short):
    path = tmp_path / "card_bw.1.log"
    whole = "500, 21, 0, 4096, 0, 0x0000"
    path.write_text(f"{whole}\n{short}\n{whole}\n")
    with pytest.raises(SdAnalysisError, match=r"card_bw\.1\.log: found"):
        fio_tables.samples(path)
    path.write_text(f"{whole}\n{whole}\n")
    assert fio_tables.samples(path)["priority"].tolist() == [" 0x0000"] * 2
