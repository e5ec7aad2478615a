"""No module and no function is longer than the house style allows."""

import ast
import io
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULE, FUNCTION = 250, 40  # lines of a module; lines of a function that hold code
FOLDERS = ("sdanalysis", "docs", "bench", "fuzz")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
# A module of tests may be longer: it lists the cases of one subject, which are read one by one.
TESTS = sorted((ROOT / "tests").rglob("*.py"))
LONGER = {
    "sdanalysis/cli/compare.py: add": "a list of options, each argument on a line of its own",
    "sdanalysis/cli/report.py: add": "a list of options, each argument on a line of its own",
    "sdanalysis/report/execution.py: _execute": "one call of papermill takes 16 lines",
}
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def functions(text):
    """Yield the name of each function, and how many of its lines hold code: no docstring."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    spans = [range(one.start[0], one.end[0] + 1) for one in tokens if one.type not in NO_CODE]
    code = {line for span in spans for line in span}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = set(range(node.lineno, node.end_lineno + 1))
            if ast.get_docstring(node) is not None:
                lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
            yield node.name, len(lines & code)


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_module_stops_at_its_limit(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MODULE


def test_a_function_stops_at_its_limit_unless_it_says_why():
    longer = {
        f"{name(path)}: {function}"
        for path in [*FILES, *TESTS]
        for function, lines in functions(path.read_text(encoding="utf-8"))
        if lines > FUNCTION
    }
    assert longer == set(LONGER)


def test_only_lines_of_code_are_counted():
    text = '''\
def one(
    first,
):
    """Say.

    More.
    """
    # why

    def inner():
        return 1

    return """two
lines"""
'''
    assert dict(functions(text)) == {"one": 3 + 2 + 2, "inner": 2}
