"""One list says what tells tests apart: complete, and the only one in the package."""

import ast
from pathlib import Path

import pandas as pd
import pytest

import sdanalysis
from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.reasons import WORDS, Reason, first_reason
from sdanalysis.stats.same_test import (
    CONDITIONS,
    columns,
    size_in_words,
    test_in_words,
    without_spreads,
)

PACKAGE = Path(sdanalysis.__file__).parent
# The rest of the codebook: the figure itself, where it is printed, whether it counts at all.
NO_CONDITIONS = [
    *("id", "line", "column", "origin", "status"),
    *("raw", "raw_unit", "value", "value_low", "value_high"),
]
NAMES = {condition.column for condition in CONDITIONS}
# Rooms that compare figures. Below them rows are made, not compared: there every column is listed.
COMPARING = ("stats", "audit", "plots", "claims", "my_card", "comparing", "cli")


def test_every_column_of_the_codebook_is_a_condition_or_none():
    conditions = [condition.column for condition in CONDITIONS]
    assert sorted([*conditions, *NO_CONDITIONS]) == sorted(COLUMNS)
    assert all(len(condition.why) > 10 for condition in CONDITIONS)


def lists_of_conditions(source):
    """Find lists, tuples and sets that spell three or more columns that are conditions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            cells = {cell.value for cell in node.elts if isinstance(cell, ast.Constant)}
            if len(cells & NAMES) >= 3:
                yield node.lineno, sorted(cells & NAMES)


def test_no_other_module_that_compares_figures_lists_conditions():
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {', '.join(names)}"
        for room in COMPARING
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for line, names in lists_of_conditions(path.read_text(encoding="utf-8"))
        if path.name != "same_test.py" or room != "stats"
    ]
    assert found == []


def test_columns_come_in_the_order_of_the_list_and_unknown_names_are_refused():
    assert columns("test", "op", without=("tool",)) == [
        *("op", "block_size", "numjobs", "iodepth", "read_mix"),
    ]
    groups = {condition.group for condition in CONDITIONS}
    assert sorted(columns(*groups)) == sorted(NAMES)
    for wrong in ({"groups": ["tests"]}, {"groups": ["test"], "without": ("host",)}):
        with pytest.raises(SdAnalysisError):
            columns(*wrong.pop("groups"), **wrong)


def test_every_reason_has_a_sentence_of_its_own():
    assert len(set(WORDS.values())) == len(Reason)
    assert Reason("restated").words == WORDS["restated"]


def test_the_first_rule_that_applies_is_the_reason_and_what_is_missing_applies_nowhere():
    index = pd.Index([5, 6, 7, 8])
    masks = [[True, False, pd.NA, False], [True, True, pd.NA, False]]
    first, second = (pd.Series(mask, index=index, dtype="boolean") for mask in masks)
    each = pd.Series([*"abcd"], index=index)
    found = first_reason(index, [(first, Reason.SHARE), (second, each)])
    assert found.fillna("").to_dict() == {5: "share", 6: "b", 7: "", 8: ""}
    before = pd.Series([None, None, None, "kept"], index=index, dtype="str")
    late = first_reason(index, [(~second.fillna(False), Reason.NO_VALUE)], after=before)
    assert late.fillna("").to_dict() == {5: "", 6: "", 7: "no_value", 8: "kept"}


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"op": "read", "tool": "hdparm", "block_size": pd.NA}, "sequential read, hdparm"),
        ({"op": "write", "tool": "dd", "block_size": 8192}, "sequential write, 8 KiB, dd"),
        (
            {"op": "randread", "tool": "fio", "read_mix": 75.0, "iodepth": 64, "direct": False},
            "random read, fio, queue depth 64, 75 % reads, through the page cache",
        ),
        ({"op": "read", "tool": "dd", "numjobs": 4, "direct": True},
         "sequential read, dd, 4 processes, page cache by-passed"),
        ({"op": "read", "tool": "fio", "iodepth": 2, "numjobs": 2},
         "sequential read, fio, queue depth 2, 2 processes"),
        ({"op": "read", "tool": "fio", "iodepth": 1, "numjobs": 1, "direct": True},
         "sequential read, fio"),
        ({"op": "read", "tool": "fio", "iodepth": pd.NA},
         "sequential read, fio, queue depth not stated"),
        ({"op": "read", "tool": "dd", "iodepth": pd.NA, "direct": False}, "sequential read, dd"),
        ({"op": "trim", "tool": "other", "direct": False}, "trim, other"),
    ],
)  # fmt: skip
def test_a_test_in_words_says_what_is_stated_and_not_usual(conditions, words):
    (row,) = pd.DataFrame([conditions]).itertuples()
    assert test_in_words(row) == words


def test_sizes_in_words_lose_no_byte():
    sizes = [0, 512, 4096, 4097, 16 * 2**20, 3 * 2**30, 2**40]
    words = ["0 B", "512 B", "4 KiB", "4097 B", "16 MiB", "3 GiB", "1024 GiB"]
    assert [size_in_words(size) for size in sizes] == words


def test_of_a_jobs_latencies_alone_the_extremes_are_no_figures_of_their_own():
    metrics = "bandwidth", "iops", "latency", "read_write_ratio"
    cells = [(metric, stat) for metric in metrics for stat in ("mean", "max", "min")]
    left = without_spreads(pd.DataFrame(cells, columns=["metric", "stat"]))
    gone = {("latency", "max"), ("latency", "min")}
    assert [*left.itertuples(index=False, name=None)] == [one for one in cells if one not in gone]
