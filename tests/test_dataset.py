"""The tidy table: built to the byte, saved whole or not at all, equal when it is loaded again."""

import errno
import os
import shutil
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

import sdanalysis
from sdanalysis import dataset
from sdanalysis.cli import main
from sdanalysis.codebook import columns, schema
from sdanalysis.errors import SchemaError, SdAnalysisError

ROOT = Path(__file__).resolve().parent.parent
COMMITTED = ROOT / "data" / "processed" / "measurements.csv"
# --- the committed table -------------------------------------------------------------------------


def differing_lines(new, old):
    """The ids of the rows that differ, for a message that names the figures."""
    lines = set(new.decode().splitlines()) ^ set(old.decode().splitlines())
    return sorted({line.partition(",")[0] for line in lines})


def test_the_committed_table_is_what_the_raw_files_give_byte_for_byte(measurements, tmp_path):
    dataset.save(measurements, tmp_path / "measurements.csv")
    new, old = (tmp_path / "measurements.csv").read_bytes(), COMMITTED.read_bytes()
    assert differing_lines(new, old) == []
    assert new == old


def test_a_row_in_another_order_gives_the_same_bytes(measurements, tmp_path):
    shuffled = measurements.sample(frac=1, random_state=1)[[*reversed(measurements.columns)]]
    dataset.save(shuffled, tmp_path / "measurements.csv")
    assert (tmp_path / "measurements.csv").read_bytes() == COMMITTED.read_bytes()


def test_a_loaded_table_equals_the_one_that_was_built(measurements):
    assert_frame_equal(sdanalysis.load(), measurements, check_exact=True)
    for place in (str(COMMITTED), COMMITTED.parents[1]):
        assert_frame_equal(sdanalysis.load(place), measurements, check_exact=True)


def test_every_figure_is_a_row_and_nothing_is_an_empty_text(measurements):
    assert len(measurements) == 635
    assert int(measurements["raw"].notna().sum()) == 603
    texts = measurements.select_dtypes("str")
    assert not (texts == "").to_numpy().any()


def test_the_table_as_published_differs_only_where_a_correction_is_declared(measurements):
    published = dataset.build(as_published=True)
    corrected = (
        measurements["remarks"].str.split().map(lambda remarks: "corrected" in remarks, "ignore")
    )
    differs = (published != measurements) & ~(published.isna() & measurements.isna())
    assert set(measurements.loc[differs.any(axis=1), "id"]) == set(
        measurements.loc[corrected.fillna(False).astype(bool), "id"]
    )
    untouched = ["id", "raw", "value", "label", "specimen", "line", "column"]
    assert not differs[untouched].to_numpy().any()


# --- a build that fails --------------------------------------------------------------------------


def _no_space(_):
    raise OSError(errno.ENOSPC, "No space left on device")


def _interrupted(*_):
    raise KeyboardInterrupt


FAILURES = {
    "a changed raw file": lambda edit, _: edit("raw/chilina-2018/fio.txt", "1231", "1", pin=False),
    "an unclaimed line": lambda edit, _: edit("raw/chilina-2018/fio.txt", "fio --", "dd --"),
    "an unknown label": lambda edit, _: edit("media.toml", "Samsung Fit |", "Samsung Fat |"),
    "an unknown host": lambda edit, _: edit("hosts.toml", 'id = "pi-3b"', 'id = "pi-3"'),
    "broken TOML": lambda edit, _: edit("raw/perrin-2016/source.toml", "title", "=title"),
    "an unknown word": lambda edit, _: edit(
        "raw/perrin-2016/source.toml", 'stat = "mean"', 'stat = "median"'
    ),
    "a full disk": lambda _, patch: patch.setattr(os, "fsync", _no_space),
    "an interrupt": lambda _, patch: patch.setattr(os, "replace", _interrupted),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_build_leaves_the_earlier_table_as_it_was(data, edit, monkeypatch, failure):
    table = data / "processed" / "measurements.csv"
    table.parent.mkdir()
    table.write_bytes(b"earlier")
    FAILURES[failure](edit, monkeypatch)
    assert main(["build", "--data", str(data)]) in (1, 130)
    assert table.read_bytes() == b"earlier"
    assert [path.name for path in table.parent.iterdir()] == ["measurements.csv"]


def test_a_table_that_cannot_be_written_is_an_error_with_its_path(measurements, tmp_path):
    folder = tmp_path / "measurements.csv"
    folder.mkdir()
    with pytest.raises(SdAnalysisError, match=r"measurements\.csv: found .+, expected to write it"):
        dataset.save(measurements, folder)
    with pytest.raises(SdAnalysisError, match="expected to write it"):
        dataset.save(measurements, COMMITTED / "measurements.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["measurements.csv"]


def test_a_table_that_breaks_the_codebook_is_not_written(measurements, tmp_path):
    with pytest.raises(SchemaError):
        dataset.save(measurements.assign(op="guess"), tmp_path / "measurements.csv")
    assert list(tmp_path.iterdir()) == []


# --- loading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"id,source\n1,2\n",
        b'id,source\n"1,2\n',
        COMMITTED.read_bytes()[:5000],
        COMMITTED.read_bytes().replace(b",62,", b",sixty-two,", 1).replace(b",63,", b",x,", 1),
        COMMITTED.read_bytes().replace(b",measured,", b",guessed,", 1),
    ],
    ids=["empty", "a picture", "other columns", "open quote", "cut", "no number", "unknown word"],
)
def test_a_file_that_is_no_such_table_is_refused(tmp_path, content):
    path = tmp_path / "measurements.csv"
    path.write_bytes(content)
    with pytest.raises(SdAnalysisError, match="found "):
        dataset.load(path)


def test_a_table_that_is_not_there_is_an_error_that_says_how_to_make_it(tmp_path):
    with pytest.raises(SdAnalysisError, match=r"none\.csv: found No such .+`sdanalysis build`"):
        sdanalysis.load(tmp_path / "none.csv")


def test_all_that_analyses_need_is_loaded_at_once_and_as_one_by_one(data):
    shutil.copytree(COMMITTED.parent, data / "processed")
    found = sdanalysis.dataset.load_data(data)
    assert_frame_equal(found.measurements, sdanalysis.load())
    assert_frame_equal(found.media, sdanalysis.load_media())
    assert_frame_equal(found.hosts, sdanalysis.load_hosts())
    assert_frame_equal(found.classes, dataset.load_classes())


def test_a_folder_needs_no_saved_table_where_the_table_is_given(data, measurements):
    assert_frame_equal(
        sdanalysis.load_data(data, measurements=measurements).measurements, measurements
    )
    with pytest.raises(SdAnalysisError, match=r"measurements\.csv"):
        sdanalysis.load_data(data)


def test_the_package_shows_what_users_call_and_nothing_else():
    functions = "brief display headline load load_claims load_data load_hosts load_media"
    functions += " load_prices load_promises parse parse_many"
    modules = "audit claims comparing my_card plots stats"
    assert dir(sdanalysis) == sorted(f"{functions} {modules}".split())
    assert all(hasattr(sdanalysis, name) for name in dir(sdanalysis))
    for module in (getattr(sdanalysis, name) for name in modules.split()):
        assert dir(module) == sorted(module.__all__)
        assert all(hasattr(module, name) for name in dir(module))


# --- the codebook --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda rows: rows.drop(columns="op"), r"found the columns \['op'\] too many or too few"),
        (lambda rows: rows.assign(colour="red"), r"found the columns \['colour'\] too many or"),
        (lambda rows: rows.assign(line="four"), "found a cell of the wrong kind"),
        (lambda rows: rows.assign(host=None), r"^chilina.+:4:1: found an empty cell in host \(635"),
        (lambda rows: rows.assign(system=""), "found an empty text in system, expected a missing"),
        (lambda rows: rows.assign(op="guess"), r"found \['guess'\] in op, expected some of read"),
        (
            lambda rows: rows.assign(remarks="odd"),
            r"found \['odd'\] in remarks, expected some of cor",
        ),
        (lambda rows: rows.assign(status="word"), "found a value without the status measured"),
        (lambda rows: rows.assign(value_low=rows["value"] * 2), "a value outside its own interval"),
        (lambda rows: rows.assign(value_high=None), "a value outside its own interval"),
        (lambda rows: rows.assign(value=0.0, value_low=0.0), "found a value"),
        (lambda rows: rows.assign(id="x"), r"^x: found a second row with the same id \(634 rows"),
        (
            lambda rows: rows.assign(metric="iops", block_size=4096),
            "found a second row with the same source, file, measured_by",
        ),
    ],
)
def test_a_table_that_breaks_the_codebook_is_refused_with_its_first_row(
    measurements, change, problem
):
    with pytest.raises(SchemaError, match=problem):
        schema.conform(change(measurements))


def test_conforming_changes_no_argument_and_no_conforming_table(measurements):
    before = measurements.copy(deep=True)
    assert_frame_equal(schema.conform(measurements), before)
    assert_frame_equal(measurements, before)


def test_the_codebook_names_every_column_unit_and_remark():
    lines = columns.codebook().splitlines()
    described = {line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "}
    assert described >= schema.COLUMNS.keys()
    text = columns.codebook()
    assert all(f"remark {remark} " in text for remark in columns.REMARKS)
    assert all(f"{metric} {unit}" in text for metric, unit in columns.METRICS.items())


def test_every_origin_and_status_of_the_codebook_occurs_and_every_remark_is_explained(measurements):
    remarks = set(" ".join(measurements["remarks"].dropna()).split())
    assert remarks <= columns.REMARKS.keys()
    assert set(measurements["origin"]) == set(columns.ORIGINS)
    assert set(measurements["status"]) == set(columns.TABLE_STATUSES)


def test_a_value_of_a_word_or_a_blank_is_missing_and_only_theirs(measurements):
    missing = measurements[measurements["value"].isna()]
    assert len(missing) == 43
    assert set(missing["raw"].dropna()) == {"TODO", "tbd", "DNF", "Sad", "Painful", "Excruciating"}
    assert missing[["value_low", "value_high"]].isna().to_numpy().all()
