"""Numbered lines of a log -> measurements, by the parsers of the tools that wrote it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import chain, count
from operator import attrgetter

from sdanalysis.codebook.measurement import Item, LastLine, Line, Measurement, Problem
from sdanalysis.errors import ParseError, SdAnalysisError, check_known
from sdanalysis.parsers import markup

# Every summary of a script holds one of these: its module need not be loaded for other logs.
SCRIPTS: dict[str, tuple[str, ...]] = {
    "bench_sh": ("I/O Speed", "I/O speed", "I/O 速度", "I/O (第", "I/O (1st"),
    "dbench": ("Read/Write",),
    "disk_benchmark": ("iozone 4K ", "iozone 1M ", "fio 4K ", "fio 1M "),
    "diskmark": ("(Q=", "(QD=", "(T=", "DiskMark"),
    "kbench": ("FIO Benchmark",),
    "kubestr": ("BW(KiB/s)=",),
    "lemonbench": ("MB-4K", "MB-1M", "1GB-4K", "1GB-1M"),
    "nench": ("sequential write speed",),
    "pibenchmarks": ("HDParm", "Disk Write", "DD Write Speed", "FIO", "IOZone", "RandWrite: "),
    "sdtest": ("seq-write;", "seq-read;", "prepare-file;", "rand-4k-", "(target "),
    "yabs": ("(IOPS)", "dd Sequential Disk", "dd 顺序磁盘", '"speed_r"'),
}
# Every output of a tool holds one of these: the same of its parser.
WORDS: dict[str, tuple[str, ...]] = {
    # the signs are those of `5120+0 records out` and `13.5 MB/s`, whose words may be translated
    "dd": ("+", "B/", "copied", "transferred in", "dd: "),
    "ddrescue": ("ddrescue", "average rate:"),
    "fio": (
        *("fio", '"jobname"', "(groupid=", "IOPS=", "runt=", ";0%=0", "Run status group"),
        *("READ: bw=", "WRITE: bw=", "aggrb=", "fsync/fdatasync/"),
    ),
    "hdparm": ("Timing",),
    "iozone": ("reclen", "ozone:", "Command line used:", "see throughput", "report"),
    "scripts": tuple(chain.from_iterable(SCRIPTS.values())),
}
# Parts of words, those first that the fewest logs hold: a letter is found in a tenth of the time of
# a word, and what several words share is looked for once.
_PARTS = (";", "peed", "Write", " 4K ", " 1M ", *"Q(ZH+CFWODKSRTz=-M")


def _by_part(words: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Return words by the rarest part of theirs."""
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(next(filter(word.__contains__, _PARTS), ""), []).append(word)
    return list(found.items())


_WORDS_BY_PART = {tool: _by_part(words) for tool, words in WORDS.items()}

# What announces results, by the sign of such a line: without a row below it a word is due.
HEADERS: dict[str, dict[str, str]] = {
    # the counts of blocks, in any language: `5120+0 records in`
    "dd": {"+": r"^[\s>|*]*[0-9]+\+[0-9]+ [^\W\d]"},
    "fio": {
        "(g=": r": \(g=[0-9]+\): rw=",
        "(groupid=": r": \(groupid=[0-9]+, jobs=[0-9]+\): err=",
        '"fio version"': r"\"fio version\"\s*:",
        "Jobs: ": r"\bJobs: [0-9]+ \(f=[0-9]+\).*\[eta ",  # a rate of a moment, above a report
    },
    "hdparm": {"Timing": r"\bTiming [a-zA-Z_ -]{3,40} reads(?: \([^()]*\))?:"},
    # of Longhorn's benchmark, whose figures are fio's
    "kbench": {"FIO Benchmark": r"^\W{0,40}FIO Benchmark (?:Compar[a-z]{4,6} )?Summary\b"},
    # of a container's benchmark, whose figures are fio's, too; people gave it other names
    "dbench": {"ench Summary": r"^\W{0,40}(?:[A-Za-z]{1,20}|FIO )[bB]ench Summary\b"},
    "iozone": {
        "reclen": r"\b[kK]B +reclen +[a-z]",
        "Children see": r"\bChildren see throughput for +[0-9]",
        "ing block ": r"^[\s>|]{0,40}Error (?:p|f|re-?)?(?:read|writ)ing block [0-9]",
    },
}

# Lines that repeat a result, show progress or describe the run, and that its parser passes over.
REPEATS: dict[str, str] = {
    "ddrescue": r"(?:current|average|error) rate:",
    "fio": r"\b(?:bw|iops)\s*(?:\([^)]*\))?\s*:\s*min=|\bJobs: \d|\[eta |\"[a-z_]+\"\s*:"
    r"|^[^=:]{0,60}\bio=[0-9.]{1,12}[KMGT]?i?B \([^()]{1,20}\), run=[0-9]",
    "iozone": r"Output is in",
    "scripts": r"^\W{0,40}?(?:\* MB/s = 1,000,000 bytes/s"
    r"|(?:HDParm|DD|FIO|IOZone)[\s|]{1,40}(?:Cached |Disk |4[kK] )[A-Za-z ]{4,12}[\s|]{1,40}"
    r"[0-9.,]{1,22} (?:[kKMGT]?B/s(?:ec)?|IOPS \([0-9.,]{1,22} KB/s\))[\s|]{0,40}$"
    r"|HDParm: .{0,60} - HDParmCached: .{0,60}$|DD Write Speed: [0-9.]{1,22} [kMGT]?B/s\s{0,40}$"
    r"|(?:FIO results - )?4k RandWrite: .{0,60} - 4k RandRead: .{0,60}$"
    r"|(?:Sequential write|Random write|Random read) speed [0-9.]{1,22} (?:KB/sec|IOPS) \(target "
    r"|(?:(?:Mixed )?Random|Sequential) Read/Write(?: IOPS| BW)?: "
    r"|(?:Total|合计)\s{0,20}\|\s{0,20}[0-9.]{1,16} [KMG]B/s\s{1,20}\([0-9.]{1,16}k?\)"
    r"|iozone (?:4K|1M) (?:random|sequential) (?:read|write)\s{0,20}\|\s{0,20}"
    r"[0-9]{1,12}\.[0-9]{2} MB/s\s{0,20}\|)",
}
# Totals over several results, which they repeat where they stand below them.
# The second one begins what a mail program put into the next line.
TOTALS: dict[str, str] = {
    "fio": r"^\W*(?:READ|WRITE|TRIM|MIXED):|^[\s>|]*(?:[0-9.]+[kKMGT]?i?B/s-[0-9.]+[kKMGT]?i?B/s )?"
    r"\([0-9.]+[kMGT]?B/s-[0-9.]+[kMGT]?B/s\), io=|^[\s>|]*(?:min|max)b=.{5,60} maxt=[0-9]+msec"
}

Parser = Callable[..., Iterable[Item]]  # of lines; of NAMED also the file's name


def _parse_tool(tool: str, lines: Sequence[Line], **named: str) -> Iterable[Item]:
    """Call a tool's parser, imported when it is needed: most logs are of one tool."""
    return _parser(tool)(lines, **named)


@cache
def _parser(tool: str) -> Parser:
    parser: Parser = import_module(f"{__name__}.{tool}").parse
    return parser


PARSERS: dict[str, Parser] = {tool: partial(_parse_tool, tool) for tool in WORDS}
NAMED = ("fio",)  # a side log of fio says only in its file's name what it holds

_PLACE = attrgetter("line", "column")
_ANSI = re.compile(
    r"\x1b\[\?2004l\r?"  # end of bracketed paste: the shell returns the carriage
    r"|\x1b\[[0-9;?]*[ -/]*[@-~]"
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # the window's title
    r"|\x1b[ -/]+[0-~]"  # a character set: `tput sgr0` sends one
    r"|\x1b[@-Z\\-_]"
)
# what `cat -v` and editors show of a return and of an escape
_CARETS = re.compile(r"\^M(?=\n|\^\[\[|[A-Z]|\Z)|\^\[(?=\[[0-9;?]*[A-Za-z])")
# what pages write for a blank, and what has no width in them
_BLANKS = re.compile("[\u00a0\u2000-\u200b\u202f\u205f\u2060\u3000]")
# of JSON: letters beyond ASCII, and a shell's signs that some programs escape, too
_ESCAPED = re.compile(
    r"(?<!\\)\\u(?:00(?P<sign>1b|26|3[ce])|(?P<letter>(?!00[0-7])(?!d[89a-f])[0-9a-f]{4}))", re.I
)
# what the input methods and the converters of pages make of the signs between two ASCII words
_WIDE = dict(zip(map(ord, "，：；（）＝"), ",:;()=", strict=True))
_WIDE_SIGNS = re.compile(r"(?:(?<=[ -~])|^)[，：；（）＝]{1,3}(?=[ -~]|$)", re.MULTILINE)
# a blog makes one dash of the two of an option, `fio –name=a`, a word processor one of each
_DASHES = re.compile(r"(?<= )[–—]{1,2}(?=[a-zA-Z])")
_WORD = re.compile(r"[a-z]{4}")
_LINE = partial(tuple.__new__, Line)  # what Line(number, text) does, without a call in Python
_TEXT_BYTES = bytes(range(32, 256)) + b"\t\n\r\x0b\x0c\x08\x1b\x07"
_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))


def is_binary(content: bytes) -> bool:
    """Tell whether a third of the first bytes are control codes (UTF-16 has its mark).

    A crash may leave a stretch of NUL bytes in a log, whose other lines are good.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    head = content[:4096]
    return len(head.translate(None, _TEXT_BYTES)) * 3 > len(head)


def decode(content: bytes) -> str:
    """Return the text of a file: UTF-8 or UTF-16 by its mark, else UTF-8, else Latin-1."""
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError as error:
                raise SdAnalysisError(f"found bytes that are not {encoding}: {error}") from error
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":  # cut inside its last character
            return content.decode("utf-8", errors="replace")
        return content.decode("latin-1")


def split_lines(text: str) -> list[Line]:
    r"""Return the numbered lines, cleaned once and for all.

    What JSON escapes becomes its letters, ANSI codes go, spaces of pages become blanks, full-width
    commas those of ASCII and the dashes of options hyphens; of a line that was redrawn (``\r``)
    only what was drawn last stays. Numbers count ``\n`` only, as editors and `sed` do. The last of
    them is a `LastLine` where the file ends with a line end.
    """
    text = _cleaned(text)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if "\r" in text:
        lines = [line.rstrip("\r").rpartition("\r")[2] for line in lines]
    numbered = list(map(_LINE, zip(count(1), lines, strict=False)))
    if text.endswith("\n"):
        numbered[-1] = LastLine(*numbered[-1])
    return numbered


def _cleaned(text: str) -> str:
    """Return a text without what terminals and pages put in the place of plain signs."""
    if "\\u" in text:
        text = _ESCAPED.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    if "^" in text and ("^[[" in text or "^M" in text):
        text = _CARETS.sub(lambda match: "\r" if match[0] == "^M" else "\x1b", text)
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if not text.isascii():
        text = _BLANKS.sub(" ", text)
        if "，" in text or "：" in text or "（" in text:
            text = _WIDE_SIGNS.sub(lambda match: match[0].translate(_WIDE), text)
    if " –" in text or " —" in text:
        text = _DASHES.sub(_hyphens, text)
    return text


def _hyphens(match: re.Match[str]) -> str:
    """Return the hyphens of an option: words have two, letters one."""
    return "--" if _WORD.match(match.string, match.end()) else "-"


def tools_in(text: str) -> list[str]:
    """Return the tools whose words stand in a log: the parsers of the others would find nothing.

    A side log of fio has no words: it begins with a digit.
    """
    return [
        tool
        for tool in PARSERS
        if _may_be_in(text, tool) or (tool == "fio" and "0" <= text[:1] <= "9")
    ]


def _may_be_in(text: str, tool: str) -> bool:
    for part, words in _WORDS_BY_PART.get(tool, (("", [""]),)):
        if part in text:
            for word in words:
                if word in text:
                    return True
    return False


def _strictly(items: Iterable[Item]) -> Iterator[Measurement]:
    """Yield the measurements; the first error or doubt ends it, notes are for `parse` alone."""
    for item in items:
        if isinstance(item, Measurement):
            yield item
        elif item.kind != "note":
            raise ParseError(item.line, item.text)


def parse(lines: Sequence[Line], tools: Iterable[str]) -> list[Measurement]:
    """Return what the named tools' parsers find, in the order of the lines.

    Raises ParseError: A line announces a result that its parser cannot read, or two claim it.
    """
    plain = markup.undone(lines)
    found: list[Measurement] = []
    for tool in tools:
        check_known("parser", tool, sorted(PARSERS))
        found += [markup.placed(one, plain.places) for one in _strictly(PARSERS[tool](plain.lines))]
    found.sort(key=_PLACE)
    found, _ = own_first(found)
    for line, text in claimed_twice(found).items():
        raise ParseError(line, text)
    return found


def own_first(found: list[Measurement]) -> tuple[list[Measurement], list[Problem]]:
    """Return the measurements without what a script's summary repeats of the tools' own output."""
    if all(item.script is None for item in found):
        return found, []
    return import_module(f"{__name__}.scripts.own").without_repeats(found)


def claimed_twice(found: Sequence[Measurement]) -> dict[int, str]:
    """Return, by its number, what is wrong with each line that two tools or scripts claim."""
    if len({measurement.tool for measurement in found}) < 2:
        return {}
    claimants: dict[int, set[str]] = {}
    tools: set[int] = set()
    for one in found:  # a page may have made one line of what several scripts say of tools
        claimants.setdefault(one.line, set()).add(one.script or one.tool)
        tools |= set() if one.script else {one.line}
    return {
        line: f"found a line that {' and '.join(sorted(names))} both claim, expected one tool's"
        for line, names in claimants.items()
        if len(names) > 1 and line in tools
    }
