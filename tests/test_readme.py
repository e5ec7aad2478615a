"""What the README shows is what the program prints."""

import importlib.util
import re
from pathlib import Path

import pytest

import sdanalysis
from sdanalysis import schema, sources
from sdanalysis.declaration import read_declaration
from sdanalysis.explain import explain

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_explained_figure_is_what_explain_prints():
    shown = re.search(r"\$ sdanalysis explain (\S+)\n(.*?)\n```", README, re.S)
    assert shown[2] == explain(shown[1], ROOT / "data")


@pytest.mark.parametrize("name", list(schema.COLUMNS))
def test_the_codebook_names_each_column_with_its_type_and_meaning(name):
    column = schema.COLUMNS[name]
    assert f"| `{name}` | {column.dtype} | {column.meaning}" in README


def test_each_source_is_cited_with_title_address_author_and_date():
    for folder in sources.folders(ROOT / "data" / "raw"):
        one = read_declaration(folder)
        assert f"| `{one.slug}` | [{one.title}]({one.url}) | {one.author} | {one.date} |" in README


def test_the_counts_of_the_table_are_true():
    measurements = sdanalysis.load()
    values = measurements["value"].notna().sum()
    assert f"{len(measurements)} rows, of which {values} have a value" in README
    inferred = measurements["flags"].str.contains("inferred", na=False).sum()
    assert f"({inferred} figures)" in README
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    counts = f"{len(measurements)} figures of {measurements['specimen'].nunique()}\n  specimens"
    assert counts in changelog


def test_the_picture_is_the_one_of_the_stored_notebook():
    spec = importlib.util.spec_from_file_location("picture", ROOT / "docs" / "picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PICTURE.read_bytes() == module.picture()


def test_every_notebook_and_each_of_its_parameters_is_named():
    from sdanalysis.report import parameters_of

    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        row = next(line for line in README.splitlines() if f"(notebooks/{notebook.name})" in line)
        for name in parameters_of(notebook):
            assert f"`{name}`" in row


def test_links_inside_the_project_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
