"""The lines of a page with the commands of dd, whole: what a backslash or a mail program parted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.dd.commands import CommandLine, command_line
from sdanalysis.parsers.dd.words import counts, is_refusal, is_timed, message

# What a mail program wrapped: a command to the end of its line, and operands alone below it.
_OPERANDS = r"(?:if|of|bs|ibs|obs|cbs|count|skip|seek|conv|iflag|oflag|status)=[^\s;|&]+"
_OPEN = re.compile(rf"(?<![\w.-])g?dd(?P<operands>(?:\s+{_OPERANDS})*)\s*$")
_WRAPPED = re.compile(
    rf"[\s>|]*(?P<operands>{_OPERANDS}(?:\s+{_OPERANDS})*)"
    r"(?:\s+[0-9]{1,18}\+[0-9]|(?P<rest>\s*(?:\\|[0-9]?[|;&>(].*)?$))"  # `count=1 | sync`
)
_ENDED = re.compile(r"\s*\[[0-9]{1,4}\]\s?[-+]?\s+(?:Done|Exit|Killed|Terminated|Stopped)\b")
_CONTINUED = re.compile(r"^\s*(?:[>$]+\s+)*")  # a mail's marks, and a shell's prompt for more
_NAME = re.compile(r"\b([a-z]+)=")


def command_lines(shown: Sequence[Line], above: range) -> list[tuple[int, CommandLine]]:
    """Return the lines in which commands end, but those that dd refused."""
    found: list[tuple[int, CommandLine]] = []
    for index in above:
        if index > above.start and _goes_on(shown[index - 1].text):
            continue  # it was read with the line that it continues
        if _is_refused(shown, index):  # of several in a line it is not known which
            found = [(number, line) for number, line in found if len(line.commands) > 1]
        elif is_timed(shown[index].text) or _ENDED.match(shown[index].text):
            continue  # it names the command of the report above it, or of a job
        elif (line := command_line(" ".join(parts := _parts(shown, index)))) and line.commands:
            found.append((index + len(parts) - 1, line))
    return found


def _is_refused(shown: Sequence[Line], index: int) -> bool:
    """Tell whether dd says why it ended, and no counts follow: the commands above are done."""
    text = shown[index].text
    if "dd: " not in text:
        return False
    return is_refusal(text) or bool(message(text) and counts(shown[index + 1].text) is None)


def _goes_on(text: str) -> bool:
    r"""Tell whether a backslash at a line's end continues it: two are a wiki's end of a line."""
    end = text.rstrip()
    return end.endswith("\\") and not end.endswith("\\\\")


def _parts(shown: Sequence[Line], index: int) -> list[str]:
    r"""Return a line and those that a backslash, or a mail program, parted from it."""
    parts = [shown[index].text]
    for line in shown[index + 1 : index + 5]:
        if _goes_on(parts[-1]):
            parts[-1] = parts[-1].rstrip()[:-1]
            parts.append(_CONTINUED.sub("", line.text))
        elif more := _wrapped(" ".join(parts), line.text):
            parts.append(more)
        else:
            break
    return parts


def _wrapped(text: str, below: str) -> str:
    """Return the operands that a mail program put into the line below a command, or nothing."""
    begun = _OPEN.search(text) if "dd" in text else None
    match = _WRAPPED.match(below) if begun else None
    if begun is None or match is None:
        return ""
    names = {*_NAME.findall(begun["operands"])} & {*_NAME.findall(match["operands"])}
    return "" if names else f"{match['operands']}{match['rest'] or ''}"
