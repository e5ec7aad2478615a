"""What the README shows is what the program prints."""

import importlib.util
import re
from pathlib import Path
from shlex import split

import nbformat
import pytest

import sdanalysis
from sdanalysis.cli import main
from sdanalysis.codebook import schema
from sdanalysis.sources.declaration import read_declaration
from sdanalysis.sources.explain import explain
from sdanalysis.sources.load import source_folders

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
    for folder in source_folders(ROOT / "data" / "raw"):
        one = read_declaration(folder)
        assert f"| `{one.slug}` | [{one.title}]({one.url}) | {one.author} | {one.date} |" in README


def test_the_counts_of_the_table_are_true():
    measurements = sdanalysis.load()
    values = measurements["value"].notna().sum()
    assert f"{len(measurements)} rows, of which {values} have a value" in README
    inferred = measurements["remarks"].str.contains("inferred", na=False).sum()
    assert f"({inferred} figures)" in README
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    counts = f"{len(measurements)} figures of {measurements['specimen'].nunique()}\n  specimens"
    assert counts in changelog


def gallery():
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pictures_are_those_of_the_stored_notebooks():
    module = gallery()
    stored = {figure.path: figure.png for figure in module.figures()}
    assert {path: path.read_bytes() for path in module.FIGURES.iterdir()} == stored
    assert module.GALLERY.read_text(encoding="utf-8") == module.page()


def test_the_gallery_shows_the_cover_of_every_notebook_and_its_command():
    for figure in gallery().figures():
        if figure.cover:
            picture = f"(docs/figures/{figure.path.name})](docs/gallery.md)"
            assert f"{picture}<br>`sdanalysis report {figure.notebook}`" in README


def test_the_figures_of_what_comes_out_are_printed_by_the_notebooks():
    section = re.search(r"## What comes out\n(.*?)\n## ", README, re.S)[1]
    printed = " ".join(
        output.get("text", "")
        for notebook in (ROOT / "notebooks").glob("*.ipynb")
        for cell in nbformat.read(notebook, as_version=4).cells
        for output in cell.get("outputs", [])
    )
    claims = re.search(r"of (\d+) check.*?(\d+) are.*?(\d+) con.*?(\d+) und.*?(\d+)", section, re.S)
    assert re.search(
        rf"n = {claims[1]} checkable .* {claims[2]} are\s+supported, {claims[3]} contradicted, "
        rf"{claims[4]} undecided .* {claims[5]} cannot",
        printed,
    )
    intervals = re.findall(r"\d\.\d+ \(\d\.\d+ to \d\.\d+, n = \d+ cards\)", section)
    factors = re.findall(r"\d\.\d times as fast(?: \(.*?\))?", section)
    assert (len(intervals), len(factors)) == (3, 2)
    for figure in (*intervals, *factors):
        assert figure in printed, figure
    assert "A1, rated: 3 of 7 pass, 1 fail, 3 cannot be told" in printed


def test_what_compare_shows_is_what_it_prints(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    steps = re.findall(r"^\$ sdanalysis (compare table:.+)\n((?:(?!\$ |```).*\n)*)", README, re.M)
    assert len(steps) == 2
    for command, shown in steps:
        assert main(split(command)) == 0
        printed = capsys.readouterr()
        assert printed.out + printed.err == shown


def test_the_steps_of_a_new_source_are_those_of_its_page():
    page = (ROOT / "docs" / "new-source.md").read_text(encoding="utf-8")
    steps = re.findall(r"^\$ sdanalysis .*--raw mine\n(?:(?!\$ |```).*\n)*", README, re.M)
    assert len(steps) == 2
    assert all(step in page for step in steps)


def test_every_notebook_and_each_of_its_parameters_is_named():
    from sdanalysis.report import parameters_of

    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        start = f"| [`{notebook.stem}`](notebooks/{notebook.name}) |"
        row = next(line for line in README.splitlines() if line.startswith(start))
        for name in parameters_of(notebook):
            assert f"`{name}`" in row


def test_links_inside_the_project_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
