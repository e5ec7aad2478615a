"""What of the house style can be counted: sizes, imports, types of rows, reasons of ignores."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULE, FUNCTION = 400, 40  # lines of a module; lines of code in a function's body
LAYERS, CHAIN = 9, 12  # of the import contract; modules that import each other in a row
FOLDERS = ("sdanalysis", "docs", "benchmarks", "fuzz")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
# A module of tests may be longer: it lists the cases of one subject, which are read one by one.
TESTS = [*sorted((ROOT / "tests").rglob("*.py")), ROOT / "notebooks" / "conftest.py"]
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def name(path):
    return path.relative_to(ROOT).as_posix()


# --- sizes ---------------------------------------------------------------------------------------


def functions(text, parsed=None):
    """Yield the name of each function, and how many lines of its body hold code: no docstring."""
    lines = text.splitlines()
    for node in ast.walk(parsed or ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[ast.get_docstring(node, clean=False) is not None :]
            held = lines[body[0].lineno - 1 : node.end_lineno] if body else []
            yield node.name, sum(not re.match(r"\s*(#|$)", line) for line in held)


def test_a_module_stops_at_its_limit():
    sizes = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {module: size for module, size in sizes.items() if size > MODULE} == {}


def test_a_function_stops_at_its_limit():
    longer = {
        f"{name(path)}: {function}": lines
        for path in [*FILES, *TESTS]
        for function, lines in functions(path.read_text(encoding="utf-8"), tree(path))
        if lines > FUNCTION
    }
    assert longer == {}
    text = 'def outer(\n    first,\n):\n    """Say.\n\n    More.\n    """\n    # why\n\n'
    text += '    def inner():\n        return 1\n\n    return """two\nlines"""\n'
    assert dict(functions(text)) == {"outer": 2 + 2, "inner": 1}


# --- imports -------------------------------------------------------------------------------------


def imports(root, package):
    """Map each module of a package to those of it that it imports, in functions too."""
    paths = {}
    for path in (root / package).rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        paths[".".join(parts).removesuffix(".__init__")] = path
    return {module: _imported(module, tree(path), paths) for module, path in paths.items()}


def _imported(module, parsed, modules):
    found = set()
    for node in _run(parsed):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: a relative import"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner if inner <= modules.keys() else {*inner, node.module}
    return found & modules.keys() - {module}


def _run(node):
    """Yield what a module holds but for blocks that only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")):
            yield child
            yield from _run(child)


def longest_chain(graph):
    """Return the longest row of modules of which each imports the next; a circle is an error."""
    chains, open_ = {}, []

    def chain(module):
        assert module not in open_, f"a circle: {[*open_[open_.index(module) :], module]}"
        if module not in chains:
            open_.append(module)
            below = max(map(chain, sorted(graph[module])), key=len, default=[])
            chains[module] = [open_.pop(), *below]
        return chains[module]

    return max(map(chain, graph), key=len)


def test_the_import_contract_has_few_layers():
    contracts = tomllib.loads(PYPROJECT)["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one["type"] == "layers"]
    assert len(layers) <= LAYERS


def test_the_longest_chain_of_imports_is_short():
    chain = longest_chain(imports(ROOT, "sdanalysis"))
    assert len(chain) <= CHAIN, "\n".join(chain)


def test_chains_of_imports_are_found_and_so_is_a_circle(tmp_path):
    package = tmp_path / "house"
    package.mkdir()
    for module, text in {
        "__init__": "",
        "roof": "from house import wall\nimport house.floor",
        "wall": "def build():\n    from house.floor import board",
        "floor": "if TYPE_CHECKING:\n    from house import roof\nimport os",
    }.items():
        (package / f"{module}.py").write_text(text)
    graph = imports(tmp_path, "house")
    assert longest_chain(graph) == ["house.roof", "house.wall", "house.floor"]
    graph["house.floor"] = {"house.roof"}
    with pytest.raises(AssertionError, match=r"a circle: \['house.roof', 'house.floor', "):
        longest_chain(graph)


# --- types and ignores ---------------------------------------------------------------------------


def bare_rows(parsed):
    """The line of each parameter that is called a tuple without saying of what."""
    arguments = (node for node in ast.walk(parsed) if isinstance(node, ast.arg))
    return [one.lineno for one in arguments if getattr(one.annotation, "id", None) == "tuple"]


def test_a_row_has_a_type_with_names_and_is_no_bare_tuple():
    found = {name(path): bare_rows(tree(path)) for path in FILES}
    assert {module: lines for module, lines in found.items() if lines} == {}
    assert bare_rows(ast.parse("def f(row: tuple, cell: tuple[int, str]): ...")) == [1]


# `fmt: skip` is not among them: it keeps a layout and switches no check off.
IGNORE = re.compile(r"#\s*(?:noqa|type:\s*ignore|mypy:|pragma|ruff:)[^-#\n]*(?P<reason>.*)")
SWITCHED_OFF = re.compile(r"mark\.(?:skip|skipif|xfail)\b(?!.*reason=)|\bskip\(\)|\bxfail\(\)")


def without_reason(text):
    """The lines that switch a check off and do not say why."""
    for number, line in enumerate(text.splitlines(), start=1):
        ignore = IGNORE.search(line)
        if (ignore and not re.search(r"[-#]\s*\w+ \w+", ignore["reason"])) or (
            SWITCHED_OFF.search(line)
        ):
            yield number, line.strip()


def test_each_ignore_says_why():
    others = [path for path in [*FILES, *TESTS] if path != Path(__file__).resolve()]
    found = {name(path): [*without_reason(path.read_text(encoding="utf-8"))] for path in others}
    assert {module: lines for module, lines in found.items() if lines} == {}
    good = (
        "import glob  # noqa: PTH207 - an absolute pattern, too",
        "f(x)  # type: ignore[arg-type]  # the stub lacks None",
        '@pytest.mark.skipif(ROOT, reason="root may write everywhere")',
    )
    bad = (
        *("import glob  # noqa", "import glob  # noqa: PTH207"),
        *("f(x)  # type: ignore[arg-type]", "@pytest.mark.xfail"),
    )
    assert [line for _, line in without_reason("\n".join(good + bad))] == list(bad)


def test_each_ignore_of_a_tool_says_why():
    """Entries of lists and tables of pyproject.toml that switch something off have a comment."""
    blocks = re.findall(r"^(?:\w+-)?ignores?\w* = \[\n(.*?)^\]", PYPROJECT, re.M | re.S)
    per_file = re.findall(
        r"^\[tool\.ruff\.lint\.per-file-ignores\]\n(.*?)^\[", PYPROJECT, re.M | re.S
    )
    warnings = re.findall(r'^ *"ignore:.*', PYPROJECT, re.M)
    lines = [line for text in (*blocks, *per_file, *warnings) for line in text.splitlines()]
    one_line = re.findall(r"^(?:ignore\w*|exclude\w*|disable\w*) = .*[^\[\n]$", PYPROJECT, re.M)
    assert len(lines) > 10
    assert [line for line in (*lines, *one_line) if line.strip() and "  # " not in line] == []
