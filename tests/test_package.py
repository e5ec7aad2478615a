"""datapackage.json and CITATION.cff say what the tables, the codebook and the declarations do."""

import json
import shutil
import tomllib

import pytest
import yaml
from frictionless import validate

from sdanalysis import __version__, dataset
from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.paths import DATA

PROCESSED = DATA / "processed"


def test_the_tables_are_valid():
    report = validate(str(PROCESSED / "datapackage.json"))
    assert report.valid, report.flatten(["title", "rowNumber", "fieldName", "message"])
    assert [task.name for task in report.tasks] == ["measurements", "companions"]


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (",bandwidth,", ",speed,", "constraint-error"),
        ("dramble-2017/pi-2b.txt:4:1,", "dramble-2017/pi-2b.txt:6:1,", "primary-key"),
        ("id,source", "id,origin", "incorrect-label"),
        (",primary,", ",,", "constraint-error"),
    ],
)
def test_a_table_that_is_not_as_described_is_not(tmp_path, old, new, error):
    copied = shutil.copytree(PROCESSED, tmp_path / "processed")
    table = copied / "measurements.csv"
    text = table.read_text()
    assert old in text
    table.write_text(text.replace(old, new, 1))
    report = validate(str(copied / "datapackage.json"))
    assert error in {found for [found] in report.flatten(["type"])}


def test_it_says_what_the_build_would(data):
    shutil.copytree(PROCESSED, data / "processed")
    (data / "processed" / "datapackage.json").unlink()
    dataset.describe(data)
    written = (data / "processed" / "datapackage.json").read_bytes()
    assert written == (PROCESSED / "datapackage.json").read_bytes()


def test_every_column_and_source_is_named_with_unit_and_address():
    described = json.loads((PROCESSED / "datapackage.json").read_text())
    fields = described["resources"][0]["schema"]["fields"]
    assert [field["name"] for field in fields] == list(COLUMNS)
    assert {f["name"]: f["unit"] for f in fields if "unit" in f}["block_size"] == "B"
    assert len(described["sources"]) == 8
    assert all(source["path"].startswith("http") for source in described["sources"])


def test_the_citation_names_this_version_and_every_source_with_title_and_address():
    citation = yaml.safe_load((DATA.parent / "CITATION.cff").read_text(encoding="utf-8"))
    declared = {
        (path.parent.name, found["title"], found["url"])
        for path in (DATA / "raw").glob("*/source.toml")
        for found in [tomllib.loads(path.read_text(encoding="utf-8"))]
    }
    cited = {
        (reference["notes"].partition(";")[0], reference["title"], reference["url"])
        for reference in citation["references"]
    }
    assert (citation["version"], cited) == (__version__, declared)
