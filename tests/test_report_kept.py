"""A report is kept only while nothing that it was made from has changed."""

import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from nbformat import read, write
from nbformat.v4 import new_markdown_cell, new_notebook
from report_pages import FIGURE, notebook_at

from sdanalysis import cli, report
from sdanalysis.paths import OTHER_DATA
from sdanalysis.report import note
from sdanalysis.report.outcome import Executed, Outcome, Planned

LOG = """\
from pathlib import Path
print('Answer. It is', Path(log).read_text(), 'of', len(list(Path('logs').glob('*.log'))))"""


def toy_at(path, *sources):
    parameters = "log = 'logs/card.log'"
    tags = ["question-owner", "order-1"]
    text = "# A toy\n\n**Question.** What?"
    return notebook_at(path, text, *sources, parameters=parameters, tags=tags)


def run(books, output="reports", parameters=None, **options):
    """The outcomes of a run over the notebooks of a folder, by their names."""
    given = {"progress": lambda _: None, "cards": lambda: "<p>cards"} | options
    notebooks = sorted(books.glob("*.ipynb"))
    table = books / "data" / "measurements.csv"
    given |= {"parameters": parameters or {}, "origin": report.Origin([table])}
    found = report.run(notebooks, output=books / output, **given)
    return {outcome.page.stem: outcome for outcome in found}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Reports of a notebook that reads files, of one that fails, of one that asks beyond files."""
    books = tmp_path_factory.mktemp("books")
    for name in ("logs/card.log", "package/a.py", "package/t.html.j2", "data/measurements.csv"):
        (books / name).parent.mkdir(exist_ok=True)
        (books / name).write_text("one")
    toy_at(books / "good.ipynb", LOG, FIGURE)
    toy_at(books / "fails.ipynb", "1 / 0")
    toy_at(books / "asks.ipynb", "import subprocess\nsubprocess.run(['true'])")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(note, "_PACKAGE", books / "package")
        patched.setenv(OTHER_DATA, str(books / "data"))
        first = run(books)
        yield books, first


@pytest.fixture
def books(made, tmp_path, monkeypatch):
    """The folder of these reports, as it was again after the test; notebooks run in no kernel."""
    shutil.copytree(made[0], tmp_path / "as-it-was", copy_function=shutil.copy2)
    monkeypatch.setattr(report, "executing", _as_if_run)
    yield made[0]
    shutil.rmtree(made[0])
    shutil.copytree(tmp_path / "as-it-was", made[0], copy_function=shutil.copy2)


@contextmanager
def _as_if_run(planned, progress):
    def made():
        return new_notebook(cells=[new_markdown_cell("# A toy, made anew")])

    yield ((plan, Executed(made(), read=[note.BEYOND])) for plan in planned)


def run_anew(books, **options):
    """Return which notebooks a further run does not keep."""
    return {stem for stem, outcome in run(books, **options).items() if not outcome.kept}


UNKEPT = {"asks", "fails"}


def test_what_has_not_changed_is_kept_but_nothing_that_failed_or_asked_more_than_files(books):
    assert run_anew(books) == UNKEPT


def test_a_kept_report_is_told_as_it_was_and_its_page_has_the_date_of_its_own_run(
    made, books, monkeypatch
):
    before = (books / "reports" / "good.html").read_bytes()
    monkeypatch.setattr(report, "_stamp", _later(report._stamp))
    again = run(books)["good"]
    assert (books / "reports" / "good.html").read_bytes() == before
    was = made[1]["good"]
    assert was.answer == "It is one of 1"
    assert was.cover.png
    assert again.cover.svg == was.cover.svg
    told = ("title", "question", "answer", "order", "seconds", "made", "parameters")
    assert [getattr(again, name) for name in told] == [getattr(was, name) for name in told]
    index = (books / "reports" / "index.html").read_text()
    assert "Made in later days with" in index
    assert f"Made {was.made} with".encode() in before


def test_what_opens_the_front_page_is_made_once_until_something_changes(books):
    made = []

    def picker():
        made.append("<p>choose")
        return "".join(made)

    for anew, times in ((False, 1), (False, 1), (True, 2)):
        run(books, picker=picker, anew=anew)
        assert len(made) == times
        assert (books / "reports" / "index.html").read_text().count("<p>choose") == times
    put("data/measurements.csv")(books)
    run(books, picker=picker)
    assert len(made) == 3


def test_the_sets_of_a_notebook_have_pages_beside_its_own(books):
    sets = {"own": {"log": "logs/card.log"}, "b": {"log": "logs/other.log"}}
    also = report.ParameterSets(notebook=books / "good.ipynb", title="Logs", sets=sets)
    found = run(books, also=also)
    assert list(found)[-1] == "good-log-logs-other-log"
    assert [outcome.values for outcome in found.values()][-1] == {"log": "logs/other.log"}
    assert len(found) == 4  # of the set that is the notebook's own there is one page


def _later(stamp):
    return lambda *given: stamp(*given) | {"made": "in later days"}


def put(name, text="two"):
    return lambda books: (books / name).write_text(text)


def gone(name):
    return lambda books: (books / name).unlink()


def other_source(books):
    notebook = read(books / "good.ipynb", as_version=4)
    notebook.cells[-1].source += " "
    write(notebook, books / "good.ipynb")


def in_page(old, new):
    def change(books):
        page = books / "reports" / "good.html"
        text = page.read_text()
        assert old in text
        head, _, rest = text.rpartition(old)
        page.write_text(head + new + rest)

    return change


def cut_page(books):
    page = books / "reports" / "good.html"
    page.write_bytes(page.read_bytes()[:-40])


CHANGES = {
    "the log that it read": put("logs/card.log"),
    "the log is gone": gone("logs/card.log"),
    "another log in the folder that it looked through": put("logs/other.log"),
    "the notebook": other_source,
    "a module of the package": put("package/a.py"),
    "another module": put("package/b.py"),
    "a template": put("package/t.html.j2"),
    "the table": put("data/measurements.csv"),
    "another file of the data": put("data/hosts.toml"),
    "its page was edited": put("reports/good.html"),
    "its page is gone": gone("reports/good.html"),
    "its note is gone": in_page("\n<!--", "\n"),
    "its page was cut": cut_page,
    "its note is of another run": in_page('"mark": "', '"mark": "0'),
    "its note is none": in_page('{"mark"', '["mark"'),
    "another notebook beside it, which its page links": lambda books: toy_at(books / "later.ipynb"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_what_it_was_made_from_runs_it_again(books, change):
    change(books)
    assert "good" in run_anew(books)
    assert "made anew" in (books / "reports" / "good.html").read_text()


def test_another_setting_of_what_draws_runs_it_again(books, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "svg")
    assert "good" in run_anew(books)


def test_another_parameter_runs_it_again(books):
    assert "good-log-logs-card-log" in run_anew(books, parameters={"log": "logs/./card.log"})


def test_another_release_of_a_library_runs_it_again(books, tmp_path, monkeypatch):
    (tmp_path / "pyarrow-99.0.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert "good" in run_anew(books)


def test_all_are_run_again_where_that_is_asked_for(books):
    assert run_anew(books, anew=True) == {*UNKEPT, "good"}


def test_each_folder_of_reports_keeps_its_own(books):
    assert "good" in run_anew(books, output="others")
    assert "good" not in run_anew(books)


def test_a_page_whose_file_was_written_while_the_notebook_ran_is_not_kept(tmp_path):
    log, page = tmp_path / "card.log", tmp_path / "a.html"
    planned = Planned(notebook=tmp_path / "a.ipynb", page=page, values={}, parameters={})
    outcome = Outcome(**vars(planned), title="A")
    for seconds, is_kept in ((60, False), (-60, True)):
        log.write_text("a log")
        os.utime(log, (time.time() + seconds,) * 2)
        executed = Executed(None, read=[str(log)], since=time.time())
        page.write_bytes(note.signed("a page", "mark", outcome, executed))
        assert note.is_fresh(note.read(page), "mark") == is_kept


DOES = """
import os, sqlite3, sys
from pathlib import Path
from sdanalysis.report import note
note.record('note')
open('read.txt').close()
open('x.no-1.2.pyc').close()
open('written.txt', 'w').close()
os.close(os.open('too.txt', os.O_RDONLY))
os.close(os.open('made.txt', os.O_WRONLY | os.O_CREAT))
list(Path('listed').iterdir())
os.listdir()
sqlite3.connect(':memory:').close()
sqlite3.connect('base.db').close()
import helper, json.tool
open(json.tool.__file__).close()
"""


def test_what_a_process_reads_is_noted_and_neither_what_it_writes_nor_the_libraries(tmp_path):
    (tmp_path / "listed").mkdir()
    for name in ("read.txt", "x.no-1.2.pyc", "too.txt", "helper.py", "duckdb.py"):
        (tmp_path / name).touch()
    place = os.environ | {"PYTHONPATH": f"{tmp_path}:{Path(report.__file__).parents[2]}"}
    for more, expected in (("", set()), ("import duckdb", {note.BEYOND})):
        (tmp_path / "note").unlink(missing_ok=True)
        command = [sys.executable, "-c", DOES + more]
        subprocess.run(command, cwd=tmp_path, env=place, check=True)
        found = set(note.recorded(tmp_path / "note")) - {str(tmp_path / "duckdb.py")}
        names = ("read.txt", "x.no-1.2.pyc", "too.txt", "listed", "base.db", "helper.py", ".")
        assert found == expected | {str(tmp_path / name) for name in names}
    assert note.recorded(tmp_path / "none") == [note.BEYOND]


def first_line(page):
    return page.read_text().splitlines()[0]


def test_the_page_of_all_cards_is_kept_too_until_the_data_change(books):
    asked = []

    def cards():
        asked.append(1)
        return "<p>cards anew"

    page = books / "reports" / "cards.html"
    run(books, cards=cards)
    assert (first_line(page), len(asked)) == ("<p>cards", 0)
    put("data/hosts.toml")(books)
    run(books, cards=cards)
    assert (first_line(page), len(asked)) == ("<p>cards anew", 1)
    page.write_text("edited")
    run(books, cards=cards)
    run(books, cards=cards)
    assert (first_line(page), len(asked)) == ("<p>cards anew", 2)


def test_a_page_of_cards_that_cannot_be_made_ends_the_run_and_leaves_the_pages_alone(books):
    def cards():
        raise ValueError("no cards")

    put("data/hosts.toml")(books)
    with pytest.raises(ValueError, match="no cards"):
        run(books, cards=cards)
    assert "made anew" not in (books / "reports" / "good.html").read_text()


def test_the_command_says_what_was_kept_and_all_keeps_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    toy_at(tmp_path / "good.ipynb")
    one = {"notebook": tmp_path / "good.ipynb", "page": tmp_path / "reports" / "good.html"}
    kept_one = Outcome(**one, values={}, parameters={}, title="Good", kept=True)
    asked = []

    def answered(*_, progress, anew, **__):
        asked.append(anew)
        progress(kept_one)
        return [kept_one]

    monkeypatch.setattr(report, "run", answered)
    for more in ([], ["--all"]):
        assert cli.main(["report", "good.ipynb", *more]) == 0
        printed = capsys.readouterr().out
        assert "good: unchanged, kept, 1 of 1\n" in printed
        assert "1 of 1 reports, 1 of them kept in" in printed
    assert asked == [False, True]


def test_the_command_lists_parameters_and_takes_any_name_of_a_computer(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    notebook_at(tmp_path / "a.ipynb", "# A", parameters='host: str = ""  # an id')
    assert cli.main(["report", "--list", "a.ipynb"]) == 0
    assert capsys.readouterr().out == "a\n  host: str = ''  # an id\n"
    asked = []
    monkeypatch.setattr(report, "run", lambda *_, parameters, **__: asked.append(parameters) or [])
    for name in ("Raspberry Pi 4", "no board"):
        assert cli.main(["report", "a.ipynb", "-p", "host", name]) == 0
    assert asked == [{"host": "pi-4b"}, {"host": "no board"}]
