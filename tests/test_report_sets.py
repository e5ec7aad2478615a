"""`sdanalysis report --set FILE.toml`: one notebook over many sets of parameters."""

import contextlib
import functools
import io
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from report_pages import notebook_at

from sdanalysis import report
from sdanalysis.cli import main
from sdanalysis.errors import DeclarationError
from sdanalysis.report import execution

PARAMETERS = """\
host: str = "pi-4b"  # or pi-3b
n: int = 3  # cards
share: float = 0.5  # of all
fast: bool = True  # or not
form: str | None = None  # of the card
paths: list[str] = []  # of logs
table = {}  # nobody's business"""


def write(folder, text, notebook='notebook = "01_toy.ipynb"\n'):
    """Write a file of sets beside a notebook; return its path."""
    cells = [
        new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
        new_code_cell("print(f'Answer. {host}, {n * 2}, {share}, {paths}')\nassert n < 9"),
    ]
    nbformat.write(new_notebook(cells=cells), folder / "01_toy.ipynb")
    path = folder / "hosts.toml"
    path.write_text(notebook + text)
    return path


@pytest.fixture
def written(tmp_path):
    return functools.partial(write, tmp_path)


# --- the file ------------------------------------------------------------------------------------


def test_sets_have_names_and_their_own_values_before_the_shared_ones(written):
    path = written("""
title = "All hosts"
[parameters]
n = 4
share = 1
[[set]]
name = "new"
parameters = { host = "pi-4b", paths = ["a", "b"] }
[[set]]
name = "old.1"
parameters = { n = 5, fast = false, form = "SD" }
[[set]]
name = "plain"
""")
    found = report.read_sets(path)
    assert (found.notebook, found.title) == (path.parent / "01_toy.ipynb", "All hosts")
    assert found.sets == {
        "new": {"n": 4, "share": 1.0, "host": "pi-4b", "paths": ["a", "b"]},
        "old.1": {"n": 5, "share": 1.0, "fast": False, "form": "SD"},
        "plain": {"n": 4, "share": 1.0},
    }
    assert type(found.sets["plain"]["share"]) is float


def test_for_each_makes_a_set_of_every_combination_named_by_its_values(written):
    found = report.read_sets(written('[for_each]\nhost = ["pi-2b", "pi 3b, slot"]\nn = [1, 2]'))
    assert found.title == "hosts"
    assert list(found.sets) == ["pi-2b-1", "pi-2b-2", "pi-3b-slot-1", "pi-3b-slot-2"]
    assert found.sets["pi-3b-slot-2"] == {"host": "pi 3b, slot", "n": 2}


def test_listed_sets_go_before_combinations(written):
    found = report.read_sets(written('[for_each]\nn = [1]\n[[set]]\nname = "a"'))
    assert list(found.sets) == ["a", "1"]


ONE = '[[set]]\nname = "a"\n'
BAD = {
    "": r"hosts\.toml: found no set, expected \[\[set\]\] or \[for_each\]",
    "set = []": "found no set",
    "for_each = {}": "found no set",
    "sets = 1": r"hosts\.toml: found sets, expected only for_each, notebook, parameters, set",
    "[[set]]": r"hosts\.toml:set\[1\]: expected name",
    '[[set]]\nname = "a"\nhost = "b"': r"set\[1\]: found host, expected only name, parameters",
    "[[set]]\nname = 1": r"set\[1\]: name: found 1, expected str",
    '[[set]]\nname = "a/b"': r"set\[1\]\.name: found the name 'a/b', expected letters",
    '[[set]]\nname = "Index"': "found the name 'Index'",
    '[[set]]\nname = ".."': "found the name '..'",
    ONE + '[[set]]\nname = "A"': r"hosts\.toml:set\[2\]\.name: found the name 'A' twice",
    ONE + '[for_each]\nhost = ["a"]': r"hosts\.toml:for_each: found the name 'a' twice",
    '[for_each]\nhost = ["a b", "a-b"]': "found the name 'a-b' twice",
    '[for_each]\nhost = ["?"]': "found the name ''",
    "[for_each]\nhost = []": r"hosts\.toml:for_each\.host: found no value",
    "[for_each]\nhost = [3]": r"for_each\.host: found 3, expected str, as in host = 'pi-4b'",
    "[for_each]\nhost = 'a'": "for_each",
    "[for_each]\nguest = [3]": r"for_each\.guest: found no such parameter, expected host, n, share",
    ONE + "[parameters]\nguest = 1": r"hosts\.toml:parameters\.guest: found no such parameter",
    ONE + "[parameters]\nn = true": r"parameters\.n: found True, expected int, as in n = 3",
    ONE + "[parameters]\nn = 1.0": "expected int",
    ONE + "[parameters]\nfast = 1": "expected bool",
    ONE + "[parameters]\nshare = '1'": "expected float",
    ONE + "[parameters]\nform = 1": "expected str",
    ONE + "[parameters]\npaths = [1]": "expected list",
    ONE + "[parameters]\ntable = 1": r"parameters\.table: found no such parameter",
    ONE + "parameters = { host = 1 }": r"set\[1\]\.parameters\.host: found 1, expected str",
    "a = = 1": "no valid TOML",
}


@pytest.mark.parametrize("text", BAD)
def test_a_file_that_cannot_be_meant_is_refused_with_its_place(written, text):
    with pytest.raises(DeclarationError, match=BAD[text]):
        report.read_sets(written(text))


@pytest.mark.parametrize(
    ("notebook", "message"),
    [
        ("", "expected notebook"),
        ("notebook = 1\n", "notebook: found 1, expected str"),
        ('notebook = "02.ipynb"\n', r"hosts\.toml:notebook: .*02\.ipynb: cannot be read"),
    ],
)
def test_the_notebook_has_to_be_there(written, notebook, message):
    with pytest.raises(DeclarationError, match=message):
        report.read_sets(written(ONE, notebook))


# --- the run -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Exit code, output, errors and pages of a run of three sets, one of which fails."""
    folder = tmp_path_factory.mktemp("sets")
    text = 'title = "Numbers"\n[parameters]\npaths = ["a"]\n[for_each]\nn = [1, 9, 2]'
    printed, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
        code = main(["report", "--set", str(write(folder, text)), "-o", str(folder / "out")])
    pages = {page.stem: page.read_text() for page in (folder / "out" / "hosts").glob("*.html")}
    return code, printed.getvalue(), errors.getvalue(), pages


def test_each_set_has_its_page_and_the_index_its_parameters_and_answer(ran):
    pages = ran[3]
    assert sorted(pages) == ["1", "2", "9.failed", "index"]
    assert "<h1>Numbers</h1>" in pages["index"]
    assert "pi-4b, 2, 0.5" in pages["index"]
    assert "<strong>n = <code>2</code></strong>" in pages["index"]
    assert "pi-4b, 4, 0.5, ['a']" in pages["2"]
    assert "From 01_toy.ipynb, set <strong>2</strong>" in pages["2"]
    assert "Made again by" not in pages["2"]  # no option of the command could say the list
    assert re.findall(r'<h2><a href="(.*?)">', pages["index"]) == [
        "1.html",
        "9.failed.html",
        "2.html",
    ]


def test_sets_follow_each_other_in_one_kernel_which_forgets_their_names(tmp_path, monkeypatch):
    monkeypatch.setattr(execution, "PROCESSORS", 1)
    path = write(tmp_path, "[for_each]\nn = [1, 2, 3]")
    notebook = nbformat.read(tmp_path / "01_toy.ipynb", as_version=4)
    code = "import os\nprint(f'Answer. {os.getpid()}, {dir().count(\"own\")}')\nown = n"
    notebook.cells[-1].source = code
    nbformat.write(notebook, tmp_path / "01_toy.ipynb")
    sets = report.read_sets(path)
    outcomes = report.run_sets(sets, output=tmp_path / "out", progress=lambda event: None)
    assert not any(outcome.error for outcome in outcomes)
    [answer] = {outcome.answer for outcome in outcomes}
    assert re.fullmatch(r"\d+, 0", answer)


def test_a_set_that_fails_stops_no_other_and_is_named(ran):
    code, printed, errors, pages = ran
    assert code == 1
    assert errors == "sdanalysis report: 01_toy.ipynb, set 9, cell 2: AssertionError\n"
    assert re.search(r"\] 9: FAILED, \d of 3\n", printed)
    assert "2 of 3 reports" in printed
    assert "Failed in cell 2:</strong> <code>AssertionError</code>" in pages["index"]
    assert "This report failed in cell 2" in pages["9.failed"]


@pytest.mark.parametrize("more", [["01_toy"], ["-p", "n", "1"], ["--list"]])
def test_a_file_of_sets_goes_alone(written, capsys, more):
    assert main(["report", "--set", str(written(ONE)), *more]) == 2
    assert "--set goes without" in capsys.readouterr().err


def test_a_parameter_of_a_type_that_no_file_can_hold_is_refused(written, capsys):
    path = written('[[set]]\nname = "a"\nparameters = {n = 1}\n')
    notebook_at(path.parent / "01_toy.ipynb", "# A", parameters="n: dict = {}")
    assert main(["report", "--set", str(path)]) == 1
    assert "found a parameter of type dict, expected one of str, int" in capsys.readouterr().err


def test_an_error_of_the_file_leaves_no_folder(written, capsys):
    path = written("")
    assert main(["report", "--set", str(path), "-o", str(path.parent / "out")]) == 1
    assert capsys.readouterr().err.startswith(f"sdanalysis report: {path}: found no set")
    assert not (path.parent / "out").exists()


def test_the_help_shows_a_file_that_can_be_read(written, capsys):
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    example = re.search(r"^  notebook = .*\Z", capsys.readouterr().out, re.MULTILINE | re.DOTALL)
    parameters = 'tool = ""\naccess = ""\nform = ""\nconfidence = 0.5'
    cell = new_code_cell(parameters, metadata={"tags": ["parameters"]})
    path = written(example[0], "")
    nbformat.write(new_notebook(cells=[cell]), path.parent.parent / "02_read_write_ratio.ipynb")
    assert list(report.read_sets(path).sets) == ["ddrescue", "microSD", "SD"]
