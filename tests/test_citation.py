"""CITATION.cff names this version, and the sources as their declarations do."""

import tomllib
from pathlib import Path

import yaml

from sdanalysis import __version__

ROOT = Path(__file__).resolve().parent.parent
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_version_is_that_of_the_package():
    assert CITATION["version"] == __version__


def test_every_source_is_a_reference_with_its_title_and_address():
    declared = {
        (path.parent.name, found["title"], found["url"])
        for path in (ROOT / "data" / "raw").glob("*/source.toml")
        for found in [tomllib.loads(path.read_text(encoding="utf-8"))]
    }
    cited = {
        (reference["notes"].partition(";")[0], reference["title"], reference["url"])
        for reference in CITATION["references"]
    }
    assert cited == declared
