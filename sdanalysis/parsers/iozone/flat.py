"""iozone's output that a page put into one line: `kB reclen write rewrite 64 4 1202 3310`.

Where a line holds what iozone prints in several, it is parted at its own words, each part in its
columns. Behind the names of a table there are numbers then: rows of as many as the tests print,
each with a file size and a record size that can be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.codebook.units import KIB, counted
from sdanalysis.parsers.flat import parted
from sdanalysis.parsers.iozone.commands import Options
from sdanalysis.parsers.iozone.layouts import Columns
from sdanalysis.parsers.iozone.row import LARGEST, Row, row_of

# Each begins with letters alone, for which a text is searched fast
_TABLE = re.compile(r"reclen +write\b[^\n0-9]{0,200}[0-9]")
_BLOCK = re.compile(
    r"throughput for[^\n]{0,120}?[ \t](?:(?:Parent|Children) sees?|Min|Max|Avg) throughput"
)
_REPORT = re.compile(r"\"Throughput report[^\n\"]{0,80}\" {1,40}\"Record size")
_SIGNS = (_TABLE, _BLOCK, _REPORT)
_BEGINS = re.compile(
    r"Iozone: Performance Test|Version \$Revision|Run began: |Auto Mode|Include (?:fsync|close) in"
    r"|O_DIRECT(?:IO)? feature|VxFS adv|File size set|(?<!imum )Record Size [0-9]|No retest option"
    r"|Command line used:\s*\S+|Output is in|Time Resolution|Throughput test with"
    r"|Each (?:process|thread) writes|(?:Children|Parent) sees? throughput"
    r"|(?:Min|Max|Avg) throughput per|Min xfer|Child\[ *[0-9]+\] xfer"
    r"|CPU [uU]tilization: Wall|iozone test complete\.|random +random +bkwd"
    r"|Excel output is below|\"(?:Throughput report|Record size|Output is in)"
    r"|\"[A-Z][a-z -]{3,14} report\""
    r"|\" {1,20}[A-Z][A-Za-z -]{3,14} \""
    r"|(?<!\S)(?:\S{1,80}[$#%>] ?)?(?:sudo +)?(?:[\w./~-]{0,80}/)?iozone3? +-|[kK]B +reclen +write"
)
_HEADED = re.compile(
    r"(?P<names>.*\b[kK]B\s+reclen\s+write[a-z ]{0,200}[a-z])"
    r"(?P<numbers>(?:\s+[0-9]{1,18}(?!\S))+)(?P<rest>.*)"
)
_NUMBER = re.compile(r"[0-9]+")
_BEHIND = re.compile(r"(?:\s+[0-9]{1,18}){4,}(?!\S)")
# What iozone printed, as a string of JSON, or as a list of strings: `"stdout_lines": [`
_STRINGS = re.compile(
    r"^\s*[\"'][^\n]{0,300}(?:reclen +write|Children see throughput)[^\n]{0,300}[\"'],?\s*$"
    r"|\\n[^\n\\]{0,300}(?:\\t)?[^\n\\]{0,300}(?:reclen +write|Children see throughput)",
    re.MULTILINE,
)
_STRING = re.compile(r"\s*(?P<quote>[\"'])(?P<text>.*)(?P=quote),?\s*")
_ESCAPED_WORD = re.compile(r"\\\"([^\"\\]{1,80})\\\"")
_END = "\\n"
_TAIL = re.compile(r"[\"'][\]},\s]{0,20}$")  # of such a string


def unfolded(lines: Sequence[Line], text: str) -> Sequence[Line]:
    """Return a log's lines, those parted that hold several of iozone's; `text` is all of them."""
    if not any(sign.search(text) for sign in _SIGNS):
        return lines
    found: list[Line] = []
    for line in lines:
        is_flat = any(sign.search(line.text) for sign in _SIGNS)
        found += parted(line, _BEGINS) if is_flat else [line]
    return found


def is_quoted(text: str) -> bool:
    """Tell whether a log has iozone's output as a string of JSON, or as a list of strings."""
    is_cheap = "\\n" in text or '",\n' in text or "',\n" in text
    return is_cheap and _STRINGS.search(text) is not None


def unquoted(lines: Sequence[Line]) -> Iterator[tuple[Line, int]]:
    """Yield the lines that strings hold, and how many characters stand before each."""
    for line in lines:
        if line.text.count(_END) > 1:
            start = 0
            whole = _TAIL.sub("", line.text)
            if whole[-1:].isdigit():  # the string may be cut in this number
                whole += "\u2026"
            for part in whole.split(_END):
                yield Line(line.number, _plain(part)), start
                start += len(part) + len(_END)
        elif string := _STRING.fullmatch(line.text):
            yield line._replace(text=_plain(string["text"])), string.start("text")
        else:
            yield line, 0


def _plain(text: str) -> str:
    return _ESCAPED_WORD.sub(r'"\1"  ', text.replace("\\t", "  "))


def headed(text: str) -> re.Match[str] | None:
    """Return the names of a table's columns and the numbers behind them in the same line."""
    return _HEADED.match(text) if _TABLE.search(text) else None


def flat_rows(
    flat: re.Match[str], columns: Columns, command: Options | None, *, last: bool
) -> Iterator[Row | str]:
    """Yield the rows that stand behind the names, or in words why there are none.

    `last`: nothing follows the line, it may be cut.
    """
    found = list(_NUMBER.finditer(flat.string, *flat.span("numbers")))
    width = len(columns.ops) + 2
    if columns.tests is None and not columns.full:
        yield "found a table in one line, expected a command line with its -i"
        return
    is_sure = columns.tests or _is_sure(found, width)
    is_odd = len(found) % width and not last  # a row that ends early stands at the end
    if is_odd or not is_sure or not _are_rows(found, width, command):
        yield (
            f"found {counted(len(found), 'number')} behind the names of a table's columns, "
            f"expected rows of {width}: two sizes and the results"
            + ("" if columns.tests else ", or a command line with its -i")
        )
        return
    whole = len(found) // width
    if last and not flat["rest"] and not flat.string[-1:].isspace():
        whole = (len(found) - 1) // width
    for start in range(0, whole * width, width):
        yield row_of(found[start : start + width], columns)
    if len(found) > whole * width:
        yield (
            f"found {counted(len(found) - whole * width, 'number')} of a last row that may be "
            f"cut, expected {width}"
        )
    if behind := _BEHIND.search(flat["rest"]):
        yield f"found {behind[0].strip()[:80]!r} behind the rows of a table, expected rows alone"


def _is_sure(found: Sequence[re.Match[str]], width: int) -> bool:
    """Tell whether several rows can only be of so many numbers, where no command says the tests."""
    others = range(3, width)
    return len(found) >= 2 * width and not any(_are_rows(found, other, None) for other in others)


def _are_rows(found: Sequence[re.Match[str]], width: int, command: Options | None) -> bool:
    """Tell whether every row of so many numbers begins with sizes that iozone was given, or has."""
    files = command.sizes("s") if command else []
    records = command.sizes("r") if command else []
    pairs = zip(found[::width], found[1::width], strict=False)
    return all(
        0 < record <= min(size, LARGEST)
        and (not files or size * KIB in files)
        and (record * KIB in records if records else record & (record - 1) == 0)
        for size, record in ((int(size[0]), int(record[0])) for size, record in pairs)
    )
