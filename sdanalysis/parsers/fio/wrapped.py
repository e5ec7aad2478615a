"""Lines of fio's report for people that a mail program wrapped -> the lines as they were.

A job's header is 110 letters long and a command longer: nearly every mail breaks them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.options import is_command

_MOST = 4  # parts of a line
_HEADER = re.compile(r": \(g=[0-9]{1,9}\): rw=[a-z]")
_END = re.compile(r"\biodepth=[0-9]{1,9}\b")
_OTHER = re.compile(r"\(g(?:roupid)?=[0-9]|^[\s>|]*(?:fio-[0-9]|Starting |$)")
_QUOTED = " \t>|"
_OPTION = r"--?[a-z_][a-z_-]{1,39}(?:[= ]\S+)?"
_OPTIONS = re.compile(rf"[\s>|]*{_OPTION}(?:\s+{_OPTION})*\s*")
_CUT_OPTION = re.compile(r"(?<!\S)-(?:-?[a-z_]+-)?$")  # mail breaks lines behind a hyphen, too
_PARTED = re.compile(r"i ?o ?e ?n ?g ?i ?n ?e ?= ?(?=\S)")  # a terminal breaks words


def unwrapped(lines: Sequence[Line], index: int) -> Line:
    """Return a line, with those below it that belong to it where it is a header or a command."""
    line = lines[index]
    text = line.text
    if "(g=" in text and _HEADER.search(text) and not _END.search(text):
        return line._replace(text=_header(lines, index))
    if "fio " in text and is_command(text) and not text.rstrip().endswith("\\"):
        return line._replace(text=_command(lines, index))
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


def _command(lines: Sequence[Line], index: int) -> str:
    """Return a command with the lines below it that hold options alone."""
    text = lines[index].text
    for line in lines[index + 1 : index + _MOST]:
        begun, more = _CUT_OPTION.search(text.rstrip()), line.text.strip(_QUOTED)
        if not _OPTIONS.fullmatch(f"{begun[0] if begun else ''}{more}"[:400]):
            break
        text = f"{text.rstrip()}{'' if begun else ' '}{more}"
    return text
