"""A shell's command with the values of its variables, which other lines set: `BS=4k`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sdanalysis.codebook.measurement import Line

_FAR = 120  # lines from a command to what sets its variables
_VARIABLE = re.compile(
    r"\"?\$(?:(?P<plain>[A-Za-z_]\w{0,40})|\{(?P<braced>[A-Za-z_]\w{0,40})\})\"?"
)
# what may stand before a statement: a prompt, another statement, the words of a declaration
_BEFORE = (
    r"(?:^|[$#%>❯➜;&]|\b(?:do|then)\s)\s{0,8}(?:\+{1,3}\s|(?:export|local|readonly|declare)\s{1,4}){0,2}"
    r"(?:[A-Za-z_]\w{0,40}=[^\s;&|$]{0,80}\s{1,4}){0,5}"
)
_VALUE = (
    r"(?P<value>\"[^\"$`]{1,300}\"|'[^'$`]{1,300}'|[^\s;&|\"'$`(){}]{1,80})"
    r"(?=\s{0,40}(?:$|[;&#]|[A-Za-z_]{1,40}=))"
)


def filled(command: str, lines: Sequence[Line], place: int) -> str:
    """Return a command of which the last line stands at a place, with values for its variables.

    One that a loop sets, that another command prints or that nothing near sets stays as it is.
    """
    if "$" not in command:
        return command
    near = [text for _, text in lines[max(place - _FAR, 0) : place + _FAR]]
    above, below = near[: min(place, _FAR)], near[min(place, _FAR) + 1 :]

    def value(match: re.Match[str]) -> str:
        return _value(match, [*above, command[: match.start()]], below)

    return _VARIABLE.sub(value, command)


def _value(match: re.Match[str], above: Sequence[str], below: Sequence[str]) -> str:
    """Return what the nearest line above sets, else the only one below: of a function's call."""
    name = match["plain"] or match["braced"]
    for text in reversed(above):
        if name in text and (found := _statement(name).findall(text)):
            return found[-1].strip("\"'") or match[0]
    found = [value for text in below if name in text for value in _statement(name).findall(text)]
    return (len(found) == 1 and found[0].strip("\"'")) or match[0]


@lru_cache(maxsize=64)
def _statement(name: str) -> re.Pattern[str]:
    """Return the pattern of what sets a variable; its group is empty where no value is told."""
    loop = rf"\bfor\s{{1,4}}{name}\b|\bread\s(?:-\w\s)?{name}\b"
    return re.compile(rf"(?:{loop}|{_BEFORE}{name}=(?:{_VALUE})?)")
