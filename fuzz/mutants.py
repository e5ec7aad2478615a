"""Random mutants of the readers: one small change at a time; does a pair of the corpus see it?

`python fuzz/mutants.py [-n 200] [--seed 1] [--of parsers/fio] [--processes 2]` prints the mutants
that live, with file, line and change, and how many they are. A mutant runs the pairs of its tool
first, in a process that is a fork of one that has loaded the rest, and ends with the first pair
that another partner is found for. Nothing is written to the package.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import random
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import UnionType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

PACKAGE = ROOT / "sdanalysis"
READERS = ("parsers", "logs/read.py")
NOT_OF_LOGS = ("table.py",)  # of the sources, which has tests of its own
SECONDS = 20  # of the processor, after which a mutant counts as seen: it never ends
_ANEW = ("pairs", "test_fio_tables", "sdanalysis")  # modules that take names of a changed one
SWAPS: dict[type, tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*"), ast.Pow: ("**", "*"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip


class Mutant(NamedTuple):
    """A change of one place of a file: the bytes from `first` to `end` become `new`."""

    path: Path
    first: int
    end: int
    new: str


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield each change of a file, inside its functions."""
    file = _File(path.read_bytes())
    for node in _of_functions(ast.parse(file.data)):
        for (first, end), new in (
            *_swapped(node, file),
            *_negated(node, file),
            *_valued(node, file),
        ):
            yield Mutant(path, first, end, new)


class _File:
    """The bytes of a file, and where in them a node stands."""

    def __init__(self, data: bytes) -> None:
        self.data, self.starts = data, [0]
        for text in data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(text))

    def span(self, node: ast.AST) -> tuple[int, int]:
        first = self.starts[node.lineno - 1] + node.col_offset
        return first, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, span: tuple[int, int]) -> str:
        return self.data[slice(*span)].decode()


def _swapped(node: ast.AST, file: _File) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield an operator changed: a comparison, arithmetic, `and`, `or`."""
    for left, right, operator in _operators(node):
        between = file.span(left)[1], file.span(right)[0]
        old, new = SWAPS[type(operator)]
        if file.text(between).count(old) == 1 and "#" not in file.text(between):
            yield between, file.text(between).replace(old, new)


def _negated(node: ast.AST, file: _File) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield a condition turned round."""
    tests = [node.test] if isinstance(node, ast.If | ast.IfExp | ast.While) else []
    tests += node.ifs if isinstance(node, ast.comprehension) else []
    for test in tests:
        yield file.span(test), f"(not ({file.text(file.span(test))}))"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield file.span(node), f"bool({file.text(file.span(node.operand))})"


def _valued(node: ast.AST, file: _File) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield another value: nothing for what is returned, the other truth, the next number."""
    if isinstance(node, ast.Return) and node.value and not _is_nothing(node.value):
        yield file.span(node.value), "None"
    elif _is_constant(node, bool):
        yield file.span(node), str(not node.value)
    elif _is_constant(node, int | float):
        yield file.span(node), repr(node.value * 2 if node.value % 1 else node.value + 1)


def _operators(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST, ast.AST]]:
    """Yield the operators of an expression, each with what stands on its sides."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield node.left, node.comparators[0], node.ops[0]
    elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
        yield node.values[0], node.values[1], node.op
    elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
        sides = (node.left, node.right)
        if not any(isinstance(side, ast.JoinedStr) or _is_constant(side, str) for side in sides):
            yield node.left, node.right, node.op


def _is_nothing(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


def _is_constant(node: ast.AST, kind: type | UnionType) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, kind)


def _of_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of functions once each, without types, docstrings and parts of f-strings.

    Nor those that change no result: decorators (the sizes of caches) and `strict=` of a `zip`.
    """
    left_out: set[int] = set()
    for node in ast.walk(tree):
        types: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef):
            types = [node.returns, *(arg.annotation for arg in node.args.args)]
            types += node.decorator_list
        elif isinstance(node, ast.keyword) and node.arg == "strict":
            types = [node.value]
        elif isinstance(node, ast.AnnAssign):
            types = [node.annotation]
        elif isinstance(node, ast.JoinedStr):
            types = [node]
        left_out |= {id(sub) for one in types if one for sub in ast.walk(one)}
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    once = {id(node): node for function in functions for node in ast.walk(function)}
    return (node for place, node in once.items() if place not in left_out)


def failing_pairs() -> list[str]:
    """Return the pairs that have another partner as it is, which can tell nothing."""
    from pairs import all_pairs, found_in, partner_of

    wrong = (one for one in all_pairs() if partner_of(found_in(one.log, one.name)) != one.partner)
    return [pair.where for pair in wrong]


def alive(mutant: Mutant, left_out: Sequence[str] = ()) -> bool:
    """Tell whether every pair has its partner with a mutant in the place of its module."""
    child = os.fork()
    if not child:
        try:
            os._exit(_seen(mutant, left_out))
        except BaseException:  # whatever a mutant does, it was seen
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def _seen(mutant: Mutant, left_out: Sequence[str]) -> int:
    """Run the pairs in this process, which is nobody else's; 1 at the first that is another."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    warnings.simplefilter("ignore")
    data = mutant.path.read_bytes()
    source = data[: mutant.first] + mutant.new.encode() + data[mutant.end :]
    name = ".".join(mutant.path.relative_to(ROOT).with_suffix("").parts)
    name = name.removesuffix(".__init__")
    _replace(name, compile(source, str(mutant.path), "exec"))
    from pairs import all_pairs, found_in, partner_of

    tool = mutant.path.relative_to(PACKAGE).with_suffix("").parts[1]
    for pair in sorted(all_pairs(), key=lambda pair: not pair.where.startswith(tool)):
        found = None if pair.where in left_out else partner_of(found_in(pair.log, pair.name))
        if found not in (None, pair.partner):
            return 1
    if tool == "fio":
        from test_fio_tables import BESIDE, test_a_table_is_what_stands_beside_its_log

        for beside in BESIDE:  # an error where one is another
            test_a_table_is_what_stands_beside_its_log(beside)
    return 0


def _replace(name: str, code: object) -> None:
    """Run changed code as a module, and import anew what took names from the former one."""
    finder = _Changed(name, code)
    sys.meta_path.insert(0, finder)
    for loaded in [one for one in sys.modules if one.startswith(_ANEW)]:
        del sys.modules[loaded]
    importlib.import_module(name)


class _Changed:
    """Finds one module, whose code is another than that of its file."""

    def __init__(self, name: str, code: object) -> None:
        self.name, self.code = name, code

    def find_spec(self, name: str, path: object, target: object = None) -> object:
        if name != self.name:
            return None
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path)
        spec.loader.get_code = lambda _: self.code
        return spec


def arguments(description: str | None, example: str) -> argparse.ArgumentParser:
    """Return the options of a draw: how many mutants, which, of what, by how many processes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("-n", type=int, default=200, help="how many mutants (default: 200)")
    parser.add_argument("--seed", type=int, default=1, help="which of them (default: 1)")
    parser.add_argument("--of", default="", help=f"in files with this in their path: {example}")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="(default: cores)")
    return parser


def shown(mutant: Mutant) -> str:
    """Return the line of a mutant, its place, and the change."""
    data = mutant.path.read_bytes()
    number = data[: mutant.first].count(b"\n")
    line = data.decode().splitlines()[number].strip()
    old = data[mutant.first : mutant.end].decode()
    return f"{mutant.path.relative_to(ROOT)}:{number + 1}: {line}  [{old} -> {mutant.new}]"


def main() -> int:
    """Draw mutants, print those that live; 1 where more than a tenth does."""
    given = arguments(__doc__, "parsers/fio").parse_args()
    roots = [PACKAGE / place for place in READERS]
    files = [
        path for root in roots for path in (sorted(root.rglob("*.py")) if root.is_dir() else [root])
    ]
    chosen = [path for path in files if given.of in str(path) and path.name not in NOT_OF_LOGS]
    places = [mutant for path in chosen for mutant in mutants(path)]
    drawn = random.Random(given.seed).sample(places, min(given.n, len(places)))
    importlib.import_module("test_fio_tables")
    failing = failing_pairs()  # loads, besides, what a fork need not load
    for where in failing:
        print(f"{where}: has another partner without a mutant: left out")
    with ThreadPoolExecutor(given.processes) as pool:
        living = [
            one
            for one, lives in zip(
                drawn, pool.map(partial(alive, left_out=failing), drawn), strict=True
            )
            if lives
        ]
    for mutant in sorted(living):
        print(shown(mutant))
    print(f"{len(living)} of {len(drawn)} mutants live ({len(places)} places)")
    return int(len(living) * 10 > len(drawn))


if __name__ == "__main__":
    sys.exit(main())
