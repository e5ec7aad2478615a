"""Random mutants of the package: one small change at a time; does a test see it?

`python fuzz/package_mutants.py [-n 200] [--seed 1] [--of stats] [--processes 2] [--notebooks]`
prints the mutants that live, with file, line and change, and how many they are. The suite runs
once, to note which test calls which function (`calls.py`; kept in build/calls). A mutant lies in a
copy of the checkout. It runs the tests that call its function, the quickest first, then the files
they are of, and with `--notebooks` the stored notebooks. One that only other processes call runs
the tests that name its room. The readers have `mutants.py`.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from mutants import PACKAGE, READERS, ROOT, Mutant, arguments, mutants, shown

CALLS = ROOT / "build" / "calls"
ARROW = ROOT / "build" / "arrow"  # of `make test`, for the tests of archive alone
FEW = 60  # tests that a mutant runs first
SECONDS = 150  # after which a mutant counts as seen: it never ends
LEFT_OUT = (".git", ".venv*", "reports", "build", "*.egg-info", ".*_cache", "__pycache__")


def tests_by_function() -> dict[str, list[tuple[float, str]]]:
    """Return the tests that call each function, the quickest first; noted where they are not."""
    if not any(CALLS.glob("*.json")):
        print("noting which test calls which function: some minutes", flush=True)
        for tests, places in {
            "tests": [ROOT, ROOT / "fuzz"],
            "tests/test_archive.py": [ROOT, ROOT / "fuzz", ARROW],
        }.items():
            command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "calls", tests]
            paths = os.pathsep.join(map(str, places))
            surroundings = {**os.environ, "CALLS": str(CALLS), "PYTHONPATH": paths}
            subprocess.run(
                command, cwd=ROOT, env=surroundings, stdout=subprocess.DEVNULL, check=False
            )
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for path in CALLS.glob("*.json"):
        for function, tests in json.loads(path.read_text()).items():
            found[function] += [(took, name) for took, name in tests]
    return {function: sorted(tests) for function, tests in found.items()}


def function_of(mutant: Mutant) -> str:
    """Return the file and qualified name of the innermost function that holds a mutant."""
    data = mutant.path.read_bytes()
    line = data[: mutant.first].count(b"\n") + 1
    name = ""
    nodes: list[tuple[ast.AST, str]] = [(ast.parse(data), "")]
    while nodes:
        node, outer = nodes.pop()
        for child in ast.iter_child_nodes(node):
            inner = outer
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                if not child.lineno <= line <= (child.end_lineno or 0):
                    continue
                inner = f"{outer}{child.name}"
                name = inner
                inner += "." if isinstance(child, ast.ClassDef) else ".<locals>."
            nodes.append((child, inner))
    return f"{mutant.path.relative_to(ROOT)}:{name}"


def stages(tests: list[tuple[float, str]], room: str, notebooks: bool) -> Iterator[list[str]]:
    """Yield what a mutant runs, one list after the other."""
    names = list(dict.fromkeys(name for _, name in tests))
    if names:
        yield names[:FEW]
        files = list(dict.fromkeys(name.partition("::")[0] for name in names))
        yield files[:6]
    elif of_room := [
        f"tests/{path.name}"
        for path in sorted((ROOT / "tests").glob("test_*.py"))
        if re.search(rf"^(from|import) sdanalysis\b.*\b{room}\b", path.read_text(), re.MULTILINE)
    ]:
        yield of_room
    if notebooks:
        yield ["notebooks"]


def lives(mutant: Mutant, tests: list[tuple[float, str]], copy: Path, notebooks: bool) -> bool:
    """Tell whether all tests pass with a mutant in a copy of the checkout."""
    target = copy / mutant.path.relative_to(ROOT)
    whole = mutant.path.read_bytes()
    target.write_bytes(whole[: mutant.first] + mutant.new.encode() + whole[mutant.end :])
    paths = [str(copy), *([str(ARROW)] if target.parent.name == "archive" else [])]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    surroundings["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        room = Path(target.relative_to(copy / "sdanalysis").parts[0]).stem
        for names in stages(tests, room, notebooks):
            command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *names]
            subprocess.run(
                command,
                cwd=copy,
                env=surroundings,
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )
    except subprocess.SubprocessError:  # failed, or never ended
        return False
    finally:
        target.write_bytes(whole)
    return True


def main() -> int:
    """Draw mutants, print those that live; 1 where more than a tenth does."""
    parser = arguments(__doc__, "stats")
    parser.add_argument("--notebooks", action="store_true", help="survivors meet the notebooks")
    given = parser.parse_args()
    readers = tuple(str(PACKAGE / place) for place in READERS)
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if not str(path).startswith(readers)]
    places = [m for path in files if given.of in str(path) for m in mutants(path)]
    drawn = random.Random(given.seed).sample(places, min(given.n, len(places)))
    tests = tests_by_function()
    copies: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.processes) as pool:
        for number in range(given.processes):
            copy = Path(folder) / str(number)
            shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
            copies.put(copy)

        def judge(mutant: Mutant) -> bool:
            copy = copies.get()
            alive = lives(mutant, tests.get(function_of(mutant), []), copy, given.notebooks)
            copies.put(copy)
            if alive:
                print(shown(mutant), flush=True)
            return alive

        living = sum(pool.map(judge, drawn))
    print(f"{living} of {len(drawn)} mutants live ({len(places)} places)")
    return int(living * 10 > len(drawn))


if __name__ == "__main__":
    sys.exit(main())
