"""Every example of a docstring prints what it says."""

import doctest
import importlib
import pkgutil

import api
import matplotlib.pyplot as plt
import pandas as pd
import pytest

import sdanalysis

MODULES = {module.__name__: module for module in api.modules()}
# Importing the first runs the command; the others need pyarrow, which `make test` is without.
_NOT_IMPORTED = ("__main__", "archive.parts", "archive.reading", "archive.updating", "cli.archive")


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
def test_every_example_of_a_page_prints_what_it_says(module):
    found = {name: api.examples(MODULES[module], name) for name in api.functions(MODULES[module])}
    failed = {name: failures(name, text) for name, text in found.items()}
    assert failed == dict.fromkeys(found, "")
    of_functions = api.functions(MODULES[module]).items()
    assert {name for name, function in of_functions if ">>> " in function.__doc__} <= {
        name for name, text in found.items() if text
    }  # below a heading of their own, else none is found


def test_the_examples_of_functions_without_a_page_are_true():
    public = [
        function for module in MODULES.values() for function in api.functions(module).values()
    ]
    paged = {f"{function.__module__}.{function.__name__}" for function in public}
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(sdanalysis.__path__, "sdanalysis.")
        if not found.name.endswith(_NOT_IMPORTED)
    ]
    tests = [test for module in modules for test in doctest.DocTestFinder().find(module)]
    tests = {test.name: test for test in tests if test.examples and test.name not in paged}
    assert "sdanalysis.bench.target.mounts" in tests
    assert {name: failures_of(test) for name, test in tests.items()} == dict.fromkeys(tests, "")


def test_an_example_that_prints_something_else_is_found():
    assert "Expected:\n    3\nGot:\n    2" in failures("wrong", "Add.\n\n>>> 1 + 1\n3\n")
