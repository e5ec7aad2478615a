"""Reports that share a line with others, or that a mail program broke -> a line each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, zip_longest

from sdanalysis.codebook.measurement import Line
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.dd.lines import Transfer, is_announced, read, report_start
from sdanalysis.parsers.dd.words import count_places, counts, figure_ends

# of any language, where its line begins or behind the counts of its records
FOREIGN = re.compile(
    r"(?:^\W*|\+[0-9]{1,18} [^\d+(（]{2,40}\s)[0-9][0-9 .,']*\s?[^\W\d_]+\s?[(（][^)]*B"
    r"|,\s?Infinity B/s"
)
_CONTINUED = re.compile(r"\\\\(?=(?:\\r)?\\n)")  # in a string a backslash is two
_BYTES = re.compile(r"(?<![0-9+])[0-9][0-9 .,'’]*(?!truncated|odd)[^\W\d_]")
# `node1: 50+0 records in`, `[node1] out: 5120 bytes ...`, as what runs a command on many hosts says
_HOST = re.compile(
    r"(?P<host>[\w.@-]{1,60}: |\[[\w.@:-]{1,60}\](?: out:| err:)? )\s{0,4}"
    r"(?:[0-9]{1,18}\+[0-9]{1,18} \S|[0-9]{1,30} \S{1,12} [(t]|[0-9]{1,9} bytes copied|dd: )"
)
_LINE_END = re.compile(r"(?:\\r)?\\n")
_ASKED = re.compile(r"(?<![\w./-])g?dd\s+(?:if|of|bs|ibs|count)=\S")
_LABEL = re.compile(r"[^\w\n]*(?:,\s|[^\W\d_])")  # before a report: a comma or a word
_LONGEST = 8000  # letters of a string that is parted
_QUOTED = re.compile(r"^[\s>|#]*")
_MARKS = re.compile(r"\s{0,3}(?:>\s?){1,9}")  # of a quotation
_A_QUOTATION = 3  # lines: fewer may stand behind a shell's `>`


def unquoted(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines, those of a quotation without its marks, at their columns."""
    for is_quoted, group in groupby(lines, lambda line: _MARKS.match(line.text) is not None):
        block = list(group)
        for line in block:
            match = _MARKS.match(line.text) if is_quoted and len(block) >= _A_QUOTATION else None
            yield Line(line.number, " " * match.end() + line.text[match.end() :]) if match else line


def parted(lines: Iterable[Line]) -> Iterator[Line]:
    r"""Yield the lines, those with a whole report parted: a string's at its `\n`, a joined line's.

    Each part stands at its columns.
    """
    for line in lines:
        text = line.text
        is_mixed = "+" in text or "dd " in text or ("B/s" in text and text.count("B/s") > 1)
        is_mixed = is_mixed and len(text) <= _LONGEST
        starts = _starts(text) if is_mixed else []
        if not starts:
            yield line
            continue
        for start, stop in zip_longest(starts, starts[1:]):
            part = _CONTINUED.sub(r"\\", text[start:stop])
            yield Line(line.number, " " * start + _LINE_END.sub("", part))


def by_host(lines: Sequence[Line]) -> list[Line]:
    """Return the lines, those of hosts that spoke at once a host after the other."""
    found: list[Line] = []
    spoken: dict[str, list[Line]] = {}
    for line in lines:
        match = _HOST.match(line.text) if ": " in line.text or "] " in line.text else None
        if match:
            spoken.setdefault(match["host"], []).append(line)
            continue
        found += chain.from_iterable(spoken.values())
        spoken.clear()
        found.append(line)
    return [*found, *chain.from_iterable(spoken.values())]


def _starts(text: str) -> list[int]:
    """Return where the parts of a line begin that holds dd's counts and figures; else none.

    That is behind the ends of a string's lines, at counts, below them and behind figures.
    """
    ends = [match.end() for match in _LINE_END.finditer(text)] if "\\n" in text else []
    places = count_places(text)
    if not places and not ends:
        return _beside(text)
    figures = figure_ends(text) if ends or len(places) > 1 else []
    if places and not figures and not ends:  # a command, or counts in a line; figures are below
        is_mixed = (len(places) == 2 and "|" not in text) or _ASKED.search(text, 0, places[0][0])
        return [0, *(start for start, _ in places)] if is_mixed else []
    if not places or not figures:
        return []
    heads = [_BYTES.search(text, end) for _, end in places]
    below = [head.start() for head in heads if head]
    return sorted({0, *ends, *(start for start, _ in places), *below, *figures} - {len(text)})


def _beside(text: str) -> list[int]:
    """Return where a line is parted that holds a command and its report, or several reports.

    Between these are words: progress alone is drawn over, or glued to it.
    """
    several = figure_ends(text) if text.count("B/s") > 1 and "|" not in text else []
    if len(several) > 1:
        begins = [0, *several[:-1]]
        parts = [text[begin:end] for begin, end in zip(begins, several, strict=True)]
        if all(_LABEL.match(part) for part in parts[1:]):
            found = zip(begins, map(_beside, parts), strict=True)
            return [begin + at for begin, inside in found for at in inside or [0]]
    asked = _ASKED.search(text) if "B/" in text or "bytes/sec" in text else None
    head = report_start(text) if asked else -1
    return [0, head] if asked and head > asked.end() else []


def unwrapped(shown: Sequence[Line], index: int) -> Transfer | None:
    """Return what a report says whose line a mail program broke; None where figures disagree."""
    if index + 1 == len(shown):
        return None
    line, below = shown[index : index + 2]
    if not (is_announced(line.text) or FOREIGN.search(line.text)):
        return None
    more, text = _QUOTED.sub("", below.text), line.text.rstrip()
    try:
        found = read(Line(below.number, f"{text} {more}"), whole=False)
    except SdAnalysisError:
        return None
    if found is None or found.doubt or len(found.before) >= len(text):
        return None  # or the report is the one below
    if found.column <= len(text):
        return found._replace(line=line)
    moved = len(below.text) - len(more) - len(text) - 1
    return found._replace(line=below, column=found.column + moved)


def counts_above(shown: Sequence[Line], index: int) -> list[tuple[int, int]]:
    """Return the record counts of at most two lines right above a line: in, then out."""
    found: list[tuple[int, int]] = []
    for line in reversed(shown[max(index - 2, 0) : index]):
        if (records := counts(line.text)) is None:
            break
        found.insert(0, records)
    return found
