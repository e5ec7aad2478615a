"""`parse`, as a command and as a call: the rows of a log as a table, and what was not read."""

import csv
import gzip
import io
import json
import subprocess
import sys
import warnings

import pandas as pd
import pytest
from pairs import COLUMNS, CORPUS, ENDINGS, cells_of, files, found_at

import sdanalysis
from sdanalysis.cli import main
from sdanalysis.codebook.columns import COLUMNS as CODEBOOK
from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs import arrays, many, read
from sdanalysis.paths import expand

HDPARM = CORPUS / "hdparm" / "t--9.65.log"
IOZONE = CORPUS / "iozone" / "full-auto-g4M--3.489.log"
JSON = CORPUS / "fio" / "json-randrw--3.25.log"
LOGS = [path for path in files() if path.suffix in ENDINGS]
CUT = "Timing buffered disk reads: 54 MB in 3.01 seco\n"


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def parsed(*paths):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # broken logs of the corpus
        return sdanalysis.parse(paths)


@pytest.fixture(params=[{}, {read: 1}, {read: 1, many: 1, arrays: 1}], ids=["short", "1", "all"])
def long(request, monkeypatch):
    """How many rows are many: from there on tables stay whole, and a cell is kept once."""
    names = {read: "_FEW", many: "_MANY", arrays: "_LONG"}
    for module, least in request.param.items():
        monkeypatch.setattr(module, names[module], least)


# --- the rows are those of read_log --------------------------------------------------------------


@pytest.mark.usefixtures("long")
def test_the_table_of_all_logs_has_the_rows_of_each_in_the_order_of_the_paths():
    table = parsed(*LOGS)
    logs = [found_at(path) for path in LOGS]
    rows = [
        [str(path), *(getattr(one, name) if name != "remarks" else " ".join(one.remarks) or None
                      for name in COLUMNS)]
        for path, log in zip(LOGS, logs, strict=True)
        for one in log.measurements
    ]  # fmt: skip
    types = {name: CODEBOOK[name].dtype for name in LOG_COLUMNS}
    pd.testing.assert_frame_equal(table, pd.DataFrame(rows, columns=LOG_COLUMNS).astype(types))


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("tool", ["dd", "fio", "iozone", "mixed"])
def test_the_command_prints_the_rows_and_the_words_of_read_log(tool, capsys):
    paths = [path for path in LOGS if path.parent.name == tool and path.stat().st_size < 9000]
    logs = [found_at(path) for path in paths]
    errors = any(one.kind == "error" for log in logs for one in log.problems)
    assert main(["parse", *map(str, paths)]) == int(errors)
    printed = capsys.readouterr()
    found = rows(printed.out)
    expected = [(str(path), one) for path, log in zip(paths, logs, strict=True)
                for one in log.measurements]  # fmt: skip
    assert [row["file"] for row in found] == [path for path, _ in expected]
    for row, (_, one) in zip(found, expected, strict=True):
        numbers = {
            name: float(row[name])
            for name in COLUMNS
            if (name.startswith("value") or name == "read_mix") and row[name]
        }
        texts = {name: f"{number:.14g}" for name, number in numbers.items()}
        assert [(row | texts)[name] for name in COLUMNS] == cells_of(one)
    for path, log in zip(paths, logs, strict=True):
        for one in log.problems:
            assert f"{path}:{one.line}: " in printed.err and one.text[:60] in printed.err


def test_many_files_alike_are_the_same_as_each_of_them(tmp_path, capsys):
    text = JSON.read_text(encoding="utf-8")
    for number in range(150):
        (tmp_path / f"{number:03}.json").write_text(text.replace("4096", "8192", number % 2))
    together = sdanalysis.parse(tmp_path)
    each = [sdanalysis.parse(path) for path in sorted(tmp_path.iterdir())]
    pd.testing.assert_frame_equal(together, pd.concat(each, ignore_index=True))
    assert together["file"].nunique() == 150
    assert main(["parse", str(tmp_path)]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype=dict(together.dtypes))
    pd.testing.assert_frame_equal(printed, together)


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("log", [HDPARM, IOZONE], ids=lambda path: path.stem)
def test_a_frame_is_the_callers_who_may_write_into_it(log):
    found, before = (sdanalysis.parse(log) for _ in range(2))
    others = {"str": "x", "float64": 1.5, "Int64": 7, "boolean": True}
    for name in found:
        found.loc[0, name] = others[str(found[name].dtype)]
    pd.testing.assert_frame_equal(found[1:], before[1:])
    pd.testing.assert_frame_equal(sdanalysis.parse(log), before)


# --- files ---------------------------------------------------------------------------------------


def test_gzip_is_unpacked_and_a_damaged_one_is_named(tmp_path):
    content, path = gzip.compress(HDPARM.read_bytes()), tmp_path / "x.log.gz"
    path.write_bytes(content)
    assert [one.raw for one in found_at(path).measurements] == ["170.75"]
    for end in (5, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:end])
        cut = found_at(path)
        assert not cut.measurements
        assert "damaged gzip" in cut.problems[0].text


@pytest.mark.parametrize(
    ("content", "word"),
    [
        *((b"", "empty file"), (b" \n\n", "empty file"), (bytes(range(32)) * 100, "binary data")),
        (b"Dear Sir,\nhow are you?\n", "found no benchmark in it, expected the output of dd,"),
        (b"x" * 2_000_000, "no benchmark"),
    ],
)
def test_what_is_no_log_is_an_error_and_exit_1(tmp_path, capsys, content, word):
    path = tmp_path / "x.log"
    path.write_bytes(content)
    (problem,) = found_at(path).problems
    assert (problem.kind, problem.line, word in problem.text) == ("error", 1, True)
    assert main(["parse", str(path)]) == 1
    assert word in capsys.readouterr().err


def test_folders_globs_and_files_are_found_once_each(tmp_path):
    (tmp_path / "a").mkdir()
    for name in ("a/1.log", "a/2.txt", "3.log"):
        (tmp_path / name).write_text("x")
    found = expand([str(tmp_path), str(tmp_path / "*.log"), str(tmp_path / "3.log"), "-"])
    assert found == [str(tmp_path / name) for name in ("3.log", "a/1.log", "a/2.txt")] + ["-"]


@pytest.mark.parametrize("name", ["nothing.log", "*.nothing", "empty"])
def test_a_path_that_names_nothing_is_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SdAnalysisError, match="found"):
        sdanalysis.parse(tmp_path / name)


@pytest.mark.parametrize("names", [["."], ["a.log", "gone.log", "[round.log"], ["*.log"]])
def test_a_link_that_leads_nowhere_is_a_note_and_the_other_logs_are_read(
    tmp_path, capsys, monkeypatch, names
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_bytes(HDPARM.read_bytes())
    (tmp_path / "gone.log").symlink_to("nothing")
    (tmp_path / "[round.log").symlink_to("[round.log")
    assert main(["parse", *names]) == 0
    printed = capsys.readouterr()
    assert len(rows(printed.out)) == 1
    assert printed.err.count(":1: note: not read, for it is a link that leads to no file\n") == 2
    assert "gone.log:1" in printed.err and "[round.log:1" in printed.err


BINARY = b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 800


@pytest.mark.parametrize(
    ("line", "code"),
    [
        *((line, 1) for line in ("parse {}", "parse {} a.log", "parse {} a.log --what bins")),
        *((line, 1) for line in ("mine {}", "mine {} a.log", "compare {} a.log")),
        *((line, 0) for line in ("parse f", "mine f", "compare f a.log")),
    ],
)
def test_a_binary_file_is_an_error_where_it_is_named_and_a_note_in_a_folder(
    tmp_path, monkeypatch, capsys, line, code
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").mkdir()
    for name in ("a.log", "f/a.log"):
        (tmp_path / name).write_bytes(HDPARM.read_bytes())
    (tmp_path / "f" / "x.png").write_bytes(BINARY)
    assert main(line.format("f/x.png").split()) == code
    word = "" if code else "note: "
    assert f"f/x.png:1: {word}found binary data, expected the text of a benchmark log" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("cut", range(1, 7))  # the last character, and the line end before it
@pytest.mark.parametrize("order", ["le", "be"])
def test_a_cut_log_in_utf_16_keeps_its_whole_lines(tmp_path, cut, order):
    text = HDPARM.read_text()
    whole = f"\ufeff{text}{text}\U0001f4be".encode(f"utf-16-{order}")
    (tmp_path / "cut.log").write_bytes(whole[:-cut])
    log = found_at(tmp_path / "cut.log")
    assert [row.raw for row in log.measurements] == [
        row.raw for row in found_at(HDPARM).measurements
    ] * 2


# --- what was not read ---------------------------------------------------------------------------


def test_what_was_not_read_is_one_warning(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("nothing\n")
    with pytest.warns(UserWarning, match=r"2 logs .*a:1: found no benchmark") as warned:
        assert sdanalysis.parse([tmp_path / "a", tmp_path / "b"]).empty
    assert len(warned) == 1
    with pytest.warns(UserWarning, match="found no measurements in any of 2 files"):
        assert sdanalysis.parse(tmp_path).empty


def test_what_could_not_be_read_is_exit_1_and_nothing_at_all_with_strict(tmp_path, capsys):
    bad, table = tmp_path / "bad.log", tmp_path / "table.csv"
    bad.write_text(CUT)
    table.write_text("earlier")
    assert main(["parse", str(HDPARM), str(bad)]) == 1
    output = capsys.readouterr()
    assert len(rows(output.out)) == 1
    assert output.err.startswith(f"{bad}:1: found 'Timing buffered disk reads")
    assert main(["parse", "--strict", str(HDPARM), str(bad), "-o", str(table)]) == 1
    assert (capsys.readouterr().out, table.read_text()) == ("", "earlier")


# --- what is written -----------------------------------------------------------------------------


def test_json_lines_hold_the_same_rows_as_csv(tmp_path, capsys):
    assert main(["parse", str(HDPARM)]) == 0
    (expected,) = rows(capsys.readouterr().out)
    assert tuple(expected) == LOG_COLUMNS
    table = tmp_path / "table.json"
    assert main(["parse", str(HDPARM), "-o", str(table)]) == 0
    row = json.loads(table.read_text())
    assert {name: "" if value is None else str(value) for name, value in row.items()} == expected


def test_a_full_disk_leaves_the_earlier_table_and_nothing_else(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("earlier")
    code = (
        "import resource, sys; from sdanalysis.cli import main; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
        f"sys.exit(main(['parse', {str(HDPARM)!r}, '-o', {str(table)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "found File too large, expected to write it" in done.stderr
    assert table.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [table]


def test_an_ending_that_is_not_known_is_wrong_usage(tmp_path, capsys):
    assert main(["parse", str(HDPARM), "-o", str(tmp_path / "x.xlsx")]) == 2
    assert "expected --format or one of .csv, .json, .parquet" in capsys.readouterr().err


def test_standard_input_is_read_and_neither_a_table_library_nor_another_reader_is_loaded():
    code = (
        "import sys; from sdanalysis.cli import main; code = main(['parse', '-']); "
        "heavy = {'pandas', 'numpy', 'matplotlib', 'sdanalysis.parsers.fio', "
        "'sdanalysis.parsers.ddrescue'} & set(sys.modules); sys.exit(code or len(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=HDPARM.read_bytes(), capture_output=True, check=True
    )
    (row,) = rows(done.stdout.decode())
    assert row["file"] == "-"
