"""Writes docs/api: a page for each public function, from its docstring; run by `make docs`.

Public is what `__all__` of a module names. `--check` writes nothing and tells what is out of date.
"""

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "api"
MODULES = ("stats", "plots", "audit", "claims", "reference")  # of the package
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.M)


class _Words:
    """Words as they are written: a class because `inspect` prints a text in quotes."""

    def __init__(self, annotation: object) -> None:
        self.text = (
            annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        )

    def __repr__(self) -> str:
        return self.text


def modules() -> list[ModuleType]:
    """Return the package and those of its modules that have pages."""
    names = ["sdanalysis", *(f"sdanalysis.{name}" for name in MODULES)]
    return [importlib.import_module(name) for name in names]


def functions(module: ModuleType) -> dict[str, FunctionType]:
    """Return the public functions of a module by name."""
    public = {name: getattr(module, name) for name in sorted(module.__all__)}
    return {name: one for name, one in public.items() if inspect.isfunction(one)}


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    found = {"README.md": _index()}
    for module in modules():
        for name, function in functions(module).items():
            found[f"{module.__name__}.{name}.md"] = _page(module, name, function)
    return found


def signature(name: str, function: FunctionType) -> str:
    """Return how a function is called: on one line if it fits, else a line a parameter."""
    whole = inspect.signature(function)
    parameters = [_as_written(one) for one in whole.parameters.values()]
    result = whole.return_annotation
    end = "" if result is whole.empty else f" -> {_Words(result)}"
    line = f"{name}{whole.replace(parameters=parameters, return_annotation=whole.empty)}{end}"
    if len(line) <= 88:
        return line
    shown = [str(one) for one in parameters]
    keyword = next((at for at, one in enumerate(parameters) if one.kind is one.KEYWORD_ONLY), None)
    if keyword is not None:
        shown.insert(keyword, "*")
    return "\n".join([f"{name}(", *(f"    {one}," for one in shown), f"){end}"])


def _as_written(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter that prints no quotes, nor where on this machine the project is."""
    annotation, default = parameter.annotation, parameter.default
    if annotation is not parameter.empty:
        parameter = parameter.replace(annotation=_Words(annotation))
    if isinstance(default, Path) and default.is_relative_to(ROOT):
        place = default.relative_to(ROOT).as_posix()
        parameter = parameter.replace(default=_Words(f"Path({place!r})"))
    return parameter


def _page(module: ModuleType, name: str, function: FunctionType) -> str:
    first, *sections = _SECTION.split(inspect.getdoc(function) or "")
    blocks = [
        f"# `{module.__name__}.{name}`",
        f"```python\n{signature(name, function)}\n```",
        first.strip(),
    ]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        blocks.append(f"## {title}")
        blocks += _fenced(examples(module, name)) if title == "Examples" else _entries(body)
    blocks.append("[All functions](README.md)")
    return "\n\n".join(blocks) + "\n"


def _entries(body: str) -> Iterator[str]:
    """Yield the entries of a section, `name : type` with an indented text, as a list."""
    for entry in re.split(r"\n(?=\S)", body.strip("\n")):
        head, _, text = entry.partition("\n")
        name, colon, kind = head.partition(" : ")
        title = f"**{name}** ({kind})" if colon else f"**{head}**"
        words = inspect.cleandoc(text).replace("\n", "\n  ")
        yield f"- {title}: {words}" if words else f"- {title}"


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


def _index() -> str:
    blocks = [
        "# The Python interface",
        "Made from the docstrings by `make docs`; every example is run by the tests.",
    ]
    for module in modules():
        lines = [
            f"- [`{name}`]({module.__name__}.{name}.md): {_summary(function)}"
            for name, function in functions(module).items()
        ]
        summary = (inspect.getdoc(module) or "").partition("\n\n")[0].replace("\n", " ")
        blocks += [f"## `{module.__name__}`", summary, "\n".join(lines)]
    return "\n\n".join(blocks) + "\n"


def _summary(function: FunctionType) -> str:
    return (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")


def outdated() -> list[str]:
    """Return the names of the pages that are missing, too many or not as they would be written."""
    written = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    wanted = pages()
    names = written.keys() | wanted.keys()
    return sorted(name for name in names if written.get(name) != wanted.get(name))


def main() -> None:
    """Write the pages, and delete those of functions that are no more."""
    PAGES.mkdir(exist_ok=True)
    wanted = pages()
    for path in PAGES.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit("\n".join(outdated()) or 0)
    main()
