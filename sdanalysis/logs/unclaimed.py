"""Lines that look like a result and that no reader took -> one problem a block.

Only a whole result is read: dd's line of bytes, hdparm's timing, fio's block of a job with its
header, iozone's header of columns with its rows, ddrescue's screen. A piece of one, a table made by
hand and the summary of a script that is not known give no row: this module says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdanalysis.codebook.measurement import Problem
from sdanalysis.parsers.capture import Capture

# What every line that looks like a result holds: a word is found in a tenth of a pattern's time.
_SIGNS = ("B/s", "b/s", "ytes/s", "Bps", "bps", "iops", "IOPS", "Timing ", "runt=")
# A number with the unit of a rate, or what a tool prints before one. `Gb/s` is a cable's speed.
_RESULT = re.compile(
    r"[\d.,]{1,20}(?<=\d)\s?(?:(?:[kKMGT]i?)?B|[kmg]b|[kKMGT]?[bB]ytes)(?:/s(?:ec)?|ps)(?!\w)"
    r"|[\d.,]{1,20}(?<=\d)\s?(?i:iops)\b|\b(?i:iops)\b\D{0,3}\d"
    r"|\bTiming [A-Za-z_ -]{3,40} reads|\bio=.{1,60}\brunt="
)
# Lines of a tool's own output that repeat a result, show progress, or describe what ran.
_NO_RESULT = re.compile(
    r"\bJobs: \d|\[eta |\"[a-z_]{1,40}\"\s*:"
    r"|\(g(?:roupid)?=\d"
    r"|^\W*(?:READ|WRITE|TRIM|MIXED):|\b(?:rate|rate_iops|rate_min)=|^\s*ETA |\bMB/s = 1,000,000"
    r"|^[^=:]{0,60}\bio=[0-9.]{1,12}[KMGT]?i?B \([^()]{1,20}\), run=\d"
)
_PROSE = 7  # words beside the figures: a line with more of them speaks about a result
_WORD = re.compile(r"[^\W\d_]{2,}")
_NEAR = 3  # lines between two of one block
_LONGEST = 2000  # characters of a line that are looked at
_ADVICE = "save the tool's own output (`... 2>&1 | tee card.log`)"


def unclaimed(capture: Capture, problems: Sequence[Problem]) -> Iterator[Problem]:
    """Yield one problem on each block of lines that look like results and that nobody took."""
    claimed = capture.taken | {problem.line for problem in problems}
    blocks: list[list[int]] = []
    for number in capture.numbers(_SIGNS):
        if number not in claimed and _result(capture.lines[number - 1]):
            if blocks and number - blocks[-1][-1] <= _NEAR:
                blocks[-1].append(number)
            else:
                blocks.append([number])
    for first, *others in blocks:
        found = f"found {_result(capture.lines[first - 1])!r}"
        found += f" and {len(others)} more lines like it, to line {others[-1]}" if others else ""
        expected = "expected the whole output of a tool or script that is read"
        yield Problem(first, f"{found}, which looks like a result, {expected}: {_ADVICE}")


def _result(line: str) -> str:
    """Return what looks like a result in a line; nothing of what repeats one or speaks about one.

    A message quotes no more of a line: a log may hold what nobody else shall see.
    """
    text = line[:_LONGEST].lstrip()
    match = _RESULT.search(text)
    if match is None or _NO_RESULT.search(text):
        return ""
    return match[0].strip() if len(_WORD.findall(_RESULT.sub(" ", text))) < _PROSE else ""
