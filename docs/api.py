"""Writes docs/api: a page for each module of the Python interface; run by `make docs`.

Public is what `__all__` of a module names. A page has the module's docstring, then its functions
in the order in which that docstring names them, each with the examples, which `make docs` runs.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

PAGES = Path(__file__).resolve().parent / "api"
_NAMES = ("stats", "plots", "my_card", "comparing", "claims", "audit")
MODULES = ("sdanalysis", *(f"sdanalysis.{name}" for name in _NAMES))
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.M)


def modules() -> list[ModuleType]:
    """Return the package and those of its modules that have pages."""
    return [importlib.import_module(name) for name in MODULES]


def functions(module: ModuleType) -> dict[str, FunctionType]:
    """Return the public functions of a module: first as its docstring names them, then the rest."""
    named = re.findall(r"`(\w+)(?:\(\))?`", inspect.getdoc(module) or "")
    order = dict.fromkeys([*(name for name in named if name in module.__all__), *module.__all__])
    public = {name: getattr(module, name) for name in order}
    return {name: value for name, value in public.items() if inspect.isfunction(value)}


def pages() -> dict[str, str]:
    """Return the text of every page by its file name; README.md is that of the package."""
    package, *others = modules()
    names = {module: f"{module.__name__.rpartition('.')[2]}.md" for module in others}
    links = [f"- [`{module.__name__}`]({name}): {_first(module)}" for module, name in names.items()]
    note = "Written by `make docs` from the docstrings; it runs every example."
    found = {"README.md": _page(package, [note, "\n".join(links)])}
    return found | {name: _page(module, []) for module, name in names.items()}


def _first(module: ModuleType) -> str:
    """Return the first paragraph of a module's docstring on a line."""
    return " ".join((inspect.getdoc(module) or "").partition("\n\n")[0].split())


def _page(module: ModuleType, more: list[str]) -> str:
    public = functions(module)
    linked = re.sub(
        r"`(\w+)(?:\(\))?`",
        lambda name: f"[{name[0]}](#{name[1].lower()})" if name[1] in public else name[0],
        inspect.getdoc(module) or "",
    )
    blocks = [f"# `{module.__name__}`", linked, *more]
    for name, function in public.items():
        blocks += _function(module, name, function)
    return "\n\n".join(blocks) + "\n"


def _function(module: ModuleType, name: str, function: FunctionType) -> Iterator[str]:
    first, *sections = _SECTION.split(inspect.getdoc(function) or "")
    yield f"## {name}"
    yield f"```python\n{signature(name, function)}\n```"
    yield first.strip()
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        yield f"**{title}**"
        yield from _fenced(examples(module, name)) if title == "Examples" else [_entries(body)]


def signature(name: str, function: FunctionType) -> str:
    """Return how a function is called, as its source has it."""
    source = inspect.cleandoc("\n" + inspect.getsource(function))
    definition = ast.parse(source).body[0]
    head = source.splitlines()[definition.lineno - 1 : definition.body[0].lineno - 1]
    return re.sub(r"^def \w+", name, "\n".join(head)).removesuffix(":")


def _entries(body: str) -> str:
    """Return the entries of a section, `name : type` with an indented text, as a list."""
    return "\n".join(map(_entry, re.split(r"\n(?=\S)", body.strip("\n"))))


def _entry(entry: str) -> str:
    head, _, text = entry.partition("\n")
    name, colon, kind = head.partition(" : ")
    words = " ".join(text.split())
    return f"- **{name}**{f' ({kind})' if colon else ''}{f': {words}' if words else ''}"


def examples(module: ModuleType, name: str) -> str:
    """Return the examples of a function, with the imports without which they would not run."""
    sections = _SECTION.split(inspect.getdoc(getattr(module, name)) or "")[1:]
    body = dict(zip(sections[::2], sections[1::2], strict=True)).get("Examples", "").strip("\n")
    imports = ""
    if re.search(r"\bpd\.", body) and "import pandas as pd" not in body:
        imports += ">>> import pandas as pd\n"
    if not re.search(rf"\.{name}\(|import .*\b{name}\b", body):
        imports += f">>> from {module.__name__} import {name}\n"
    return re.sub(r"^>>> ", f"{imports}>>> ", body, count=1, flags=re.M)


def _fenced(body: str) -> Iterator[str]:
    """Yield the paragraphs of examples, code in fences."""
    for block in re.split(r"\n\s*\n", body):
        yield f"```pycon\n{block}\n```" if block.startswith(">>>") else block


def main() -> None:
    """Write the pages in place of those of an earlier run."""
    PAGES.mkdir(exist_ok=True)
    for path in PAGES.glob("*.md"):
        path.unlink()
    for name, text in pages().items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
