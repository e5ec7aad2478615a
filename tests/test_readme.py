"""What the README shows is what the program prints."""

import re
import subprocess
from pathlib import Path
from shlex import split

import answers
import gallery
import pytest

import sdanalysis
from sdanalysis.cli import main
from sdanalysis.codebook import schema
from sdanalysis.codebook.columns import STATUSES
from sdanalysis.sources.declaration import read_declaration
from sdanalysis.sources.explain import explain
from sdanalysis.sources.folders import source_folders

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {path: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
PAGES[ROOT / "README.md"] = README


def page(name):
    return PAGES[ROOT / "docs" / name]


def test_a_newcomer_reads_at_most_150_lines_which_link_each_page():
    assert len(README.splitlines()) <= 150
    assert all(f"(docs/{path.name})" in README for path in PAGES if path.name != "README.md")


def test_the_explained_figure_is_what_explain_prints():
    shown = re.search(r"\$ sdanalysis explain (\S+)\n(.*?)\n```", page("table.md"), re.S)
    assert shown[2] == explain(shown[1], ROOT / "data")


def test_the_answer_about_the_example_is_what_mine_prints(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    shown = re.search(r"\$ sdanalysis mine (.*?)\n(.*?)```", README, re.S)
    assert main(["mine", *shown[1].split()]) == 0
    assert capsys.readouterr().out == shown[2]


def test_the_codebook_names_each_column_with_its_type_and_meaning():
    for name, column in schema.COLUMNS.items():
        assert f"| `{name}` | {column.dtype} | {column.meaning}" in page("table.md")


def test_each_source_and_companion_is_cited_with_title_address_author_and_date():
    five, _, apart = README.partition("Beyond the five, in `data/companions`")
    for folder in ("raw", "companions"):
        for path in source_folders(ROOT / "data" / folder):
            one = read_declaration(path)
            cited = f"| `{one.slug}` | [{one.title}]({one.url}) | {one.author} | {one.date} |"
            assert (cited in five, cited in apart) == (folder == "raw", folder != "raw")


def test_the_counts_of_the_table_are_true():
    measurements = sdanalysis.load()
    values = measurements["value"].notna().sum()
    assert f"{len(measurements)} rows, of which {values} have a value" in page("table.md")
    inferred = measurements["remarks"].str.contains("inferred", na=False).sum()
    assert f"({inferred} figures)" in README


def test_the_pictures_are_those_of_the_stored_notebooks():
    stored = {figure.path: figure.png for figure in gallery.figures()}
    assert {path: path.read_bytes() for path in gallery.FIGURES.iterdir()} == stored
    assert gallery.GALLERY.read_text(encoding="utf-8") == gallery.page()


def test_the_gallery_shows_the_cover_of_every_notebook_and_its_command():
    for figure in gallery.figures():
        if figure.cover:
            picture = f"(figures/{figure.path.name})](gallery.md)"
            assert f"{picture}<br>`sdanalysis report {figure.notebook}`" in page("notebooks.md")


def test_what_comes_out_is_what_the_notebooks_answer():
    assert answers.readme(README) == README
    assert README.index("00_which_card") < README.index("03_card_vintage")


def test_a_changed_answer_changes_the_readme_and_a_readme_without_its_place_is_refused():
    assert answers.readme(README.replace("[Which card for", "[Which cards for", 1)) == README
    with pytest.raises(SystemExit, match="found 0 blocks named answers, expected one"):
        answers.readme(README.replace("<!-- end of answers", "<!-- end of answer"))


def test_what_compare_shows_is_what_it_prints(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    steps = re.findall(
        r"^\$ sdanalysis (compare table:.+)\n((?:(?!\$ |```).*\n)*)", page("compare.md"), re.M
    )
    assert len(steps) == 2
    for command, shown in steps:
        assert main(split(command)) == 0
        printed = capsys.readouterr()
        assert printed.out + printed.err == shown


def test_every_notebook_and_each_of_its_parameters_is_named():
    from sdanalysis.report import parameters_of

    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        start = f"| [`{notebook.stem}`](../notebooks/{notebook.name}) |"
        row = next(line for line in page("notebooks.md").splitlines() if line.startswith(start))
        for name in parameters_of(notebook):
            assert f"`{name}`" in row


def test_links_inside_the_project_lead_somewhere():
    links = re.compile(r"\]\((?!http)([^)#]*)#?([^)]*)\)")
    for path, text in PAGES.items():
        for target, anchor in links.findall(text):
            found = path.parent / target if target else path
            assert found.exists(), f"{path}: {target}"
            if anchor:
                heads = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.M)
                names = [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads]
                assert anchor in names, f"{path}: {target}#{anchor}"


HOW_TO = page("how-to-measure.md")


def test_the_commands_of_how_to_measure_are_those_of_the_sources():
    text = (ROOT / "data" / "raw" / "kulesz-2017" / "source.toml").read_text(encoding="utf-8")
    iozone = "iozone -e -I -a -s 100M -r 4k -i 0 -i 1 -i 2"
    assert iozone in HOW_TO
    assert iozone.replace("-r 4k", "-r 4k -r 16M") in text


def test_a_log_made_as_how_to_measure_says_is_read_with_its_conditions(tmp_path):
    careful = re.search(r"smaller sizes -->\n```sh\n(.*?)```", HOW_TO, re.S)[1]
    small = re.sub(r"^ *(sudo|iozone).*\n", "", careful, flags=re.M).replace("count=50k", "count=2")
    subprocess.run(["bash", "-c", small], cwd=tmp_path, check=True, capture_output=True)
    assert [path.name for path in tmp_path.iterdir()] == ["card.log"]
    rows = sdanalysis.parse(str(tmp_path / "card.log"))
    assert rows["op"].tolist() == ["write"] * 3
    assert rows["block_size"].tolist() == [8192] * 3
    assert rows["status"].tolist() == ["measured"] * 3


def test_the_page_on_logs_says_of_each_status_what_the_codebook_does():
    published = {"did_not_finish", "word"}  # words of an article's table
    for name, meaning in STATUSES.items():
        assert (f"| `{name}` | {meaning} |" in page("logs.md")) == (name not in published)
