"""Makes nbval compare what a reader can check, and say what differs the right way round.

nbval on its own passes a notebook whose outputs were cleared, skips the pictures and compares
the HTML of tables, which it prints unreadably. Here the text of every output is compared (figures
have their numbers as text, see sdanalysis.plots.show), and the difference is a unified diff.
"""

import difflib
from collections.abc import Iterator

import pytest

# What is drawn differs between releases of matplotlib and pandas; the text beside it does not.
SKIPPED = {"text/html", "image/svg+xml", "image/png", "image/jpeg"}


def pytest_itemcollected(item):
    """Replace one method of each cell: `compare_outputs(computed, stored) -> bool` of nbval."""
    if hasattr(item, "compare_outputs"):
        item.compare_outputs = lambda computed, stored: _compare(item, computed, stored)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Run the cell for those that follow, and fail where nbval has nothing to compare it with."""
    result = yield
    cell = getattr(item, "cell", None)
    if cell is not None and cell.source.strip() and cell.execution_count is None:
        item.raise_cell_error(f"{_place(item)}: its outputs were cleared; run `make notebooks`")
    return result


def _compare(item, computed, stored) -> bool:
    new, old = (list(_lines(outputs)) for outputs in (computed, stored))
    place = _place(item)
    names = f"stored in {place}", f"computed from {place}"
    difference = list(difflib.unified_diff(old, new, *names, lineterm=""))
    warnings = "".join(output.text for output in computed if output.get("name") == "stderr")
    if warnings:
        difference += [f"{place} wrote to stderr:", warnings]
    item.comparison_traceback = difference  # nbval prints it
    return not difference


def _place(item) -> str:
    return f"{item.path.name}, cell In [{item.cell.execution_count or ' '}]"


def _lines(outputs) -> Iterator[str]:
    for output in outputs:
        if output.output_type == "stream":
            yield f"[{output.name}]"
            yield from output.text.splitlines()
        elif output.output_type == "error":
            yield f"[error] {output.ename}: {output.evalue}"
        else:
            yield "[output]"
            for kind in sorted(output.data.keys() - SKIPPED):
                yield from str(output.data[kind]).splitlines()
            yield from _alt_texts(output)


def _alt_texts(output) -> Iterator[str]:
    about = output.get("metadata", {}).values()
    yield from (f"alt: {kind['alt']}" for kind in about if isinstance(kind, dict) and "alt" in kind)
