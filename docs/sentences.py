"""Print the sentences that a reader needs twice: `.venv/bin/python docs/sentences.py [FILE...]`.

Without a file: README, CONTRIBUTING, docs, the notebooks' prose and printed answers, the pages'
templates; of the package what it prints (help, notes, errors) and its docstrings. A sentence has
at most 25 words; the words and patterns below are not used, nor the names below in code.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_WORDS = 25
WORD = re.compile(r"[\w/+.'-]*\w")
MOST_LONG = 0.05  # of the sentences of all texts
AVOIDED = {
    r"\bnothing but\b|\bnot .{3,30}, but\b|\bis no (?!longer)": "a definition by what it is not",
    r"^(?:Ranked|Not stated|Counted|Shown|Drawn|Compared|Left out) (?:is|are)\b": "a fronted verb",
    r"\b[Oo]f (?:the )?[\d,]+ (?:\w+ ){1,3}[\d,]+ (?!to|of)": "'of N cards M'",
    r"\b(?:columns? that (?:is|are) exchanged|part a card|held against)\b": "no word of the field",
    r";.*;": "a chain of semicolons",
}
NAMES = {  # participles, prepositions and pronouns, which name no thing
    *("apart", "asked", "beside", "drawn", "gathered", "held", "here", "kept", "met", "one"),
    *("ones", "said", "seen", "shown", "taken", "there", "told", "within"),
}
PRINTED = 6  # words: a shorter text of the package is a part of a sentence


def texts(path: Path) -> Iterator[tuple[str, str]]:
    """`place, text` of each part of a file that a person reads."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(content)):
            yield from ((f"{path.name}:{line}", text) for line, text in _strings(node))
        return
    if path.suffix != ".ipynb":
        yield path.name, content
        return
    for number, cell in enumerate(json.loads(content)["cells"]):
        place = f"{path.name}, cell {number}"
        if cell["cell_type"] == "markdown":
            yield place, "".join(cell["source"])
        for output in cell.get("outputs", []):
            if output.get("name") == "stdout":
                yield place, "".join(output["text"])


def _strings(node: ast.AST) -> Iterator[tuple[int, str]]:
    """`line, text` of each text in code that somebody reads; X stands for what is filled in."""
    for child in ast.iter_child_nodes(node):
        parts = child.values if isinstance(child, ast.JoinedStr) else [child]
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in parts)
        is_text = isinstance(child, ast.JoinedStr | ast.Constant) and not isinstance(
            node, ast.JoinedStr
        )
        if is_text and len(WORD.findall(text)) >= PRINTED:
            yield child.lineno, re.split(r"\n\n\s*(?:Examples|Parameters|Returns)\n", text)[0]


def names(path: Path) -> Iterator[tuple[str, str]]:
    """`place, name` of each module, function, class, parameter and variable that is avoided."""
    if path.stem in NAMES:
        yield path.name, path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        name = getattr(node, "name", getattr(node, "arg", getattr(node, "id", None)))
        is_given = not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Store)
        if is_given and isinstance(name, str) and name.strip("_").lower() in NAMES:
            yield f"{path.name}:{node.lineno}", name


def sentences(text: str) -> Iterator[str]:
    """The sentences of a Markdown text or a template: no code, tables, links, tags."""
    text = re.sub(
        r"<!--.*?-->|\{[#%].*?[#%]\}|<style.*?</style>|<script.*?</script>", "", text, flags=re.S
    )
    text = re.sub(r"^(`{3,}|~{3,}).*?^\1", "\n\n", text, flags=re.M | re.S)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"</?(?:p|li|h\d|td|th|div|summary|section|ul|ol|table|tr)\b[^>]*>", "\n\n", text)
    text = re.sub(r"<[^>]+>|\{\{.*?\}\}|`[^`]*`", "X", text)
    text = re.sub(r"^ *(?:\|.*|[-=|+]{3,}|\S+  +\S.*|#+ .*)$", "\n", text, flags=re.M)
    text = re.sub(r"^ *(?:[-*]|\d+\.) ", "\n\n", text, flags=re.M)
    text = re.sub(r"^(?:examples|exit codes?):\n(?: .*\n?)+", "\n\n", text, flags=re.M)
    for paragraph in re.split(r"\n\s*\n", text):
        yield from re.split(r"(?<=[.!?:])\s+(?=[A-Z\"(*])", " ".join(paragraph.split()))


def complaints(sentence: str) -> list[str]:
    """Return what is wrong with a sentence: its length, words to avoid."""
    words = len(WORD.findall(sentence))
    long = [f"{words} words"] if words > MOST_WORDS else []
    return long + [why for pattern, why in AVOIDED.items() if re.search(pattern, sentence)]


def find_texts() -> list[Path]:
    """Return the files with texts that a user reads."""
    patterns = (
        "*.md",
        "docs/*.md",
        "notebooks/*.ipynb",
        "sdanalysis/**/*.j2",
        "sdanalysis/**/*.py",
    )
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [path for path in paths if path.name != "gallery.md"]  # made from the notebooks


def main(files: list[str]) -> int:
    """Print the sentences and their share; exit code 1 where too many are long."""
    read = long = 0
    for path in [Path(file) for file in files] or find_texts():
        if path.suffix == ".py":
            for place, name in names(path):
                print(f"{place}: a name that is no noun and no verb: {name}")
        for place, text in texts(path):
            for sentence in filter(None, sentences(text)):
                read += 1
                problems = complaints(sentence)
                long += any(problem.endswith("words") for problem in problems)
                if problems:
                    print(f"{place}: {', '.join(problems)}: {sentence}")
    print(f"{read} sentences, {long} of more than {MOST_WORDS} words: {long / max(read, 1):.1%}")
    return int(long > MOST_LONG * read)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
