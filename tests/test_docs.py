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
MODULES = {module.__name__: module for module in API.modules()}


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
    plt.close("all")
    return "".join(said)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_function_has_an_example_that_prints_what_it_says(module):
    found = {name: API.examples(MODULES[module], name) for name in API.functions(MODULES[module])}
    assert [name for name, text in found.items() if ">>> " not in text] == []
    failed = {name: failures(name, text) for name, text in found.items()}
    assert failed == dict.fromkeys(found, "")


def test_the_examples_of_functions_without_a_page_are_true():
    public = [
        function for module in MODULES.values() for function in API.functions(module).values()
    ]
    paged = {f"{function.__module__}.{function.__name__}" for function in public}
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


def test_there_is_a_page_a_module_and_all_that_another_run_left_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(API, "PAGES", tmp_path / "api")
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "gone.md").write_text("x", encoding="utf-8")
    API.main()
    names = {path.name for path in (tmp_path / "api").iterdir()}
    assert names == {"README.md", *(f"{name}.md" for name in API._NAMES)}
    assert {"stats.md", "comparing.md"} < names


def test_a_page_has_every_public_function_with_its_signature_and_names_no_place_on_this_machine():
    pages = API.pages()
    assert str(ROOT) not in "".join(pages.values())
    for module, page in zip(MODULES.values(), pages.values(), strict=True):
        assert re.findall(r"^## (\w+)$", page, re.M) == list(API.functions(module))
    assert "read(path: Path | str = CLAIMS) -> tuple[Claim, ...]" in pages["claims.md"]
    assert "- **confidence** (float" in pages["stats.md"]
    assert "(stats.md)" in pages["README.md"]


def test_every_function_of_stats_stands_below_the_question_that_it_answers():
    named = re.findall(r"`(\w+)`", MODULES["sdanalysis.stats"].__doc__)
    assert set(API.functions(MODULES["sdanalysis.stats"])) == set(named)


def test_functions_follow_in_the_order_in_which_the_docstring_of_the_module_names_them():
    def first():
        """Do first."""

    def second():
        """Do second."""

    module = types.ModuleType("some.module", "Begin with `second()`; see also `numpy`.")
    module.__all__, module.first, module.second = ["first", "second"], first, second
    assert list(API.functions(module)) == ["second", "first"]
    assert "Begin with [`second()`](#second); see also `numpy`." in API._page(module, [])


def test_the_modules_of_analyses_are_there_at_first_use_and_not_before():
    code = (
        "import sys, sdanalysis\n"
        "assert 'pandas' not in sys.modules and 'sdanalysis.stats' not in sys.modules\n"
        "assert callable(sdanalysis.stats.compare) and callable(sdanalysis.plots.coverage)\n"
        "assert not hasattr(sdanalysis, 'statistics')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
