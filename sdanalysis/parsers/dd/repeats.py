"""Reports that stand in a page once more -> which count: each where it stands first.

A command's output is quoted, as a whole, as the lines of a JSON or as its last line alone; a
sentence quotes a part. What a mail quotes with its marks is told in `logs.quotations`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.parsers.dd.commands import command_line
from sdanalysis.parsers.dd.ending import Run
from sdanalysis.parsers.dd.lines import Figures
from sdanalysis.parsers.dd.words import is_quiet

# `"1048576000 bytes (1.0 GB) copied" means`, `- 1048576000 bytes (1.0 GB) copied: all that`:
# a part in quotes, which a page may have taken away, and behind it words of a sentence
_PART = re.compile(
    r"(?:^\W*|[\"'“”‘’„«「『]\s?)(?P<bytes>[0-9]{1,20})\s?[^\W\d_]+[^\"'“”‘’„«»「」『』]{0,80}?"
    r"(?:[\"'“”‘’»」』]|(?<=copied)\s?(?=[:：=–—→]|->))[\s*:：=>–—→-]{0,5}[^\W\d_]"
)


def quoted_part(line: Line, above: Iterable[Run]) -> Problem | None:
    """Return a word on a sentence that quotes what a report above says that it copied."""
    match = _PART.search(line.text)
    size = int(match["bytes"]) if match else 0
    for run in above:
        if run.transfer.size == size and not run.transfer.most:
            text = f"found a part of the report of line {run.transfer.line.number}, quoted"
            return Problem(line.number, f"{text}: counted once", "note")
    return None


def again(run: Run) -> Problem:
    """Return a word on a report that stands in another line, too."""
    text = f"found the report of line {run.again} again: counted once"
    return Problem(run.transfer.line.number, text, "note")


def marked(shown: Sequence[Line], run: Run, above: Run, told: dict[Figures, Run]) -> Run:
    """Return a run, marked where it repeats an earlier one; `told` has these by their figures.

    Its lines alone repeat it, its last line alone, or all of it; but below another command somebody
    who made a mistake may have pasted the figures: both are told.
    """
    figures = run.transfer.figures
    first = told.setdefault(figures, run)
    if first.counts is None:
        told[figures] = run
    is_whole = run.counts == first.counts and run.said.command in (None, first.said.command)
    is_again = first is not run and run.transfer.is_telling and first.counts
    between = shown[above.place + 1 : run.start + 1] if above.transfer.figures == figures else ()
    if any('_lines": [' in line.text for line in between):  # of Ansible's `stderr`
        first = above
    elif not (is_again and (is_whole or not run.counts)):
        return run
    return run._replace(again=first.transfer.line.number)


def with_own(shown: Sequence[Line], runs: list[Run]) -> list[Run]:
    """Return the runs; one that repeats an earlier one is its own where its command has a new one.

    Of one command are the reports below it that nothing parts.
    """
    if not any(run.again for run in runs):
        return runs
    kept: list[Run] = []
    series: list[Run] = []
    for run, below in zip(runs, (*runs[1:], None), strict=True):
        series.append(run)
        ends = below.start if below else len(shown)
        if below and all(is_quiet(line.text) for line in shown[run.place + 1 : ends]):
            continue
        since = kept[-1].place + 1 if kept else 0
        asked = any(command_line(line.text) for line in shown[since : series[0].start])
        if asked and not all(one.again for one in series):
            series = [
                one if one.again >= series[0].first or not one.counts else one._replace(again=0)
                for one in series
            ]
        kept += series
        series = []
    return kept
