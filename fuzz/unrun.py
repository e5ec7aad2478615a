"""Statements of the readers that no log runs: `python fuzz/unrun.py [LOG...]` (files or folders).

The pairs of the corpus and the sources are read, and the logs that are named. A statement inside a
function counts; those of a module run when it is imported.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

READERS = ROOT / "sdanalysis" / "parsers"
NOT_OF_LOGS = ("table.py",)  # what is wrong with a source's declaration


def statements(path: Path) -> set[int]:
    """Return the lines on which a statement inside a function begins."""
    tree = ast.parse(path.read_bytes())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = {
        node.lineno
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef)
    }
    docstrings = {function.body[0].lineno for function in functions if ast.get_docstring(function)}
    return found - docstrings


def traced(logs: list[Path]) -> dict[str, set[int]]:
    """Return the lines of each reader that reading the logs runs."""
    from pairs import all_pairs, found_in

    from sdanalysis.dataset import build, build_companions
    from sdanalysis.logs.read import read_log
    from sdanalysis.logs.tables import read_tables

    run: dict[str, set[int]] = defaultdict(set)
    readers = str(READERS)

    def line(frame: FrameType, event: str, _: object) -> object:
        if event == "line":
            run[frame.f_code.co_filename].add(frame.f_lineno)
        return line

    def call(frame: FrameType, _: str, __: object) -> object:
        return line if frame.f_code.co_filename.startswith(readers) else None

    sys.settrace(call)
    for log in logs:
        read_log(str(log))
    for what in ("percentiles", "bins"):
        corpus = sorted((ROOT / "tests" / "corpus" / "fio").glob("*.log"))
        read_tables(what, map(str, [*logs, *corpus]))
    for pair in all_pairs():
        found_in(pair.log, pair.name)
    build()
    build_companions()
    sys.settrace(None)
    return run


def main(names: list[str]) -> int:
    """Print each line that no log runs, and the share of them; 1 where it is 5 % or more."""
    given = [Path(name) for name in names]
    logs = [path for one in given for path in (sorted(one.rglob("*")) if one.is_dir() else [one])]
    run = traced([path for path in logs if path.is_file()])
    all_of_them = unrun = 0
    for path in sorted(READERS.rglob("*.py")):
        if path.name not in NOT_OF_LOGS:
            expected = statements(path)
            left = sorted(expected - run[str(path)])
            all_of_them += len(expected)
            unrun += len(left)
            text = path.read_text(encoding="utf-8").splitlines()
            for number in left:
                print(f"{path.relative_to(ROOT)}:{number}: {text[number - 1].strip()}")
    print(f"{unrun} of {all_of_them} statements ({unrun / all_of_them:.1%}) run for no log")
    return int(unrun * 20 >= all_of_them)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
