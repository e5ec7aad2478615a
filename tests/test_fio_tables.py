"""fio's percentiles, bins and samples as tables: the same rows of every format, no silence.

A table stands beside its log as NAME.percentiles.csv, NAME.bins.csv or NAME.samples.csv.
"""

import doctest
import gzip
import io
import json
import os
import re
import warnings
from pathlib import Path
from shlex import split

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from pairs import CORPUS, differences

import sdanalysis
from sdanalysis.cli import main
from sdanalysis.cli.write import write_text
from sdanalysis.codebook.tables import TABLES
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.tables import READERS, LogTable, cells, read_tables

ROOT = Path(__file__).resolve().parent.parent
FIO = CORPUS / "fio"
EXAMPLES = ROOT / "data" / "examples" / "over-time"
PAGE = (ROOT / "docs" / "time-and-percentiles.md").read_text(encoding="utf-8")
SAMPLE = "500, 21, 0, 4096\n750, 22, 1, 0\n"
BESIDE = sorted(path for what in TABLES for path in FIO.glob(f"*.{what}.csv"))


def read(what, path):
    """Return a table and the problems as (line, kind, text)."""
    frame, problems = read_tables(what, [str(path)])
    return frame, [(problem.line, problem.kind, problem.text) for _, problem in problems]


def side_log(folder, name, text):
    path = folder / name
    path.write_bytes(text.encode())
    return path


# --- pairs ---------------------------------------------------------------------------------------


def test_there_are_tables_of_each_kind():
    assert {path.suffixes[-2].removeprefix(".") for path in BESIDE} == {*TABLES}


@pytest.mark.parametrize("beside", BESIDE, ids=lambda path: path.name)
def test_a_table_is_what_stands_beside_its_log(beside):
    stem, what = beside.name.removesuffix(".csv").rsplit(".", 1)
    frame = sdanalysis_parse(FIO / f"{stem}.log", what)
    found = frame.drop(columns="file").to_csv(index=False, float_format="%.14g")
    if found != (expected := beside.read_text(encoding="utf-8")):
        pytest.fail(differences(expected, found, beside.name), pytrace=False)


def sdanalysis_parse(path, what):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sdanalysis.parse(path, what)


# --- percentiles ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def percentiles():
    """The percentiles of every log of fio whose lines hold one figure each."""
    return read_tables("percentiles", map(str, sorted(FIO.glob("[!r]*-*.log"))))[0]


def test_a_percentile_is_the_number_that_stands_on_its_line(percentiles):
    texts = {file: Path(file).read_text("utf-8-sig") for file in percentiles["file"].unique()}
    lines = {file: text.split("\n") for file, text in texts.items()}
    assert len(percentiles) > 3000 and len(lines) > 50
    scales = {"ns": 1e-9, "nsec": 1e-9, "us": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3}
    for row in percentiles.itertuples():
        line = lines[row.file][row.line - 1]
        assert re.search(rf"{row.percentile:.2f}.*?\b{row.raw}\b", line), (row.file, row.line)
        assert row.latency == pytest.approx(int(row.raw) * scales[row.raw_unit])


def test_three_views_of_one_run_give_its_percentiles_once_and_the_others_a_note():
    frame, problems = read("percentiles", FIO / "normal-json-terse-together--3.33.log")
    assert len(frame) == 34
    assert frame["raw_unit"].unique().tolist() == ["ns"]
    assert (
        sum("percentiles of a report whose figures are not" in text for *_, text in problems) == 4
    )


@pytest.mark.parametrize("name", ["jobfile--3.42", "json-plus--3.33", "shares-terse--3.33"])
def test_a_cut_report_gives_a_part_of_its_percentiles_or_a_word(tmp_path, name):
    content = (FIO / f"{name}.log").read_bytes()
    key = ["line", "op", "percentile", "raw"]
    path = tmp_path / "cut.log"
    path.write_bytes(content)
    whole = set(map(tuple, read("percentiles", path)[0][key].astype(str).to_numpy()))
    for end in range(0, len(content), max(1, len(content) // 20)):
        path.write_bytes(content[:end])
        frame, problems = read("percentiles", path)
        rows = set(map(tuple, frame[key].astype(str).to_numpy()))
        lost = [row for row in rows - whole if "<NA>" not in row]
        # a number that is cut is another only on the last line, which is then said
        assert not lost or {row[0] for row in lost} == {str(content[:end].count(b"\n") + 1)}
        assert len(frame) == len(whole) or problems or name.startswith("jobfile")


# --- bins ----------------------------------------------------------------------------------------


def test_bins_of_several_documents_and_text_around_them_are_read(tmp_path):
    text = (FIO / "json-plus--3.33.log").read_text()
    path = tmp_path / "two.log"
    later = re.sub(r'"(timestamp\w*)" : \d', r'"\1" : 2', text)  # the same text twice counts once
    path.write_text(f"$ fio job.fio\n{text}\ndone\n{later}")
    once, twice = read("bins", FIO / "json-plus--3.33.log")[0], read("bins", path)[0]
    assert len(twice) == 2 * len(once)
    assert twice["count"].sum() == 2 * once["count"].sum()
    assert twice["line"].iloc[0] == once["line"].iloc[0] + 1


def test_numbered_bins_of_old_versions_have_the_middle_of_their_bin(tmp_path):
    path = tmp_path / "numbered.json"  # 2.2.12 to 2.19: bins of one us, from 2 x 64 on wider ones
    numbered = dict.fromkeys(range(1216), 0) | {5: 7, 127: 1, 128: 2, 191: 3, 192: 4, 1215: 6}
    constants = {"FIO_IO_U_PLAT_BITS": 6, "FIO_IO_U_PLAT_VAL": 64, "FIO_IO_U_PLAT_NR": 1216}
    bins = json.dumps(constants | numbered)
    text = (FIO / "json-randrw--2.16.log").read_text()
    path.write_text(text.replace('"clat" : {', f'"clat" : {{ "bins" : {bins},', 1))
    frame, problems = read("bins", path)
    assert not problems
    assert frame["count"].tolist() == [7, 1, 2, 3, 4, 6]
    middles = [5, 127, 2 * 64.5, 2 * 127.5, 4 * 64.5, 2**17 * 127.5]
    assert (frame["latency"] * 1e6).tolist() == pytest.approx(middles)


def test_what_no_device_reaches_and_no_number_is_an_error_at_its_line(tmp_path):
    text = (FIO / "json-plus--3.33.log").read_text()
    path = tmp_path / "odd.json"
    path.write_text(re.sub(r'("99\.000000" : )\d+', r"\g<1>9999999999999999", text))
    _, problems = read("percentiles", path)
    assert all(
        "for a percentile, expected what a device reaches" in words for *_, words in problems
    )
    assert problems
    path.write_text(re.sub(r'("bins" : \{\s*"\d+" : )\d+', r'\g<1>"x"', text))
    _, problems = read("bins", path)
    assert problems and all("found bins that are no numbers" in words for *_, words in problems)


def test_a_cut_json_plus_gives_an_error_and_no_bins_of_the_cut_job(tmp_path):
    content = (FIO / "json-plus--3.33.log").read_bytes()
    path = tmp_path / "cut.json"
    path.write_bytes(content[: len(content) * 2 // 3])
    frame, problems = read("bins", path)
    assert frame.empty
    assert any(kind == "error" for _, kind, _ in problems)


# --- samples -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "unit"),
    [
        ("c_lat.1.log", "1, 20, 0, 4096\n2, 30, 0, 4096\n", None),
        ("c_clat.1.log", "1, 20, 0, 4096, 1\n2, 30, 0, 4096, 0\n", None),
        ("c_lat.1.log", "1, 20, 0, 4096, 0x0000\n2, 30, 0, 4096, 0x0000\n", "ns"),
        ("c_slat.1.log", "1, 20, 0, 4096, 8192, 0\n2, 30, 0, 4096, 0, 0\n", "ns"),
    ],
)
def test_the_unit_of_a_latency_is_never_guessed(tmp_path, name, text, unit):
    frame, problems = read("samples", side_log(tmp_path, name, text))
    assert frame["raw"].tolist() == [20, 30]
    if unit:
        assert frame["value"].tolist() == pytest.approx([2e-8, 3e-8])
    else:
        assert frame["value"].isna().all()
        assert any("microseconds before fio 3" in text for *_, text in problems)


def test_a_fifth_column_is_an_offset_only_where_its_numbers_show_it(tmp_path):
    frame, problems = read("samples", side_log(tmp_path, "c_bw.log", "1, 2, 0, 4096, 0\n" * 2))
    assert frame["offset"].isna().all()
    assert problems == []
    frame, problems = read("samples", side_log(tmp_path, "c_bw.log", "1, 2, 0, 4096, 1\n" * 2))
    assert frame["offset"].isna().all()
    assert "the fifth column" in problems[0][2]
    frame, _ = read("samples", side_log(tmp_path, "c_bw.log", "1, 2, 0, 4096, 8192\n" * 2))
    assert frame["offset"].tolist() == [8192, 8192]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_cut_last_line_is_left_out_and_said(tmp_path, pack):
    path = tmp_path / ("c_bw.1.log.gz" if pack is gzip.compress else "c_bw.1.log")
    path.write_bytes(pack(f"{SAMPLE}900, 2".encode()))
    frame, problems = read("samples", path)
    assert (len(frame), frame["job"].iloc[0]) == (2, 1)
    assert problems == [(3, "note", "found '900, 2', expected a whole line: cut, left out")]


@pytest.mark.parametrize(
    ("name", "text", "kind", "said"),
    [
        ("c_bw.1.log", "", "note", "found an empty side log"),
        ("c.log", SAMPLE, "note", "is in its file name only"),
        ("c_bw.1.log", "hello\n", "error", "found no side log of fio"),
        ("c_bw.1.log", "1, 2, 3, 4096\n", "error", "found '1, 2, 3, 4096', expected a"),
        ("c_bw.1.log", "1, 2, 0\n", "error", "found '1, 2, 0', expected a sample of 4"),
        ("c_bw.1.log", "1, 2, 0, 4, 5, 6\n7, 8, 0, 4, 5, \n", "error", "found '7, 8, 0, 4, 5, '"),
        ("c_bw.1.log", f"{SAMPLE}8, -9, 0, 0\n", "error", "found '8, -9, 0, 0', expected a"),
        ("c_bw.1.log", f"{SAMPLE}7, 8\n", "error", "found '7, 8', expected a sample of 4"),
        ("c.txt", "hello\n", "error", "found no side log of fio"),
        ("hdparm.log", " Timing cached reads: 2 MB in 1.00 seconds = 2.00 MB/sec\n", "note", "no"),
    ],
)
def test_a_file_without_samples_is_said(tmp_path, name, text, kind, said):
    frame, problems = read("samples", side_log(tmp_path, name, text))
    assert frame.empty
    assert problems[0][1] == kind
    assert said in problems[0][2]


# --- the doors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("what", READERS)
def test_a_file_that_cannot_be_read_is_an_error_with_its_columns(tmp_path, what):
    (tmp_path / "c_bw.1.log").write_bytes(b"\x1f\x8bdamaged")
    for path in (tmp_path / "c_bw.1.log", tmp_path / "none_bw.log"):
        frame, problems = read(what, path)
        assert list(frame) == list(TABLES[what])
        assert frame.empty
        assert [kind for _, kind, _ in problems] == ["error"]


def test_several_logs_become_one_table_of_the_same_types():
    for what in READERS:
        table, _ = read_tables(what, map(str, sorted(EXAMPLES.iterdir())))
        assert {name: str(dtype) for name, dtype in table.dtypes.items()} == {
            name: column.dtype for name, column in TABLES[what].items()
        }
        assert table["file"].nunique() == 2


def test_the_python_call_refuses_another_table_and_warns_of_what_it_could_not_read(tmp_path):
    with pytest.raises(SdAnalysisError, match="'means', expected one of measurements, percentiles"):
        sdanalysis.parse(EXAMPLES, what="means")
    side_log(tmp_path, "c_bw.1.log", "hello\n")
    with pytest.warns(UserWarning, match="1 logs were not wholly read"):
        assert sdanalysis.parse(tmp_path, what="samples").empty


@pytest.mark.parametrize("what", READERS)
def test_csv_and_json_hold_the_table(tmp_path, what, capsys):
    log = EXAMPLES / ("cache-ends_bw.1.log" if what == "samples" else "cache-ends.json")
    table, _ = read(what, log)
    for kind in ("csv", "json"):
        assert main(["parse", "--what", what, str(log), "-o", str(tmp_path / f"t.{kind}")]) == 0
    csv = pd.read_csv(tmp_path / "t.csv")
    lines = (tmp_path / "t.json").read_text(encoding="utf-8").splitlines()
    assert list(csv) == list(json.loads(lines[0])) == list(TABLES[what])
    assert len(csv) == len(lines) == len(table)
    assert json.loads(lines[-1])["line"] == csv["line"].iloc[-1] == table["line"].iloc[-1]
    assert f"t.csv: {len(table)} rows" in capsys.readouterr().err


def test_strictly_nothing_is_printed_where_something_was_not_read(tmp_path, capsys):
    good = side_log(tmp_path, "a_bw.1.log", SAMPLE)
    bad = side_log(tmp_path, "b_bw.1.log", "hello\n")
    assert main(["parse", "--strict", "--what", "samples", str(good), str(bad)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "b_bw.1.log:1: found no side log" in printed.err
    assert main(["parse", "--strict", "--what", "samples", str(good)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


# --- the page ------------------------------------------------------------------------------------


def test_the_commands_of_the_page_print_what_it_shows(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    steps = re.findall(r"^\$ sdanalysis (.+)\n((?:(?!\$ |```).*\n)*)", PAGE, re.M)
    assert len(steps) == 3
    for command, shown in steps:
        arguments = [str(ROOT / word) if "/" in word else word for word in split(command)]
        assert main(arguments) == 0
        printed = capsys.readouterr()
        assert printed.out + printed.err == shown


def test_the_python_of_the_page_prints_what_it_shows(monkeypatch):
    monkeypatch.chdir(ROOT)
    code = re.search(r"```pycon\n(.*?)```", PAGE, re.S)[1]
    test = doctest.DocTestParser().get_doctest(code, {}, "page", None, None)
    said = []
    with pd.option_context("display.width", 240, "display.max_columns", 30):
        doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    plt.close("all")
    assert "".join(said) == ""


@pytest.mark.parametrize("what", TABLES)
def test_the_page_has_each_column_with_its_type_and_meaning(what):
    section = PAGE.partition(f"### {what}\n")[2].partition("\n### ")[0]
    for name, column in TABLES[what].items():
        assert f"| `{name}` | {column.dtype} | {column.meaning}" in section


@pytest.mark.parametrize(
    ("what", "example", "name", "rows"),
    [
        ("samples", "cache-ends_bw.1.log", b"n\xff_bw.1.log", 149),
        ("percentiles", "cache-ends.json", b"n\xff.json", 17),
        ("bins", "cache-ends.json", b"n\xff.json", 557),
    ],
)
def test_a_table_of_a_log_whose_name_is_not_utf_8_is_written(what, example, name, rows, tmp_path):
    log = tmp_path / os.fsdecode(name)
    log.write_bytes((EXAMPLES / example).read_bytes())
    table = tmp_path / "table.csv"
    assert main(["parse", "--what", what, str(log), "-o", str(table)]) == 0
    assert table.read_text().count("n\\udcff") == rows


# --- written -------------------------------------------------------------------------------------


def as_csv(frame):
    """The frame as the command writes it, without its head."""
    text = io.StringIO()
    write_text(text, cells(LogTable("", frame, ())), list(frame), "csv")
    return text.getvalue().split("\n", 1)[1]


@pytest.mark.parametrize("what", TABLES)
def test_a_table_is_written_as_pandas_writes_it(what, percentiles):
    logs = [*EXAMPLES.glob("*.log"), *FIO.glob("json*3.3*.log")]
    of_few = what != "percentiles"
    frame = read_tables(what, sorted(map(str, logs)))[0] if of_few else percentiles
    assert len(frame) > 100
    assert as_csv(frame) == frame.to_csv(header=False, index=False, lineterminator="\n")


def test_texts_and_numbers_of_every_kind_are_written_as_pandas_writes_them():
    words = ["a", "a,b", 'say "x"', "two\nlines", "", " ", "ä b", None, "1,5"]
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(words),
            "text": pd.array(words, dtype="str"),
            "whole": pd.array([0, -1, 2**62, None, 5, 6, 7, 8, 9], dtype="Int64"),
            "number": [0.1, 1e16, 1e-7, None, 5.0, -0.0, 1 / 3, 1e300, float("inf")],
        }
    )
    assert as_csv(frame) == frame.to_csv(header=False, index=False, lineterminator="\n")
    assert as_csv(frame.head(0)) == ""
