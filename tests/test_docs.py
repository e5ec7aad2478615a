"""The pages of the Python interface are true: made from the docstrings, every example run."""

import doctest
import importlib.util
import pkgutil
import re
import subprocess
import sys
import types
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import sdanalysis

ROOT = Path(__file__).resolve().parent.parent


def script():
    spec = importlib.util.spec_from_file_location("api", ROOT / "docs" / "api.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


API = script()
PUBLIC = [(module, name) for module in API.modules() for name in API.functions(module)]
NAMES = [f"{module.__name__}.{name}" for module, name in PUBLIC]


@pytest.fixture(autouse=True)
def _figures_are_closed():
    yield
    plt.close("all")


def failures(name, text):
    """What doctest says of examples: empty where all is as printed."""
    return failures_of(doctest.DocTestParser().get_doctest(text, {}, name, None, None))


def failures_of(test):
    said = []
    with pd.option_context("display.width", 80):
        doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize(("module", "name"), PUBLIC, ids=NAMES)
def test_every_public_function_has_an_example_that_prints_what_it_says(module, name):
    examples = API.examples(module, name)
    assert ">>> " in examples, f"{module.__name__}.{name} has no section Examples with code"
    assert failures(name, examples) == ""


def test_the_examples_of_functions_without_a_page_are_true():
    paged = {getattr(module, name) for module, name in PUBLIC}
    paged = {f"{function.__module__}.{function.__name__}" for function in paged}
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(sdanalysis.__path__, "sdanalysis.")
        if not found.name.endswith("__main__")  # importing it runs the command
    ]
    tests = [test for module in modules for test in doctest.DocTestFinder().find(module)]
    tests = {test.name: test for test in tests if test.examples and test.name not in paged}
    assert "sdanalysis.plots.labels.apart" in tests
    assert {name: failures_of(test) for name, test in tests.items()} == dict.fromkeys(tests, "")


def test_an_example_that_prints_something_else_is_found():
    assert "Expected:\n    3\nGot:\n    2" in failures("wrong", "Add.\n\n>>> 1 + 1\n3\n")


def test_an_example_gets_the_imports_that_it_needs():
    module = types.ModuleType("some.module")

    def bare():
        """Do.

        Examples
        --------
        First:

        >>> bare(pd.NA)
        """

    module.bare = bare
    added = ">>> import pandas as pd\n>>> from some.module import bare\n"
    assert API.examples(module, "bare") == f"First:\n\n{added}>>> bare(pd.NA)"


def test_the_pages_are_those_that_make_docs_writes():
    assert API.outdated() == [], "run `make docs`"


def test_a_page_too_many_or_changed_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(API, "PAGES", tmp_path / "api")
    API.main()
    assert API.outdated() == []
    (tmp_path / "api" / "sdanalysis.gone.md").write_text("x", encoding="utf-8")
    (tmp_path / "api" / "sdanalysis.load.md").write_text("x", encoding="utf-8")
    assert API.outdated() == ["sdanalysis.gone.md", "sdanalysis.load.md"]
    API.main()
    assert API.outdated() == []


def test_no_page_says_where_on_this_machine_the_project_is():
    assert [name for name, text in API.pages().items() if str(ROOT) in text] == []
    read = API.pages()["sdanalysis.claims.read.md"]
    assert "read(path: Path = Path('data/claims.toml')) -> tuple[Claim, ...]" in read


def test_the_index_names_every_public_function_and_its_page():
    index = (ROOT / "docs" / "api" / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\((\S+?)\.md\)", index)
    assert sorted(links) == sorted(NAMES)
    assert {"sdanalysis.load", "sdanalysis.parse", "sdanalysis.stats.compare"} <= set(NAMES)


def test_a_long_signature_takes_a_line_a_parameter_and_keeps_its_defaults():
    def one(first: "pd.DataFrame", *, by: "str | None" = None, word: str = "a word") -> "int":
        return 0

    assert API.signature("one", one) == (
        "one(first: pd.DataFrame, *, by: str | None = None, word: str = 'a word') -> int"
    )
    assert API.signature("a_longer_name_than_before", one).splitlines() == [
        "a_longer_name_than_before(",
        "    first: pd.DataFrame,",
        "    *,",
        "    by: str | None = None,",
        "    word: str = 'a word',",
        ") -> int",
    ]


def test_the_modules_of_analyses_are_there_at_first_use_and_not_before():
    code = (
        "import sys, sdanalysis\n"
        "assert 'pandas' not in sys.modules and 'sdanalysis.stats' not in sys.modules\n"
        "assert callable(sdanalysis.stats.compare) and callable(sdanalysis.plots.coverage)\n"
        "assert not hasattr(sdanalysis, 'statistics')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
