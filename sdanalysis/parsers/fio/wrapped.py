"""Lines of fio's report for people that a mail program wrapped -> the lines as they were.

A job's header is 110 letters long and a command longer: nearly every mail breaks them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.commands import is_command, joined
from sdanalysis.parsers.fio.options import USED

_MOST = 4  # parts of a line
_MOST_LINES = 200  # of a command: one too few would be read as the default of its options
_HEADER = re.compile(r": \(g=[0-9]{1,9}\): rw=[a-z]")
_END = re.compile(r"\biodepth=[0-9]{1,9}\b")
_OTHER = re.compile(
    r"\(g(?:roupid)?=[0-9]|^[\s>|]*(?:fio-[0-9]|Starting |$)"
    r"|\b(?:READ|WRITE|TRIM|MIXED|read|write|trim|mixed)\s*: (?:bw|io|IOPS)="
)
_QUOTED = " \t>|"
_TOTAL = re.compile(r"\b(?:READ|WRITE|TRIM|MIXED): (?:bw|io)=[0-9]")
# begins with one of two letters, for which a text is searched fast
_TOTAL_END = re.compile(r"(?:r(?<=\br)un|m(?<=\bm)axt)=[^,]{1,40}msec\b")
_REST_OF_TOTAL = re.compile(
    r"[\s>|]*(?:\([0-9.]+[kMGTi]{0,2}B/s-|(?:io|run|aggrb|min[bt]|max[bt])="
    r"|[0-9.]{1,8}[kKMGT]?i?B/s(?:-[0-9]|\), io=)"
    r"|(?:[0-9.]{1,8}[kKMGT]?i?B )?\([0-9.]{1,8}[kMGT]?B\), run=)"  # of a number that was broken
)
_OPTION = r"--?[a-z_][a-z_-]{1,39}(?:[= ](?:\"[^\"]{1,99}\"|\S+))?"
_OPTIONS = re.compile(rf"[\s>|]*{_OPTION}(?:\s+{_OPTION})*\s*")
_BEGINS = re.compile(r"[\s>|]*--[a-z_]{2,40}=\S")
# a terminal breaks a line anywhere: the rest of a word, then options
_REST_OF_WORD = re.compile(rf"[\w=./:,-]{{1,60}}(?:\s+{_OPTION})+\s*")
_BEHIND = re.compile(r"(?<!\s)\s{1,9}(?:[0-9&]?>|[|;&]).*$")  # the command: where its output goes
_REMARK = re.compile(r"(?<=\S)\s{1,20}#+\s.*$")  # behind an option in a line of its own
_WIDTH = 60  # characters of the narrowest terminal
_BARE_OPTION = re.compile(r"(?<!\S)--?([a-z_]+)$")
_NAME = re.compile(r"(?<!\S)--?name[= ](\S{1,60})$")
_WORD = re.compile(r"[\w.-]{1,60}")
_CUT_OPTION = re.compile(r"(?<!\S)-(?:-?[a-z_]+-)?$")  # mail breaks lines behind a hyphen, too
_PARTED = re.compile(r"i ?o ?e ?n ?g ?i ?n ?e ?= ?(?=\S)")  # a terminal breaks words


def unwrapped(lines: Sequence[Line], index: int) -> Line:
    """Return a line with those below it that belong to it: of a header or a total."""
    line = lines[index]
    text = line.text
    if "(g=" in text and _HEADER.search(text) and not _END.search(text):
        return line._replace(text=_header(lines, index))
    is_total = (": bw=" in text or ": io=" in text) and _TOTAL.search(text)
    if is_total and not _TOTAL_END.search(text):
        return line._replace(text=_total(lines, index))
    return line


def _header(lines: Sequence[Line], index: int) -> str:
    """Return a header up to its depth; as it was where that does not come."""
    text = lines[index].text
    for line in lines[index + 1 : index + _MOST]:
        if _OTHER.search(line.text):
            break
        text = f"{text.rstrip()} {line.text.strip(_QUOTED)}"
        if _END.search(line.text):
            return _PARTED.sub("ioengine=", text)
    return lines[index].text


def command_at(lines: Sequence[Line], index: int) -> tuple[str, int]:
    """Return the command that begins at an index, and the index of its last line.

    A backslash joins its lines, or they hold options alone, or begin with one.
    """
    text, is_open, end = joined("", lines[index].text), _is_open(lines[index].text), index
    for at, line in enumerate(lines[index + 1 : index + _MOST_LINES], index + 1):
        part = _REMARK.sub("", line.text)
        more, is_last = part.strip(_QUOTED), False
        if is_open or more == "\\":
            text = joined(text, part)
        else:
            longer, is_last = _with_options(text, more, lines[at + 1 : at + _MOST])
            if not longer:
                break
            text = longer.removesuffix("\\")
        is_open, end = _is_open(line.text), at
        if is_last:
            break
    return text, end


def _is_open(text: str) -> bool:
    """Tell whether a line of a command goes on in the next one."""
    return text.rstrip().endswith("\\")


def _with_options(text: str, more: str, below: Sequence[Line]) -> tuple[str, bool]:
    """Return a command with a line that no backslash joins to it, and whether that is its last.

    An empty one if the line is not of it.
    """
    begun, end = _CUT_OPTION.search(text.rstrip()), _BEHIND.search(more)
    options = more[: end.start()] if end else more.removesuffix("\\")
    part = f"{begun[0] if begun else ''}{options}"[:400]
    is_whole = bool(_OPTIONS.fullmatch(part))
    is_rest = not is_whole and _may_be_rest(text, options)
    if not is_whole and not is_rest and not _BEGINS.match(part):
        return text.rstrip() + more if _is_rest_of_name(text, more, below) else "", True
    is_parted = not begun and (not is_rest or _ends_with_option(text))
    # `--direct=1 | tee log` ends it
    return f"{text.rstrip()}{' ' * is_parted}{more}", bool(end) or not (is_whole or is_rest)


def _may_be_rest(text: str, below: str) -> bool:
    """Tell whether a line may begin with the rest of a command's last word: of no other command."""
    if len(text) < _WIDTH or not _REST_OF_WORD.fullmatch(below):
        return False
    return text.rstrip().endswith(("=", "/")) or not is_command(below)


def _is_rest_of_name(text: str, more: str, below: Sequence[Line]) -> bool:
    """Tell whether a word is the rest of a job's name, which the header below has whole."""
    match = _NAME.search(text.rstrip())
    if not match or not _WORD.fullmatch(more):
        return False
    return any(f"{match[1]}{more}: (g" in line.text for line in below)


def _ends_with_option(text: str) -> bool:
    """Tell whether a line ends with the whole name of an option, whose value is to follow."""
    match = _BARE_OPTION.search(text.rstrip())
    return bool(match and match[1] in (*USED, "name"))


def _total(lines: Sequence[Line], index: int) -> str:
    """Return the line of a group's totals up to its times; as it was where they do not come."""
    text = lines[index].text
    below = (line for line in lines[index + 1 : index + 2 * _MOST] if line.text.strip(_QUOTED))
    for line in islice(below, _MOST - 1):
        if not _REST_OF_TOTAL.match(line.text):
            break
        text = f"{text.rstrip()}{'' if text.endswith('-') else ' '}{line.text.strip(_QUOTED)}"
        if _TOTAL_END.search(text):
            return text
    return lines[index].text
