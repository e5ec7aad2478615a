"""What web pages, mail and loggers put around a log -> its own text, with each place.

`= **103.60 kB/sec**<br>` becomes `= 103.60 kB/sec`. Only what is sure goes: a job may be named
`<script>`, a prompt ends in `>`, and `2**3` is no bold 3. A JSON document stays as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line, Measurement
from sdanalysis.parsers import alternatives, listed, loggers

_LONGEST = 20_000  # characters; a longer line is no line of a page or a mail
_MOST = 100  # parts of a broken line
_SIGNS = re.compile(
    r"\*\*|[`<&\u2502\u2503\u2551]|'''|/s(?:ec)?[*_]|\[/[A-Za-z]|^\s*\[[A-Za-z]|\][0-9]|^[*_]\S.*[*_]\s*$"
    r"|\\[\[\]|_*<>#~]"
)  # a line without one of these holds no markup
# Of a sign that a converter kept from being Markdown; before a line break a command goes on
_KEPT = re.compile(r"\\(?=[\[\]|_*>#~]|<(?!br\b))")
_TAGGED = re.compile(r"</?[A-Za-z]")  # `a < b` is no tag
_NAMED = re.compile(r"&[#A-Za-z]")  # `&&` of a shell is no entity
_OF_JSON = re.compile(r'\s*["{}\[\]]')

# Inner marks first: `**_44.5 MB/s_**`. The characters around them tell marks from `2**3` and
# from a shell's `of=`pwd`/file`.
_NUMBER = r"[0-9][0-9.,]{0,20} ?[A-Za-z]{0,5}/s(?:ec)?"
_CODE = re.compile(r"(?<![\w`=])(?P<mark>`{1,3})(?![`\s])[^`]{1,2000}(?<!\s)(?P=mark)(?![\w`])")
_CODED_LINE = re.compile(r"(?<!\S)(?P<mark>`)[^`]{1,2000}`(?=\s*$)")
_CODED_NUMBER = re.compile(r"(?<![\w`])(?P<mark>`)(?=[0-9])[\w.,/% ]{1,40}`(?![\w`])")
_BOLD = re.compile(
    r"(?<![\w*])(?P<mark>\*{2,3})(?![*\s])[^*]{1,2000}(?<![\s*])(?P=mark)"
    r"(?!\w|\*(?!\*{0,2}\s*$))"  # behind it may stand the end of what began lines above
    r"|(?<!\w)(?P<line>__)(?=[0-9])[^_]{1,40}(?P=line)(?!\w)"
)
_WIKI = re.compile(r"(?<![\w'])(?P<mark>'{3})(?!['\s])[^']{1,400}(?<!\s)(?P=mark)(?![\w'])")
_WHOLE = re.compile(r"^(?P<mark>[*_])(?![*_\s])[^*_]{1,400}(?<!\s)(?P=mark)(?=\s*$)")
_ITALIC = re.compile(rf"(?<![\w*])(?P<mark>[*_]){_NUMBER}(?P=mark)(?![\w*])")

# One mark more on a side: the end of what began lines above, or half of a pair that was cut.
_UNEVEN = re.compile(
    rf"(?<![\w*])(?P<open>[*_]{{0,4}}){_NUMBER}(?P<close>[*_]{{1,5}})(?![\w*])"
    rf"|(?<![\w*])(?P<alone>\*{{2,4}}){_NUMBER}(?![\w*/])"
)

_CELLS = r"br|hr|p|t[dhr]|div|li|pre|blockquote|table|tbody"  # these part words, the others do not
_TAG = re.compile(
    rf"</?(?:(?P<cell>{_CELLS})|b|i|u|em|strong|tt|code|samp|kbd|mark|span|font|small|big|a)"
    r"(?:\s{1,3}[a-z-]{1,20}=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+)){0,9}\s?/?>",
    re.I,
)
# Of forums: it ends on its line, and what a usage has in brackets does not.
_FORUM_NAMES = r"b|i|u|s|color|size|font"
_FORUM_END = re.compile(rf"\[/(?:{_FORUM_NAMES})\]", re.I)
_FORUM = re.compile(rf"\[/?(?:{_FORUM_NAMES})(?:=[^\[\]\s]{{1,30}})?\]", re.I)
# What begins before the last figure of a line, and ends below
_FORUM_BEGUN = re.compile(rf"(?:{_FORUM.pattern})+(?={_NUMBER}\s*$)", re.I)
# Blocks of forums, that begin before the text of a line or end behind it, and of which a log has an
# end; one alone on its line does no harm.
_BLOCKS = rf"quote|spoiler|tt|i?code|mono|noparse|plain|pre|indent|list|center|{_FORUM_NAMES}"
_BLOCK_END = re.compile(rf"\[/(?:{_BLOCKS})\]", re.I)
_BLOCK = rf"\s*\[/?(?:{_BLOCKS})(?:=[^\[\]]{{1,200}})?\]"
_BLOCK_EDGE = re.compile(rf"^(?:{_BLOCK})+(?=\s*\S)|(?<=\S)(?=\s*\[/)(?:{_BLOCK})+(?=\s*$)", re.I)
# Around each line of a terminal's window
_FRAME = re.compile(r"^\s*(?P<mark>[\u2502\u2503\u2551])[^\u2502\u2503\u2551]*(?P=mark)(?=\s*$)")
_ENTITY = re.compile(r"&(?:#(?P<code>[0-9]{1,5})|#[xX](?P<hex>[0-9A-Fa-f]{1,4})|(?P<name>[a-z]+));")
_NAMES = {
    **{"nbsp": " ", "ensp": " ", "emsp": " ", "thinsp": " ", "lt": "<", "gt": ">", "amp": "&"},
    **{"quot": '"', "apos": "'", "lsquo": "\u2018", "rsquo": "\u2019", "minus": "-"},
    **{"ndash": "\u2013", "mdash": "\u2014", "micro": "\u00b5", "times": "\u00d7"},
}
# Of quoted-printable only signs and letters beyond ASCII: `jobs=24` of another part stays, and so
# does `count=8192`, as no letter of UTF-8 begins with `=81`.
_QUOTED = re.compile(
    r"=(?:2[A-F]|3[A-F]|5[B-F]|7[B-E])"
    r"|(?!(?:(?<=bs)|(?<=count)|(?<=size)|(?<=depth)|(?<=jobs))=[89][0-9])(?:=[89A-F][0-9A-F])+"
    r"|(?:(?<![A-Za-z])|(?<=/s)|(?<=/sec))=(?:20|09)$"
    r"|(?:=(?:20|09))?=0D$"
)
_LINE_END = re.compile(r"(?:=(?:20|09))?(?:=0D)?=0A")

_MAILED = re.compile(
    r"^Content-Transfer-Encoding: *quoted-printable|\b(?:bs|count|iodepth|jobs|pid)=3D[0-9]",
    re.IGNORECASE | re.MULTILINE,
)

_Edit = tuple[int, int, str]  # where it begins and ends, and what stands there instead
_Edits = Callable[[str], Iterator[_Edit]]
_Origins = list[int]  # of each character: its place in the lines of the log that became one


class Stretch(NamedTuple):
    """Characters of a changed line that stand side by side in the log, too: from `start` on."""

    start: int
    line: int
    column: int


Places = dict[int, list[Stretch]]  # by the number of a changed line


class Plain(NamedTuple):
    """A log's lines without markup, their text, and where what the changed ones hold stands."""

    lines: Sequence[Line]
    text: str
    places: Places
    html: int = 0  # the number of the first line that is left out, for the text has the same


def undone(lines: Sequence[Line]) -> Plain:
    """Return a log without its markup; where there is none, with the same lines and no places."""
    text = _text_of(lines)
    if "\\\n" in text:
        lines = loggers.unbroken(lines)
        text = _text_of(lines)
    kept, html = alternatives.without_html(lines, text)
    return _undone(kept, _text_of(kept))._replace(html=html) if html else _undone(lines, text)


def _undone(lines: Sequence[Line], text: str) -> Plain:
    mailed, logged = _is_mailed(text), loggers.is_logged(text)
    counted = {**loggers.repeated(lines), **loggers.numbers(lines, text)}
    is_patch = "@" in text and "@@ -" in text
    is_json = '"fio version"' in text
    strings = {} if is_json else listed.strings(lines, text)
    if not (mailed or logged or counted or is_patch or strings) and not _may_be_marked(text):
        return Plain(lines, text, {})
    found: list[Line] = []
    places: Places = {}
    for parts, begin in _mailed(lines) if mailed else (((line,), 0) for line in lines):
        start = begin or counted.get(parts[0].number, 0)
        if logged and not start:
            start = loggers.before(parts[0].text)
        if is_patch and not start:
            start = int(parts[0].text.startswith("+"))  # of a line that a patch adds
        line, origins = _plain(parts, start, mailed=mailed, is_json=is_json)
        if parts[0].number in strings and len(parts) == 1:
            line, origins = _string(parts[0], kept=strings[parts[0].number])
        found.append(line)
        if origins is not None and (line.number not in places or "/s" in line.text):
            places[line.number] = _stretches(origins, parts)
    return Plain(found, _text_of(found), places) if places else Plain(lines, text, {})


def _text_of(lines: Iterable[Line]) -> str:
    return "\n".join([line.text for line in lines])


def placed(measurement: Measurement, places: Places) -> Measurement:
    """Return a measurement at the place of the log where its number stands, markup included."""
    stretches = places.get(measurement.line)
    if not stretches:
        return measurement
    at = measurement.column - 1
    stretch = stretches[bisect_right(stretches, at, key=lambda found: found.start) - 1]
    return measurement._replace(line=stretch.line, column=stretch.column + at - stretch.start)


def _may_be_marked(text: str) -> bool:
    """Tell cheaply, for most logs hold none, whether a text may hold marks: first by one letter."""
    return (
        "`" in text
        or (not text.isascii() and any(map(text.__contains__, "\u2502\u2503\u2551")))
        or ("<" in text and _TAGGED.search(text) is not None)
        or ("&" in text and _NAMED.search(text) is not None)
        or ("*" in text and any(map(text.__contains__, ("**", "*\n", "/s*", "/sec*"))))
        or ("[" in text and "[/" in text and _BLOCK_END.search(text) is not None)
        or "'''" in text
        or ("\\" in text and _KEPT.search(text) is not None)
        or ("_" in text and "_\n" in text)
        or text[-1:] in ("_", "*")
        or ("_" in text and text[0] != "{" and ("/s_" in text or "/sec_" in text))
    )


def _is_mailed(text: str) -> bool:
    """Tell whether a text is quoted-printable: it has a quoted `=`, and a sign that it was quoted.

    That is a broken line, the head of the mail, or a number that would begin with a letter.
    """
    if "=3D" in text:
        return "=\n" in text or bool(_MAILED.search(text))
    return "=0A" in text and "=\n" in text and ("=0A=\n" in text or "=0A=0A" in text)


def _mailed(lines: Sequence[Line]) -> Iterator[tuple[Sequence[Line], int]]:
    """Yield the lines that a mail program broke, together, and where the first of them begins.

    `=====` is a line of its own. Some programs quote line ends, too: `in=0A1+0 records out=0A`.
    """
    parts: list[Line] = []
    begin = 0
    for line in lines:
        start = 0
        for end in _line_ends(line.text):
            yield [*parts, Line(line.number, line.text[: end.start()])], begin if parts else start
            parts, start = [], end.end()
        if start and line.text[start:] in ("", "="):
            if line is lines[-1]:
                yield [type(line)(line.number, line.text[:start])], start
            continue
        begin = begin if parts else start
        parts.append(line)
        goes_on = line.text.endswith("=") and not line.text.endswith("==")
        if not goes_on or len(parts) == _MOST or len(line.text) > _LONGEST:
            yield parts, begin
            parts = []
    if parts:
        yield parts, begin


def _line_ends(text: str) -> Sequence[re.Match[str]]:
    return list(_LINE_END.finditer(text)) if "=0A" in text else ()


def _plain(
    parts: Sequence[Line], start: int, *, mailed: bool, is_json: bool
) -> tuple[Line, _Origins | None]:
    """Return a line without markup and the origins of its text, None for a line as it was."""
    number, whole = parts[0]
    is_marked = _SIGNS.search(whole) or (mailed and "=" in whole)
    if len(parts) == 1 and not start and not is_marked:
        return parts[0], None
    texts = [text.removesuffix("=") for _, text in parts[:-1]] + [parts[-1].text]
    text = "".join(texts)
    if len(text) > _LONGEST:
        return parts[0], None
    origins: _Origins = []
    for begin, part in zip(_begins(parts), texts, strict=False):
        origins += range(begin, begin + len(part))
    if start:
        text, origins = text[start:], origins[start:]
    if mailed:
        text, origins = _edited(text, origins, _unquoted(text))
    if not (is_json and _OF_JSON.match(text)):
        text, origins = _unmarked(text, origins)
    is_changed = len(parts) > 1 or text != whole
    plain = type(parts[-1])(number, text)  # a last line stays one
    return (plain, origins) if is_changed else (parts[0], None)


def _string(line: Line, *, kept: bool) -> tuple[Line, _Origins]:
    """Return a line that holds one string of a list without what stands around it, if it counts."""
    if not kept:
        return line._replace(text=""), []
    origins = list(range(len(line.text)))
    text, origins = _edited(line.text, origins, listed.edits(line.text))
    return line._replace(text=text), origins


def _edited(text: str, origins: _Origins, edits: Iterable[_Edit]) -> tuple[str, _Origins]:
    """Return a text after edits in their order, with the origin of each character."""
    parts: list[str] = []
    kept: _Origins = []
    at = 0
    changes = list(edits)
    if not changes:
        return text, origins
    for start, stop, new in changes:
        parts += text[at:start], new
        kept += origins[at:start]
        kept += origins[start : start + 1] * len(new)
        at = stop
    return "".join([*parts, text[at:]]), kept + origins[at:]


def _unmarked(text: str, origins: _Origins) -> tuple[str, _Origins]:
    """Return a line without tags and entities, and without emphasis where it holds a digit.

    `**Timing cached reads**: the speed of memory` explains a tool, it is not its output; the names
    of iozone's columns are.
    """
    found = text, origins
    for signs, edits in _TAGS:
        if signs in found[0]:
            found = _edited(*found, edits(found[0]))
    for signs, edits in _EMPHASES if "reclen" in text or any(map(str.isdecimal, text)) else ():
        if any(map(found[0].__contains__, signs)):
            found = _edited(*found, edits(found[0]))
    return found


def _unquoted(text: str) -> Iterator[_Edit]:
    for match in _QUOTED.finditer(text) if "=" in text else ():
        content = bytes.fromhex(match.group().replace("=", ""))
        try:
            new = content.decode("utf-8")
        except UnicodeDecodeError:
            new = content.decode("latin-1")
        yield match.start(), match.end(), new.replace("\u00a0", " ").rstrip("\r\n")


def _without_tags(text: str) -> Iterator[_Edit]:
    """Yield what a browser shows of tags: nothing at a line's ends, a blank between two cells."""
    tags = list(_TAG.finditer(text))
    ends, starts = [0, *(tag.end() for tag in tags)], [*(tag.start() for tag in tags), len(text)]
    shown = [
        index
        for index, (end, start) in enumerate(zip(ends, starts, strict=True))
        if not text[end:start].isspace() and start > end
    ]
    for index, tag in enumerate(tags):
        parts_words = tag["cell"] and shown and shown[0] <= index < shown[-1]
        yield tag.start(), tag.end(), " " if parts_words else ""


def _without_entities(text: str) -> Iterator[_Edit]:
    for match in _ENTITY.finditer(text):
        new = _NAMES.get(match["name"]) if match["name"] else _character(match)
        if new:
            yield match.start(), match.end(), new


def _without_backslashes(text: str) -> Iterator[_Edit]:
    for match in _KEPT.finditer(text):
        yield *match.span(), ""


def _without_forum(text: str) -> Iterator[_Edit]:
    for match in _FORUM.finditer(text) if _FORUM_END.search(text) else ():
        yield match.start(), match.end(), ""


def _without_edges(text: str) -> Iterator[_Edit]:
    for pattern in (_BLOCK_EDGE, _FORUM_BEGUN):
        for match in pattern.finditer(text):
            yield match.start(), match.end(), ""


def _character(match: re.Match[str]) -> str | None:
    code = int(match["code"]) if match["code"] else int(match["hex"], 16)
    if code in (9, 10, 13, 160):
        return " "
    return chr(code) if 32 <= code < 0xD800 else None


def _without(pattern: re.Pattern[str]) -> _Edits:
    """Return what yields the removal of the two marks around each match of a pattern."""

    def edits(text: str) -> Iterator[_Edit]:
        for match in pattern.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            yield start, end, ""
            yield match.end() - (end - start), match.end(), ""

    return edits


def _without_uneven(text: str) -> Iterator[_Edit]:
    for match in _UNEVEN.finditer(text) if "/s" in text else ():
        for mark in ("open", "alone", "close"):
            if match[mark]:
                yield *match.span(mark), ""


# each with what a line holds where it is
_TAGS: Sequence[tuple[str, _Edits]] = (
    ("\\", _without_backslashes),
    ("<", _without_tags),
    ("&", _without_entities),
    ("[/", _without_forum),
    ("[", _without_edges),
    *((sign, _without(_FRAME)) for sign in "\u2502\u2503\u2551"),
)
_EMPHASES = (
    ("`", _without(_CODED_LINE)),
    ("`", _without(_CODE)),
    ("`", _without(_CODED_NUMBER)),
    ("*_", _without(_BOLD)),
    ("*_", _without(_ITALIC)),
    ("*_", _without(_WHOLE)),
    ("*_", _without_uneven),
    ("'", _without(_WIKI)),
)


def _begins(parts: Iterable[Line]) -> list[int]:
    """Return the places at which lines begin that become one, and where the next one would."""
    return [*accumulate((len(part.text) + 1 for part in parts), initial=0)]


def _stretches(origins: _Origins, parts: Sequence[Line]) -> list[Stretch]:
    begins = _begins(parts)
    starts = [at for at, (before, here) in enumerate(pairwise(origins), 1) if here != before + 1]
    found: list[Stretch] = []
    for start in [0, *starts] if origins else ():
        part = bisect_right(begins, origins[start]) - 1
        found.append(Stretch(start, parts[part].number, origins[start] - begins[part] + 1))
    return found
