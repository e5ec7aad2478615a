"""The examples in docstrings of statistics and labels give what they say."""

import doctest
import importlib
import pkgutil

import pytest

from sdanalysis import plots, stats

MODULES = sorted(
    module.name
    for package in (plots, stats)
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name))]
    assert sum(len(test.examples) for test in found) > 20
