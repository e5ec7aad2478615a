"""What the tests of reports share: notebooks to run, and a run that starts no kernel."""

import contextlib
import io

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from sdanalysis.report.outcome import Executed

TAGGED = 'tool: str = "iozone"  # iozone or fio; e.g. tool=fio'
# A figure of two bars, to be shown.
FIGURE = """\
import matplotlib.pyplot as plt
import pandas
from sdanalysis.plots.show import show
fig, axes = plt.subplots()
axes.bar(["a", "b"], [1, 2])
bars = pandas.DataFrame({"bar": ["a", "b"], "n": [1, 2.5]})
show(fig, alt='Two bars, "b" the longer.', data=bars)"""


def notebook_at(path, *cells, parameters=TAGGED, tags=()):
    """Save a notebook: text with a `#` or `**` in front is markdown, the rest is code."""
    made = [new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    for source in cells:
        is_prose = source.startswith(("# ", "## ", "**"))
        make = new_markdown_cell if is_prose else new_code_cell
        own = [*tags] if source.startswith("# ") else ["answer"] * ("'Answer. " in source)
        made.append(make(source, metadata={"tags": own}))
    made.sort(key=lambda cell: not cell.source.startswith("# "))
    nbformat.write(new_notebook(cells=made), path)
    return path


@contextlib.contextmanager
def executing_here(planned, progress):
    """Run notebooks in this process, where `report.execution.executing` starts kernels."""
    yield map(_ran, planned)


def _ran(plan):
    notebook, names, error, reached = nbformat.read(plan.notebook, as_version=4), {}, "", 0
    for cell in notebook.cells:
        if cell.cell_type == "code" and not error:
            reached += 1
            cell.metadata["number"] = reached
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                try:
                    exec(cell.source, names)
                except Exception as problem:
                    error = f"{type(problem).__name__}: {problem}"
            cell.outputs = [new_output("stream", name="stdout", text=printed.getvalue())]
            if "parameters" in cell.metadata.get("tags", []):
                names |= plan.values
    return plan, Executed(notebook, error=error, cell=reached if error else None)
