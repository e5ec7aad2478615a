import base64
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from markupsafe import escape
from nbformat.v4 import new_notebook
from PIL import Image
from report_pages import FIGURE, executing_here, notebook_at

from sdanalysis import __version__, report
from sdanalysis.cli import main
from sdanalysis.errors import SdAnalysisError
from sdanalysis.paths import OTHER_DATA
from sdanalysis.plots.show import DRAWN_FROM

# --- parameters ----------------------------------------------------------------------------------


def test_a_parameter_has_name_type_default_and_help(tmp_path):
    source = """\
tool: str = "iozone"  # a comment with an = in it
form: str | None = None  # microSD, SD
minimum = 3  # pairs
hosts: list[str] = [
    "pi-4b",  # the newest
]  # where
plain: bool = False
"""
    declared = report.parameters_of(notebook_at(tmp_path / "a.ipynb", parameters=source))
    shown = [(p.name, p.type, p.default, p.help) for p in declared.values()]
    assert shown == [
        ("tool", "str", "'iozone'", "a comment with an = in it"),
        ("form", "str | None", "None", "microSD, SD"),
        ("minimum", "int", "3", "pairs"),
        ("hosts", "list[str]", "['pi-4b']", "where"),
        ("plain", "bool", "False", ""),
    ]
    assert list(declared) == [name for name, *_ in shown]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": [1]}', "{}"])
def test_what_is_no_notebook_is_refused(tmp_path, text):
    (tmp_path / "a.ipynb").write_text(text)
    with pytest.raises(SdAnalysisError, match=r"a\.ipynb: found no notebook"):
        report.parameters_of(tmp_path / "a.ipynb")


def test_a_notebook_may_lack_parameters_but_not_be_missing_or_have_a_broken_cell_of_them(tmp_path):
    nbformat.write(new_notebook(), tmp_path / "a.ipynb")
    assert report.parameters_of(tmp_path / "a.ipynb") == {}
    with pytest.raises(SdAnalysisError, match=r"b\.ipynb: cannot be read"):
        report.parameters_of(tmp_path / "b.ipynb")
    with pytest.raises(SdAnalysisError, match="parameters cell is not Python"):
        report.parameters_of(notebook_at(tmp_path / "a.ipynb", parameters="tool = = 1"))


@pytest.mark.parametrize(
    ("declared", "text", "value"),
    [
        ('x: str = "a"', "007", "007"),
        ('x = "a"', "None", "None"),
        ("x: int = 1", "007", 7),
        ("x = 1", "-3", -3),
        ("x: float = 1.5", "2", 2.0),
        ("x: bool = False", "True", True),
        ("x: bool = True", "false", False),
        ("x: str | None = None", "None", None),
        ("x: int | None = None", "4", 4),
    ],
)
def test_text_becomes_the_declared_type(tmp_path, declared, text, value):
    path = notebook_at(tmp_path / "a.ipynb", parameters=declared)
    [(_, values)] = report.check_parameters([path], {"x": text}).items()
    assert values == {"x": value}
    assert type(values["x"]) is type(value)


@pytest.mark.parametrize(
    ("declared", "text", "message"),
    [
        ("x: int = 1  # pairs", "1.5", "x: found '1.5', expected int.*x = 1  # pairs"),
        ("x: float = 1.5", "1,5", "expected float"),
        ("x: bool = True", "1", "expected bool"),
        ("x: int = 1", "None", "expected int"),
        ("x: list[int] = [1]", "[2]", r"declares list\[int\].*only str, int, float, bool"),
    ],
)
def test_text_of_another_type_is_refused(tmp_path, declared, text, message):
    path = notebook_at(tmp_path / "a.ipynb", parameters=declared)
    with pytest.raises(SdAnalysisError, match=message):
        report.check_parameters([path], {"x": text})


def test_a_parameter_goes_to_the_notebooks_that_have_it_and_an_unknown_one_is_refused(tmp_path):
    declared = {"a": "x = 1", "b": "x: str = 'a'", "c": "z = 1"}
    paths = [notebook_at(tmp_path / f"{n}.ipynb", parameters=s) for n, s in declared.items()]
    values = report.check_parameters(paths, {"x": "2"})
    assert list(values.values()) == [{"x": 2}, {"x": "2"}, {}]
    with pytest.raises(
        SdAnalysisError, match="zz: no notebook has it, there are x, z; did you mean"
    ):
        report.check_parameters(paths, {"zz": "1"})


# --- the run -------------------------------------------------------------------------------------

ODD = '007 "quoted" \\ {brace}\n<b>'
GOOD = [
    "# A `good` one\n\n**Question.** What is\nthe *tool*?\n\n**Answer.** See below.",
    "from pathlib import Path\nprint('Answer. It is', repr(tool))\nprint(Path.cwd())",
    "## A claim",
    FIGURE,
    "import pandas\npandas.DataFrame({'n': [1], 'card': ['A1']})",
    "## Another claim",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The pages, outcomes and events of a run of a good notebook and of three that fail."""
    folder = tmp_path_factory.mktemp("note{books}")
    output = folder / "reports"
    output.mkdir()
    (output / "00_old.html").write_text("an older page")
    (output / "02_raises.html").write_text("a page of a good run")
    cells = {
        "02_raises": ("# Bad", "1", "raise KeyError('<no>\\nrest')", "2"),
        "03_exits": ("**Answer.** Old.", "import sys; sys.exit(0)"),
        "04_dies": ("import os\nos._exit(9)",),
    }
    paths = [notebook_at(folder / "01_good.ipynb", *GOOD)]
    paths += [notebook_at(folder / f"{n}.ipynb", *c, parameters="n = 1") for n, c in cells.items()]
    data = folder / "measurements.csv"
    data.write_text("a,b\n")
    events = []
    outcomes = report.run(
        paths,
        output=output,
        parameters={"tool": ODD},
        progress=events.append,
        origin=report.Origin([data], {"somebody-2019": "https://example.org/a?b&c"}),
    )
    pages = {path.stem: path.read_text() for path in output.glob("*.html")}
    return folder, outcomes, events, pages


NAME = "01_good-tool-007-quoted-brace-b"


def test_every_notebook_has_a_page_and_nothing_else_is_left(made):
    folder, outcomes, _, pages = made
    names = ["01_good-tool-007-quoted-brace-b", "02_raises", "03_exits", "04_dies"]
    assert [outcome.page.stem for outcome in outcomes] == names
    assert all(outcome.page.parent == folder / "reports" for outcome in outcomes)
    failed = [f"{stem}.failed" for stem in names[1:]]
    assert sorted(pages) == sorted(["00_old", names[0], "02_raises", *failed, "index"])
    left = {path.name for path in (folder / "reports").iterdir()}
    assert left == {f"{stem}.html" for stem in pages}


def test_a_failure_names_cell_and_exception(made):
    found = [(outcome.cell, outcome.error) for outcome in made[1]]
    assert found[:3] == [(None, ""), (3, "KeyError: '<no>\\nrest'"), (2, "SystemExit: 0")]
    cell, error = found[3]
    assert cell == 2
    assert error.startswith("DeadKernelError")


def test_progress_tells_start_cells_and_end(made):
    _, outcomes, events, _ = made
    raises = [event for event in events if event.page.stem == "02_raises"]
    assert [(e.cell, e.cells) for e in raises[:-1]] == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert raises[-1].error == outcomes[1].error


def test_the_parameter_arrives_as_it_was_given_and_the_page_shows_it(made):
    folder, outcomes, _, pages = made
    assert outcomes[0].answer.startswith(f"It is {ODD!r}")
    assert "tool = <code>" in pages[NAME]
    assert "Parameters in bold were set for this run." in pages[NAME]
    again = f"sdanalysis report 01_good -p tool {shlex.quote(ODD)}"
    assert f"<code>{escape(again)}</code>" in pages[NAME]
    assert outcomes[0].answer.endswith(str(folder))  # a kernel runs in the notebook's folder


def test_the_index_has_title_answer_status_and_what_is_older(made):
    index = made[3]["index"]
    for text in (
        '<a href="01_good-tool-007-quoted-brace-b.html">A good one</a>',
        "It is &#39;007",
        "Failed in cell 3:</strong> <code>KeyError: &#39;&lt;no&gt;",
        'href="00_old.html"',
        'href="https://example.org/a?b&amp;c"',
        "measurements.csv, sha256 <code",
    ):
        assert text in index
    assert "Old." not in index  # a notebook that failed has no answer


def test_the_page_of_a_failure_says_so_first_and_leaves_that_of_a_good_run(made):
    page = made[3]["02_raises.failed"]
    assert made[3]["02_raises"] == "a page of a good run"
    assert '<a href="02_raises.html">The page of the last good run</a>' in made[3]["index"]
    assert '<a href="04_dies.html">' not in made[3]["index"]
    assert page.index("This report failed in cell 3") < page.index("<h1")
    assert "Code that was not run" in page
    assert "Execution using papermill" not in page


def test_a_page_keeps_alt_text_numbers_code_and_claims(made):
    page = made[3][NAME]
    assert re.search(r"""aria-label=['"]Two bars, (&quot;|")b(&quot;|") the longer\.""", page)
    assert "What is drawn, as text" in page
    assert page.count('<div class="code">') == 5
    assert page.count('id="show-code"') == 1
    assert 'class="dataframe word-1"' in page
    assert "<th></th>" not in page
    assert re.findall(r'<li><a href="#([^"]+)">', page) == ["A-claim", "Another-claim"]
    assert 'id="A-claim"' in page
    assert re.search(r'<a aria-label="Link to: A claim" class="anchor" href="#A-claim">#</a>', page)


def test_a_page_leads_to_the_ones_before_and_after_it_on_top_and_at_the_end(made):
    good, failed = made[3][NAME], made[3]["02_raises.failed"]
    assert good.count("Previous") == 0
    assert good.count('class="next" href="02_raises.html"') == 2
    assert failed.count(f'class="previous" href="{NAME}.html"') == 2
    assert "Next: Bad" in good and "Previous: A good one" in failed


def test_the_code_of_a_cell_that_failed_is_shown_before_anybody_asks(made):
    page = made[3]["02_raises.failed"]
    [raised] = re.findall(r'<div class="code raised">.*?</div>', page, re.DOTALL)
    assert "KeyError" in raised


@pytest.mark.parametrize("stem", [NAME, "02_raises.failed", "index"])
def test_a_page_asks_no_other_host_and_runs_no_script_but_the_one_of_its_policy(made, stem):
    page = made[3][stem]
    assert "default-src 'none'" in page
    assert not re.search(r"<link|@import|url\((?!#)|src=\"(?!data:)", page)
    [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert page.count("<script") == 1


def test_a_page_offers_the_frame_and_the_picture_of_each_figure_which_says_how_it_was_made(made):
    folder, _, _, pages = made
    found = re.findall(r'<a download="([^"]+)" href="data:([^"]+);base64,([^"]+)"', pages[NAME])
    saved = {name: (kind, base64.b64decode(content)) for name, kind, content in found}
    csv, png = (f"{NAME}-figure-1-a-claim.{kind}" for kind in ("csv", "png"))
    assert saved[csv] == ("text/csv;charset=utf-8", b"bar,n\na,1\nb,2.5\n")
    assert saved[png][0] == "image/png"
    texts = Image.open(io.BytesIO(saved[png][1])).text
    assert re.fullmatch("[0-9a-f]{64}", texts.pop(DRAWN_FROM))
    digest = hashlib.sha256((folder / "measurements.csv").read_bytes()).hexdigest()
    assert texts == {
        "Software": f"sd-card-analysis {__version__}",
        "Source": "01_good.ipynb",
        "Parameters": f"tool = {ODD!r}",
        "Data": f"measurements.csv sha256:{digest}",
        "Title": "A claim",
        "Description": 'Two bars, "b" the longer.',
        "Figure": "1",
    }


def test_the_page_shows_the_figure_as_svg_with_ids_of_its_own(made):
    page = made[3][NAME]
    assert len(re.findall(r"<svg [^>]*aria-label=.Two bars,", page)) == 2  # wide, narrow
    assert "<img" not in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    assert 'id="figure-1"' in page


def test_bad_calls_are_refused_and_leave_the_pages_alone(tmp_path):
    path = notebook_at(tmp_path / "a.ipynb")
    output = tmp_path / "reports"
    output.mkdir()
    (output / "a.html").write_text("good")
    (tmp_path / "file").write_text("")

    def run(notebooks=(path,), output=output, **options):
        options = {"parameters": {}, "progress": print} | options
        with pytest.raises(SdAnalysisError) as refused:
            report.run(notebooks, output=output, **options)
        return str(refused.value)

    assert "found none" in run(notebooks=[])
    assert "different names" in run(notebooks=[path, path])
    assert "no notebook has it" in run(parameters={"x": "1"})
    assert "cannot be read" in run(origin=report.Origin([tmp_path / "missing.csv"]))
    assert "cannot be written" in run(output=tmp_path / "file")
    assert [p.name for p in output.iterdir()] == ["a.html"]
    assert (output / "a.html").read_text() == "good"


def test_a_report_made_alone_joins_the_index_and_leaves_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "executing", executing_here)
    output = tmp_path / "reports"
    one = notebook_at(tmp_path / "01_one.ipynb", "# One", "print('Answer. First.')")
    two = notebook_at(
        tmp_path / "02_two.ipynb", "# Two", "print(f'Answer. {n} is.')", parameters="n: int = 1"
    )
    for notebooks, parameters in (([one, two], {}), ([two], {"n": "2"}), ([two], {"n": "1"})):
        report.run(notebooks, output=output, parameters=parameters, progress=lambda _: None)
    pages = {path.name for path in output.iterdir()}
    assert pages == {"01_one.html", "02_two.html", "02_two-n-2.html", "index.html"}
    index = (output / "index.html").read_text()
    assert [text in index for text in ("First.", "1 is.", "2 is.", "earlier runs")] == [
        *(True, True, True, False)
    ]
    one.unlink()
    report.run([two], output=output, parameters={}, progress=lambda _: None)
    index = (output / "index.html").read_text()
    assert "First." not in index  # nobody can make it again
    assert '<li><a href="01_one.html">' in index


def test_the_notebooks_of_a_report_read_the_folder_of_data_that_is_named(tmp_path, monkeypatch):
    mine, saved = tmp_path / "mine", Path("processed", "measurements.csv")
    shutil.copytree(Path(__file__).parents[1] / "data", mine)
    table = b"".join((mine / saved).read_bytes().splitlines(keepends=True)[:4])
    (mine / saved).write_bytes(table)
    source = "import sdanalysis\nprint(len(sdanalysis.load()), 'rows are loaded')"
    notebook_at(tmp_path / "rows.ipynb", "# Rows", "**Question.** How many?", source)
    monkeypatch.setenv(OTHER_DATA, "before")  # what the command sets is gone after the test
    monkeypatch.chdir(tmp_path)
    assert main(["report", "rows.ipynb", "--data", "mine"]) == 0
    page = (tmp_path / "reports" / "rows.html").read_text(encoding="utf-8")
    assert "3 rows are loaded" in page
    assert hashlib.sha256(table).hexdigest() in page


# What Ctrl-C in a terminal does: it reaches the calling process and all that it started.
# A shell starts what runs in the background with interrupts ignored; a test suite may run there.
INTERRUPTED = """
import signal, sys
from pathlib import Path
from sdanalysis import report
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = Path(sys.argv[1])
    report.run([folder / "a.ipynb"], output=folder, parameters={}, progress=lambda event: None)
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_however_a_run_is_ended_it_leaves_no_process_no_folder_and_no_half_report(tmp_path, end):
    (tmp_path / "a.html").write_text("good")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    script, note = tmp_path / "script.py", tmp_path / "kernel.json"
    script.write_text(INTERRUPTED)
    wait = (
        "import json, os, subprocess, time\nown = subprocess.Popen(['sleep', '60']).pid\n"
        "run = os.environ['SDANALYSIS_RUN']\n"
        "open('kernel.json', 'w').write(json.dumps([[os.getpid(), own], run]))\n"
    )
    notebook_at(tmp_path / "a.ipynb", wait + "time.sleep(60)")
    caller = subprocess.Popen(
        [sys.executable, script, tmp_path],
        env=os.environ
        | {"PYTHONPATH": str(Path(report.__file__).parents[2]), "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until(lambda: note.exists() and note.read_text().endswith("]"), 60)
    started, folder = json.loads(note.read_text())
    if end == signal.SIGINT:
        os.killpg(caller.pid, end)
    else:
        caller.send_signal(end)
    _, errors = caller.communicate(timeout=20)
    assert errors.count(b"Traceback") == (end == signal.SIGINT)  # that of the caller
    assert Path(folder).parent == temporary
    until(lambda: not any(map(is_alive, started)) and not any(temporary.iterdir()), 5)
    temporary.rmdir()
    assert (tmp_path / "a.html").read_text() == "good"
    assert {path.suffix for path in tmp_path.iterdir()} == {".html", ".py", ".json", ".ipynb"}


def until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
