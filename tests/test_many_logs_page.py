"""docs/many-logs.md: its examples run, and all of them count the same rows."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from many_logs import make_logs

import sdanalysis
from sdanalysis import archive
from sdanalysis.cli import main

pytest.importorskip("pyarrow", reason="a store is parquet: make test-arrow has pyarrow")

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "many-logs.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.+?)^```", PAGE, re.M | re.S)
NEEDED = ("duckdb", "polars", "distributed", "loky")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    archive.update(folder / "store", [str(make_logs(folder / "logs", 150))])
    return folder


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_of_the_page_runs_and_counts_the_rows(folder, number):
    example = EXAMPLES[number]
    missing = [name for name in NEEDED if name in example and find_spec(name) is None]
    if missing:
        pytest.skip(f"found no {missing[0]}")
    script = folder / f"example_{number}.py"
    script.write_text(example)
    done = subprocess.run(
        [sys.executable, script.name],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if "value_counts" in example:
        counts = archive.problems(folder / "store")["kind"].value_counts()
        assert re.search(rf"error +{counts['error']}\n", done.stdout)
    else:
        rows = sdanalysis.load(folder / "store")
        assert done.stdout.split()[-1] == str((rows["tool"] == "fio").sum())


def test_a_notebook_of_your_own_takes_a_store_as_a_parameter(folder, capsys):
    notebook = nbformat.v4.new_notebook()
    parameters = 'folder: str = "none"  # one that sdanalysis archive made'
    code = "import sdanalysis\nprint(len(sdanalysis.load(folder)), 'rows')"
    notebook.cells = [
        nbformat.v4.new_markdown_cell("# The fleet"),
        nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(code),
    ]
    nbformat.write(notebook, folder / "fleet.ipynb")
    given = ["-p", "folder", str(folder / "store"), "-o", str(folder / "reports")]
    assert main(["report", str(folder / "fleet.ipynb"), *given]) == 0, capsys.readouterr().err
    rows = len(sdanalysis.load(folder / "store"))
    (page,) = (folder / "reports").glob("fleet-folder-*.html")
    assert f"{rows} rows" in page.read_text("utf-8")
