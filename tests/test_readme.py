"""What the README shows is what the program prints."""

import importlib.util
import re
from pathlib import Path
from shlex import split

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


def test_each_companion_is_cited_alike_and_apart():
    five, _, apart = README.partition("Beyond the five, in `data/companions`")
    for folder in source_folders(ROOT / "data" / "companions"):
        one = read_declaration(folder)
        cited = f"| `{one.slug}` | [{one.title}]({one.url}) | {one.author} | {one.date} |"
        assert cited in apart
        assert cited not in five


def test_the_counts_of_the_table_are_true():
    measurements = sdanalysis.load()
    values = measurements["value"].notna().sum()
    assert f"{len(measurements)} rows, of which {values} have a value" in README
    inferred = measurements["remarks"].str.contains("inferred", na=False).sum()
    assert f"({inferred} figures)" in README
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    counts = f"{len(measurements)} figures of {measurements['specimen'].nunique()}\n  specimens"
    assert counts in changelog


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pictures_are_those_of_the_stored_notebooks():
    module = script("gallery")
    stored = {figure.path: figure.png for figure in module.figures()}
    assert {path: path.read_bytes() for path in module.FIGURES.iterdir()} == stored
    assert module.GALLERY.read_text(encoding="utf-8") == module.page()


def test_the_gallery_shows_the_cover_of_every_notebook_and_its_command():
    for figure in script("gallery").figures():
        if figure.cover:
            picture = f"(docs/figures/{figure.path.name})](docs/gallery.md)"
            assert f"{picture}<br>`sdanalysis report {figure.notebook}`" in README


def test_what_comes_out_is_what_the_notebooks_answer():
    module = script("answers")
    assert module.readme(README) == README
    assert README.index("02_read_write_ratio") < README.index("03_card_vintage")


def test_a_changed_answer_changes_the_readme_and_a_readme_without_its_place_is_refused():
    module = script("answers")
    assert (
        module.readme(README.replace("[How much faster do cards", "[How much slower", 1)) == README
    )
    with pytest.raises(SystemExit, match="found 0 blocks named answers, expected one"):
        module.readme(README.replace("<!-- end of answers", "<!-- end of answer"))


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
