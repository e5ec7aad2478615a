"""The pattern of a table's rows -> the same, whose literal digits are groups with names.

A heading such as `Random 4k` in the pattern of a row holds a number that is no figure. What the
pattern spells out, its author has read; what `.*` passes over, nobody has.
"""

import re
from functools import lru_cache

_PIECES = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|0[0-7]{0,2}|.)"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"  # a set of characters
    r"|\(\?P[<=]\w+[>)]|\(\?#[^)]*\)|\{\d*,?\d*\}"  # a group's name, a comment, a count
    r"|(?P<digits>\d+(?:(?:\\\.|,)\d+)*)(?![*+?{\d])|\d",
    re.DOTALL | re.ASCII,
)
_BY_NUMBER = re.compile(r"\\[1-9]|\(\?\(\d")  # groups that more groups would renumber


@lru_cache(maxsize=64)
def with_spelled(pattern: re.Pattern[str]) -> re.Pattern[str]:
    r"""Return the pattern with a group around each number that it spells out.

    Examples
    --------
    >>> spelled = with_spelled(re.compile(r"Random 4k\n(?P<read>[0-9]{1,4}) at QD32"))
    >>> spelled.match("Random 4k\n120 at QD32").groupdict()
    {'_spelled7': '4', 'read': '120', '_spelled37': '32'}
    """
    if _BY_NUMBER.search(pattern.pattern):
        return pattern
    text = _PIECES.sub(_named, pattern.pattern)
    try:
        return re.compile(text, pattern.flags)
    except re.error:  # by what this module does not know of patterns
        return pattern


def _named(match: re.Match[str]) -> str:
    digits = match["digits"]
    return f"(?P<_spelled{match.start()}>{digits})" if digits else match[0]
