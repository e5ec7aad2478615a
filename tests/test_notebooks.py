"""What every notebook has to keep to, and that nbval sees what it is there to see.

Prose to code is counted in words between blanks: words of the markdown cells over words of the
code cells without the parameters. Lines would reward whoever wraps prose early.
"""

import ast
import base64
import contextlib
import io
import os
import re
import shutil
import sys
from collections.abc import Iterator
from copy import deepcopy
from itertools import takewhile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import nbformat
import pandas as pd
import pytest
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from sdanalysis import audit, load_hosts, load_media, report, stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.report.answer import PARAGRAPH, TAG, passage, with_answer

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
APPENDIX = "## Appendix"
FORBIDDEN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def problems(path: Path) -> list[str]:
    """Say what is wrong with a notebook, a line each; empty for a good one."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    found = [*about_file(path, notebook), *about_prose(notebook), *about_parameters(path, code)]
    found += about_answer(notebook, code)
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        found.append(f"execution counts are {counts}: run it once from top to bottom")
    if not any(cell.outputs for cell in code):
        found.append("no cell has an output: they were cleared")
    for number, cell in enumerate(code, start=1):
        cell_problems = [*about_code(cell.source), *about_outputs(cell)]
        found += [f"In [{number}]: {problem}" for problem in cell_problems]
    return found


def about_file(path: Path, notebook) -> Iterator[str]:
    if not re.fullmatch(r"\d\d(_[a-z0-9]+)+\.ipynb", path.name):
        yield "the name is not NN_snake_question.ipynb"
    if path.stat().st_size >= 300_000:
        yield f"it has {path.stat().st_size} bytes, at most 300,000 are allowed"
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    if kernel != "python3":
        yield f"the kernel is named {kernel}, not python3"


def about_prose(notebook) -> Iterator[str]:
    first = notebook.cells[0] if notebook.cells else new_code_cell()
    if first.cell_type != "markdown" or not first.source.startswith("# "):
        yield "the first cell has no '# Title'"
    if "**Question.**" not in first.source:
        yield "the first cell has no **Question.**"
    body = takewhile(lambda cell: not cell.source.startswith(APPENDIX), notebook.cells)
    sections = [cell.source for cell in body if cell.cell_type == "markdown"]
    headings = [line for line in "\n".join(sections).splitlines() if line.startswith("## ")]
    for place, heading in ((-2, "## What this says"), (-1, "## What this does not say")):
        if headings[place:][:1] != [heading]:
            yield f"before the end, or the appendix, '{heading}' does not stand in its place"
    markdown = [c.source for c in notebook.cells if c.cell_type == "markdown"]
    code = [c.source for c in notebook.cells if c.cell_type == "code" and not _is_parameters(c)]
    prose_words, code_words = (len(" ".join(texts).split()) for texts in (markdown, code))
    if prose_words < 0.8 * code_words:
        yield f"{prose_words} words of prose to {code_words} of code: less than 0.8"


def _is_parameters(cell) -> bool:
    return "parameters" in cell.metadata.get("tags", [])


def about_answer(notebook, code) -> Iterator[str]:
    """Say what is wrong with the answer of a notebook that has a cell tagged `answer`."""
    places = [place for place, cell in enumerate(code) if TAG in cell.metadata.get("tags", [])]
    if not places:
        return
    if len(places) > 1:
        yield f"{len(places)} cells are tagged {TAG}, not one"
    if places[0] > 2:
        yield f"In [{places[0] + 1}] prints the answer: more than In [1] and In [2] stand before it"
    printed = "".join(output.get("text", "") for output in code[places[0]].outputs)
    if not printed.startswith("Answer. "):
        yield f"the cell tagged {TAG} does not print 'Answer. ' first"
    answer = passage(notebook, PARAGRAPH.format("Answer"))
    if notebook.cells[0].source != with_answer(notebook.cells[0].source, answer, stored=True):
        yield "the title cell does not hold the printed answer: run `make notebooks`"
    for word in sorted(_statistician_words(answer)):
        yield f"the answer says {word!r}: names and plain words belong there"


def _statistician_words(answer: str) -> set[str]:
    """Return the ids of the catalogue in an answer, and what only a statistician reads."""
    media, hosts = load_media(), load_hosts()
    ids = {*media["specimen"], *media["medium"], *hosts["host"], *hosts["reader"]} - {"slot", "usb"}
    found = {name for name in ids if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", answer)}
    return found | {*re.findall(r"\b[np] = |Holm|Bonferroni|geometric|median", answer)}


def about_parameters(path: Path, code) -> Iterator[str]:
    tagged = [cell for cell in code if _is_parameters(cell)]
    if len(tagged) != 1:
        yield f"{len(tagged)} cells are tagged parameters, not one"
        return
    declared = report.parameters_of(path)
    if len(ast.parse(tagged[0].source).body) != len(declared) or len(declared) > 8:
        yield "the parameters are not at most 8 plain assignments"
    for parameter in declared.values():
        if not parameter.help:
            yield f"parameter {parameter.name} has no comment"


def about_code(source: str) -> Iterator[str]:
    if len(source.splitlines()) > 15:
        yield f"{len(source.splitlines())} lines, at most 15 are allowed"
    if re.search(r"nbval", source, re.IGNORECASE):
        yield "a marker tells nbval not to look"
    if "pivot_table" in source:
        yield "pivot_table averages silently: use pivot"
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        yield f"not plain Python: {error}"
        return
    if any(isinstance(node, FORBIDDEN) for node in ast.walk(tree)):
        yield "a function or class is defined: it belongs into the package"


def about_outputs(cell) -> Iterator[str]:
    if any("nbval" in tag or tag == "raises-exception" for tag in cell.metadata.get("tags", [])):
        yield "a tag tells nbval not to look"
    if _prints(cell.source) and not cell.outputs:
        yield "it prints or shows something, but has no output"
    for output in cell.outputs:
        if output.output_type == "error" or output.get("name") == "stderr":
            yield f"it has an error or a warning as output: {str(output)[:200]}"
        data = output.get("data", {})
        text = data.get("text/plain", "")
        if "image/png" in data and not {"text/csv", "text/plain"} <= set(data):
            yield "a figure is not shown by show(fig, alt=...), so nothing compares its numbers"
        if "text/html" in data and re.match(r"<.* object", text):
            yield "the text beside the HTML holds no number that could be compared"
        if "text/html" in data and re.search(r"^(\.\.|.* \.\.\. )", text, re.MULTILINE):
            yield "the text of a table is cut short, so what is left out is not compared"


def _prints(source: str) -> bool:
    """Whether a cell calls print, show or display, or ends in an expression (without `;`)."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return False
    called = {
        node.func.id
        for node in ast.walk(ast.Module(body, []))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    ends_in_expression = bool(body) and isinstance(body[-1], ast.Expr)
    silenced = source.rstrip().endswith(";")
    return bool(called & {"print", "show", "display"}) or (ends_in_expression and not silenced)


def test_there_are_notebooks_and_sets():
    assert NOTEBOOKS
    assert COMMITTED


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_keeps_to_the_rules(path):
    assert problems(path) == []


# --- the rules themselves, on toy notebooks -----------------------------------------------------

PROSE = "# A toy\n\n**Question.** Is it good, and would a bad one be found out by these rules?"
END = "## What this says\n\nEnough.\n\n## What this does not say\n\nMore."
PARAMETERS = 'tool: str = "iozone"  # iozone or fio'
PRINT = "print(tool)"


def toy(*sources, end=END, first=PROSE):
    """A good notebook with these code cells; the last one has printed `iozone`."""
    cells = [new_code_cell(source) for source in (PARAMETERS, *(sources or [PRINT]))]
    cells[0].metadata["tags"] = ["parameters"]
    for count, cell in enumerate(cells, start=1):
        cell.execution_count = count
    cells[-1].outputs = [new_output("stream", name="stdout", text="iozone\n")]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(
        cells=[new_markdown_cell(first), *cells, new_markdown_cell(end)],
        metadata={"kernelspec": kernel},
    )


def toy_with_output(**fields):
    notebook = toy()
    notebook.cells[2].outputs = [new_output(**fields)]
    return notebook


def changed(change):
    notebook = toy()
    change(notebook)
    return notebook


def saved(notebook, folder, name="01_toy.ipynb"):
    path = folder / name
    nbformat.write(notebook, path)
    return path


def data(**fields):
    return toy_with_output(output_type="display_data", data=fields)


def answered(printed="Answer. Of 2 cards one is faster.\n", title=None, places=(2,), cells=2):
    """A toy whose cells at these places are tagged `answer`; the first of them has printed."""
    notebook = toy(*["1;"] * (cells - 1), PRINT)
    for place in places:
        notebook.cells[place].metadata["tags"] = [TAG]
    notebook.cells[places[0]].outputs = [new_output("stream", name="stdout", text=printed)]
    answer = printed.strip().removeprefix("Answer. ") if title is None else title
    notebook.cells[0].source = with_answer(PROSE, answer, stored=True)
    return notebook


def test_a_good_toy_has_no_problems_with_an_answer_and_an_appendix_neither(tmp_path):
    assert problems(saved(toy(), tmp_path)) == []
    assert problems(saved(answered(), tmp_path)) == []
    notebook = answered()
    notebook.cells += [new_markdown_cell(f"{APPENDIX}: more"), new_code_cell("1;")]
    notebook.cells[-1].execution_count = 4
    assert problems(saved(notebook, tmp_path)) == []


BAD = {
    "2 cells are tagged answer": answered(places=(2, 3)),
    "In [5] prints the answer": answered(places=(5,), cells=4),
    "does not print 'Answer. ' first": answered("Yes.\n", title=""),
    "does not hold the printed answer": answered(title="Another."),
    "says 'pi-4b'": answered("Answer. On pi-4b it is faster.\n"),
    "says 'perrin/6401'": answered("Answer. The fastest is perrin/6401.\n"),
    "says 'n = '": answered("Answer. It is faster (n = 3).\n"),
    "execution counts": changed(lambda n: n.cells[2].update(execution_count=3)),
    "they were cleared": changed(lambda n: n.cells[2].update(outputs=[])),
    "but has no output": toy("print(1)", PRINT),
    "no output": toy("tool", PRINT),
    "an error or a warning": toy_with_output(output_type="stream", name="stderr", text="beware"),
    "error or a warning": toy_with_output(output_type="error", ename="E", evalue="", traceback=[]),
    "named conda, not": changed(lambda n: n.metadata.kernelspec.update(name="conda")),
    "0 cells are tagged": changed(lambda n: n.cells[1].metadata.clear()),
    "2 cells are tagged": changed(lambda n: n.cells[2].metadata.update(tags=["parameters"])),
    "tool has no comment": changed(lambda n: n.cells[1].update(source="tool = 'fio'")),
    "at most 8": changed(lambda n: n.cells[1].update(source="import os\ntool = 1  # one")),
    "defined": toy("def f(): return 1", PRINT),
    "is defined": toy("class A: pass", PRINT),
    "pivot_table averages": toy("rows = frame.pivot_table()", PRINT),
    "16 lines": toy("\n".join(["a = 1"] * 16), PRINT),
    "not plain Python": toy("%matplotlib inline", PRINT),
    "marker tells nbval": toy("# NBVAL_SKIP", PRINT),
    "tag tells nbval": changed(lambda n: n.cells[2].metadata.update(tags=["nbval-skip"])),
    "less than 0.8": toy("a = [" + "1, " * 200 + "]", PRINT),
    "'# Title'": toy(first="**Question.** What? " * 5),
    "no **Question.**": toy(first="# Title " * 9),
    "'## What this says' does not": toy(end="## What this does not say\n\n" + "word " * 20),
    "'## What this does not say' does not": toy(end="## What this says\n\n" + "word " * 20),
    "not shown by show": data(**{"image/png": "AA==", "text/plain": "<Figure size 1x1>"}),
    "holds no number": data(**{"text/html": "5", "text/plain": "<IPython.core.HTML object>"}),
    "cut short": data(**{"text/html": "5", "text/plain": "   n\n0  1\n.. ..\n9  2"}),
}


@pytest.mark.parametrize("problem", BAD)
def test_a_bad_toy_is_found_out(tmp_path, problem):
    found = problems(saved(BAD[problem], tmp_path))
    assert any(problem in line for line in found), found


def test_a_bad_name_and_a_large_file_are_found_out(tmp_path):
    notebook = toy(end=END + " " * 300_000)
    found = problems(saved(notebook, tmp_path, "1-Toy.ipynb"))
    assert "the name is not NN_snake_question.ipynb" in found
    assert any("at most 300,000" in line for line in found)


# --- other parameters ----------------------------------------------------------------------------

PARAMETER_SETS = [
    ("00_which_card", {"host": "pi-3b-sd80", "confidence": 0.5}),
    ("01_dataset", {"source": "perrin-2016", "rule": "exchanged columns"}),
    ("02_read_write_ratio", {"tool": "ddrescue", "access": "sequential", "form": "all"}),
    ("02_read_write_ratio", {"form": "USB stick", "confidence": 0.8}),
    ("03_card_vintage", {"op": "randread", "least_evidence": "inferred", "confidence": 0.9}),
    ("04_reader_type", {"base": "pi-3b/slot", "op": "randwrite", "confidence": 0.8}),
    ("04_reader_type", {"base": "pi-2b/slot", "other": "pi-4b/slot", "tool": "hdparm"}),
    ("05_pi_model", {"base": "pi-4b", "near": 0.9}),
    ("05_pi_model", {"base": "pi-2b", "measured_by": "geerling", "confidence": 0.9}),
    ("06_application_class", {"host": "pi-3b", "application_class": "A2", "confidence": 0.8}),
    ("06_application_class", {"host": "pi-b", "tool": "fio"}),
    ("07_claims", {"source": "perrin-2016", "verdict": "contradicted"}),
    ("07_claims", {"source": "kulesz-2017", "confidence": 0.5}),
    ("09_command_queue", {"op": "read", "confidence": 0.9}),
    ("10_over_time", {"paths": "data/examples/over-time/cache-empty_bw.1.log", "beside": ""}),
    ("10_over_time", {"least": 20.0, "confidence": 0.99, "reports": ""}),
]
COUNTED = (
    r"n = \d|\b([Nn]o|[Oo]ne|\d+) (pairs? of )?(cards?|readers?|(USB )?sticks?|media|samples)\b"
)
# a value that the data do not have, or not with the others; what is said of it
REFUSED = """
01_dataset source=kulesz: 'kulesz', expected one of all, chilina-2018, .*perrin
01_dataset rule=none: 'none', expected one of all, exchanged columns
02_read_write_ratio tool=fio: 'fio', expected one of ddrescue, iozone
02_read_write_ratio access=all: access 'all', expected one of random, sequential
02_read_write_ratio form=eMMC: 'eMMC', expected one of CF, SD, .*microSD, all
04_reader_type base=macbook-air/macbook: macbook', expected .*cr0015 and pi-2b
04_reader_type tool=dd: tool 'dd', expected one of iozone
04_reader_type op=mixed: op 'mixed', expected one of all, randread
08_my_card host=pi4 reader=x: found no such reader of pi-4b, expected one of
03_card_vintage op=randwrit: 'randwrit', expected one of randwrite, randread
03_card_vintage least_evidence=named: 'named'.*printed, linked, guessed
05_pi_model base=pi-b: 'pi-b', expected one of pi-2b, pi-3b, pi-3b-sd100
05_pi_model measured_by=perrin: 'perrin', expected one of all, arthur, geerling
05_pi_model measured_by=arthur base=pi-2b: 'pi-2b', expected .* pi-3b, pi-4b
06_application_class host=pi-5: 'pi-5', expected one of .*pi-4b
06_application_class application_class=A3: 'A3', expected one of A1, A2
06_application_class tool=dd: 'dd', expected one of fio, iozone
07_claims source=nobody: source 'nobody', expected one of all, geerling-2019
09_command_queue confidence=2.0: confidence 2, expected it between 0 and 1
10_over_time confidence=2.0: confidence 2 and least 2, expected one between 0
10_over_time paths=none_bw.log: none_bw.log: found no such file
"""
SET_FILES = sorted((ROOT / "notebooks" / "sets").glob("*.toml"))
COMMITTED = [
    (found.notebook.stem, parameters)
    for found in map(report.read_sets, SET_FILES)
    for parameters in found.sets.values()
]


def with_another_value(sets):
    """The sets that have a value of a parameter which none before has, nor the stored notebook."""
    stored = {path.stem: report.parameters_of(path).values() for path in NOTEBOOKS}
    seen = {(name, p.name, p.default) for name, own in stored.items() for p in own}
    for name, parameters in sets:
        values = {(name, parameter, repr(value)) for parameter, value in parameters.items()}
        if values - seen:
            yield name, parameters
        seen |= values


@pytest.fixture(scope="module")
def _nothing_twice():
    """No picture is painted where nobody looks at one; one table is audited, no model judged."""

    def one_dot(figure, file, **options):
        Image.new("RGB", (1, 1)).save(file, "PNG")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Figure, "savefig", one_dot)
        patched.setattr("sdanalysis.plots.show.fit", lambda figure, **_: None)
        patched.setattr(stats, "score", lambda fit: SimpleNamespace(rms_factor=1.5))
        run, found = audit.run, []

        def audited(*tables):
            found.extend([] if found else [run(*tables)])
            return deepcopy(found[0])

        patched.setattr(audit, "run", audited)
        yield


def run_with(name, parameters):
    """Run a notebook with other parameters."""
    names = {}
    with pd.option_context(
        "display.width", 80, "display.max_columns", 20, "display.max_colwidth", 50
    ):
        for cell in nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells:
            if cell.cell_type == "code":
                exec(cell.source, names)
            if _is_parameters(cell):
                assert set(parameters) <= set(names)
                names |= parameters


@pytest.mark.usefixtures("_nothing_twice")
@pytest.mark.parametrize(
    ("name", "parameters"),
    list(with_another_value([*PARAMETER_SETS, *COMMITTED])),
    ids=lambda given: str(given).replace("/", "-"),
)
def test_a_notebook_answers_for_other_parameters_too(name, parameters, capsys):
    run_with(name, parameters)
    (answer,) = re.findall(r"^Answer\. (?:.+\n)+", capsys.readouterr().out, re.MULTILINE)
    cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    stored = [o.get("text", "") for cell in cells for o in cell.get("outputs", [])]
    assert re.search(COUNTED, answer)
    assert answer.strip() not in "".join(stored)


@pytest.mark.parametrize("case", REFUSED.strip().splitlines())
def test_a_value_that_the_data_do_not_have_is_refused_with_those_they_have(case):
    asked, _, message = case.partition(": ")
    name, *values = asked.split()
    parameters = dict(value.split("=") for value in values)
    if "confidence" in parameters:
        parameters["confidence"] = float(parameters["confidence"])
    with pytest.raises(SdAnalysisError, match=message):
        run_with(name, parameters)


# --- nbval with notebooks/conftest.py ------------------------------------------------------------

FIGURE = """\
import matplotlib.pyplot as plt
import pandas
from sdanalysis.plots.show import show
fig, axes = plt.subplots()
axes.bar(["a", "b"], [1, 2.5])
show(fig, alt="Two bars.", data=pandas.DataFrame({'bar': [1, 2.5]}))"""
WARNING = "import sys; print('beware', file=sys.stderr)"
TABLE = "import pandas; pandas.DataFrame({'n': [1, 2]})"


def shown(*heights):
    """What `FIGURE` stores where its second bar is so high."""
    stored = []
    for height in heights:
        with mock.patch("IPython.display.display") as display:
            exec(FIGURE.replace("2.5", str(height)), {})
        (bundle,), given = display.call_args
        data = bundle | {"image/png": base64.b64encode(bundle["image/png"]).decode()}
        stored.append(new_output("display_data", data, metadata=given["metadata"]))
    return stored


def table_output(count, html, number):
    cells = {"text/html": html, "text/plain": "   n\n0  1\n1  2"}
    return [new_output("execute_result", cells, execution_count=count)]


@pytest.fixture(scope="module")
def nbval_report(tmp_path_factory):
    """What nbval says of figures, tables, a cleared output and a stored warning."""
    sources = [FIGURE, "print(tool)", WARNING, TABLE, TABLE, FIGURE, FIGURE]
    notebook = toy(*sources)
    figure, cleared, warning, table, other_cell, good, other_picture = notebook.cells[2:9]
    lower, same = shown(2.0, 2.5)
    figure.outputs = [lower]
    cleared.update(execution_count=None)
    warning.outputs = [new_output("stream", name="stderr", text="beware\n")]
    older = "<style>td {}</style><table><tr><th><th>n<tr><th>0<td>1<tr><th>1<td>{}</table>"
    table.outputs = table_output(5, older.replace("{}</t", "2</t"), 5)
    other_cell.outputs = table_output(6, older.replace("{}</t", "999</t"), 6)
    good.outputs, other_picture.outputs = [same], [deepcopy(same)]
    other_picture.outputs[0].data["image/png"] = lower.data["image/png"]
    folder = tmp_path_factory.mktemp("notebooks")
    saved(notebook, folder)
    shutil.copy(ROOT / "notebooks" / "conftest.py", folder)
    options = ["-p", "no:cacheprovider", "--nbval", "--nbval-current-env", "--color=no", "-rA"]
    place = ["-c", os.devnull, f"--rootdir={folder}", str(folder)]
    with (
        mock.patch.object(sys, "path", sys.path.copy()),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()) as printed,
    ):
        pytest.main([*options, *place])
    return printed.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "--- stored in 01_toy.ipynb, cell In [2]",  # a number that only a figure shows
        "+++ computed from 01_toy.ipynb, cell In [2]",
        "-- bar 2\n+- bar 2.5\n",
        "01_toy.ipynb, cell In [ ]: its outputs were cleared",
        "cell In [4] wrote to stderr:\nbeware",  # even if it is stored
        "PASSED 01_toy.ipynb::Cell 4",  # a table whose tags alone differ
        "FAILED 01_toy.ipynb::Cell 5",  # a cell of an HTML table
        "-999\n+2\n",
        "PASSED 01_toy.ipynb::Cell 6",  # a figure that is stored whole
        "FAILED 01_toy.ipynb::Cell 7",  # the picture of other numbers
        "-picture: not drawn from these numbers\n",
        "5 failed, 3 passed",
    ],
)
def test_nbval_fails_on_each_difference_and_shows_it_and_on_nothing_else(nbval_report, text):
    assert text in nbval_report
