"""fio's JSON as logs have it -> lines of JSON alone: behind marks, in a string, printed by Python.

What goes is replaced by as many blanks, so that each figure keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sdanalysis.codebook.measurement import Line

JSON, JOB = '"fio version"', '"jobname"'  # without one of these there is no JSON
# In a string: `"stdout": "{\n  \"fio version\" : ...`; what writes or searches it is no result
_ESCAPED = re.compile(r"\{[\\nrt\s]*\\\"fio version\\\".*\\\"jobs\\\"")
_PRINTED = re.compile(r"(?:^|[{,])\s*'fio version': 'fio-", re.MULTILINE)  # by Python
_PAIR = re.compile(r"'[^']{1,80}' ?: ")
# What stands before each line of an object: `> `, `// `, ` * `, `12  `
_MARK = re.compile(r"[^{}\"\],]{1,60}")
_DRAWN_OVER = "{obs: "  # a terminal shows a brace over `Jobs: 1 (f=1): ... [eta 00m:00s]`


def plain_json(lines: Sequence[Line]) -> tuple[Sequence[Line], str]:
    """Return lines, and their text, with blanks for what stands before and in lines of JSON."""
    text = "\n".join([line.text for line in lines])
    found = lines
    if _DRAWN_OVER in text:
        found = [_bare_brace(line) for line in lines]
    if '\\"fio version' in text:
        found = [_unescaped(line) if _ESCAPED.search(line.text) else line for line in found]
    if "'fio version'" in text and _PRINTED.search(text):
        found = [_with_quotes(line) if _PAIR.search(line.text) else line for line in found]
    if marks := set(_marks(text)):
        found = list(_without_marks(found, marks))
    return found, text if found is lines else "\n".join([line.text for line in found])


def _unescaped(line: Line) -> Line:
    """Return a line with blanks for the escapes that a string has around its texts and as ends."""
    text = re.sub(r'\\"(.*?)\\"', r' "\1" ', line.text)
    return line._replace(text=re.sub(r"\\[nrt]", "  ", text))


def _with_quotes(line: Line) -> Line:
    """Return a line of a dictionary that Python printed as one of JSON."""
    return line._replace(text=line.text.replace("'", '"'))


def _marks(text: str) -> Iterator[str]:
    """Yield what stands before the version of an object in its line."""
    at = text.find(JSON)
    while at >= 0:
        _, is_whole, before = text[max(at - 100, 0) : at].rpartition("\n")
        if (is_whole or at < 100) and _MARK.fullmatch(mark := before.strip()):
            yield mark
        at = text.find(JSON, at + 1)


def _without_marks(lines: Sequence[Line], marks: Iterable[str]) -> Iterator[Line]:
    """Yield the lines with blanks for the marks before them, below a brace behind such a mark."""
    counted = {re.sub("[0-9]+", "[0-9]+", re.escape(mark)) for mark in marks}
    mark = re.compile(rf"[ \t]*(?:{'|'.join(sorted(counted, key=len, reverse=True))})")
    is_quote = False
    for line in lines:
        match = mark.match(line.text)
        end = match.end() if match else 0
        is_quote = end > 0 and (is_quote or line.text[end:].strip() == "{")
        yield line._replace(text=f"{' ' * end}{line.text[end:]}") if is_quote else line


def _bare_brace(line: Line) -> Line:
    """Return a line without the progress that its brace was drawn over."""
    before, brace, _ = line.text.partition(_DRAWN_OVER)
    return line._replace(text=f"{before}{{") if brace and not before.strip(" >|") else line
