"""iozone: the table of automatic mode, the blocks of throughput mode, the reports of `-R`.

Grammar from iozone.c 3.2xx to 3.508 and from runs of them. Tests that were not selected leave
blanks of a width that depends on the version: `layouts` knows them, `row` reads by position.

What is not a number stays none: a zero under `-+n` or `-+E` was not measured, a zero under `-N`
is less than a microsecond (status `below_resolution`), any other zero is refused. A row that ends
early keeps its whole results with the status `error`, `interrupted` or `partial` where something
follows that shows where it ended, its line end at least, and is refused otherwise. Words that
somebody put before rows or between them end no table, and a header without a row is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import lru_cache

from sdanalysis.codebook.measurement import Item, Line, Measurement, Problem
from sdanalysis.parsers.iozone.flat import is_quoted, unfolded, unquoted
from sdanalysis.parsers.iozone.joined import with_rest
from sdanalysis.parsers.iozone.layouts import is_header
from sdanalysis.parsers.iozone.reports import (
    START,
    contradicts,
    is_report,
    read_block,
    read_report,
    read_sizes,
    test_of,
)
from sdanalysis.parsers.iozone.row import MARKS
from sdanalysis.parsers.iozone.run import Run, is_heading, read_fact
from sdanalysis.parsers.iozone.table import PlainRows, expand, is_sized, read_table, table_at

_Found = Item | PlainRows
_Reader = Callable[[Sequence[Line], int, Run], Generator[_Found, None, int]]
__all__ = ["PlainRows", "expand", "parse", "scan", "table_at"]

_KEYWORDS = ("reclen", START, ' report"', '"Throughput report', "ozone:", "Command line used:")
# A line without one of these says nothing: not a header, not a result, not a fact of `run`. A
# pattern of them all takes twice as long.
_WORDS = (
    *("reclen", "Children see", "report", "Excel", "Each ", "Iozone", "iozone", "Command line"),
    *("Version", "Output is", "O_DIRECT", "VxFS", "F_NOCACHE", "File size", "Record Size"),
    *("No retest", "Percent", "Run began", "Auto Mode", "Include", "Error", "Can not", "You must"),
    *("Timer", "The test", "Performance measurements", "\x00"),
)
_SHORT = 200  # characters; longer lines are not kept
_LONGEST = 65_536  # characters; a command line with a few hundred files is the longest line known
_SHORTLY = 8  # lines between two tables, and between a sentence and its table
_TELLING = 8  # words of a row that no other run repeats: two sizes and six figures
_WORD = re.compile(r"\w")
# In a command that keeps some lines of a block: `iozone -t 4 | grep "Children see"`
_SEARCHED = re.compile(r"\b(?:[ef]?grep|awk|sed|findstr|rg|Select-String)\b")
_NEAR = 40  # lines from a prompt's command to its results: iozone's banner is half of that


def parse(lines: Sequence[Line]) -> Iterable[Item]:
    """Yield every result of iozone in a log, and what could not be read, in the log's order."""
    for found in scan(lines):
        if isinstance(found, PlainRows):
            yield from expand(found)
        else:
            yield found


def scan(lines: Sequence[Line]) -> Iterator[_Found]:
    """Yield what `parse` yields, whole rows of a table together in their lean form."""
    whole = "\n".join([line.text for line in lines])
    if not any(map(whole.__contains__, _KEYWORDS)):
        return
    if is_quoted(whole):
        yield from _in_strings(lines)
    else:
        yield from _scan(unfolded(lines, whole))


def _scan(lines: Sequence[Line]) -> Iterator[_Found]:
    """Yield what lines of their own hold."""
    run: Run | None = None
    tables: dict[str, list[int]] = {}
    index = 0
    while index < len(lines):
        before, problem = run, None
        text = lines[index].text.lstrip()  # of a part of a page's line, thousands of blanks
        if not (_says if len(text) > _SHORT else _says_again)(text):
            index += 1
            continue
        reader = _reader(lines[index].text)
        if reader:
            run = run if run and _goes_on(lines, index, run) else _next(lines, index, run)
        else:
            run, problem = _fact_of(with_rest(lines, index), run)
        if before and before is not run:
            _count(run, before)
            yield from _close(before)
        if problem:
            yield problem
        index = yield from _results(reader, lines, index, run, tables)
    if run:
        yield from _close(run)


def _in_strings(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield what the strings of a log hold, at their places."""
    found = list(unquoted(lines))
    parts = [line._replace(number=place) for place, (line, _) in enumerate(found, 1)]
    for rows in _scan(unfolded(parts, "\n".join([line.text for line in parts]))):
        for item in expand(rows) if isinstance(rows, PlainRows) else (rows,):
            line, start = found[item.line - 1]
            if isinstance(item, Measurement):
                yield item._replace(line=line.number, column=item.column + start)
            else:
                yield item._replace(line=line.number)


def _results(
    reader: _Reader | None,
    lines: Sequence[Line],
    index: int,
    run: Run | None,
    tables: dict[str, list[int]],
) -> Generator[_Found, None, int]:
    """Yield results that repeat no table above; return the index of the line after them."""
    if reader is None or run is None:
        return index + 1
    run.adopt()
    results = reader(lines, index, run)
    quoted = _quoted(lines, index, tables) if reader is read_table else None
    if quoted is None:
        return (yield from results)
    text = f"this table repeats the one at line {quoted.number}: not counted again"
    yield Problem(line=lines[index].number, text=text, kind="note")
    while True:
        try:
            next(results)
        except StopIteration as end:
            return int(end.value)


def _says(text: str) -> bool:
    """Tell whether a line holds one of the words."""
    return any(map(text.__contains__, _WORDS))


_says_again = lru_cache(maxsize=1024)(_says)  # the logs of a folder have the same banners


def _reader(text: str) -> _Reader | None:
    """Return what reads the results that begin with a line: a table, a block or a report."""
    if len(text) > _LONGEST:
        return None
    if is_header(text):
        return read_table
    if START in text:
        return None if _SEARCHED.search(text[: text.find(START)].strip()) else read_block
    return read_report if is_report(text) else None


def _fact_of(line: Line, run: Run | None) -> tuple[Run | None, Problem | None]:
    """Return the run that a line of text belongs to or begins, and a word about the line."""
    if not line.text or len(line.text) > _LONGEST or (run and read_sizes(line.text, run)):
        return run, None
    return read_fact(line.text, line.number, run)


def _goes_on(lines: Sequence[Line], index: int, run: Run) -> bool:
    """Whether results belong to the run above them: a second table needs a run of its own.

    A command at a prompt speaks for a table without a banner only when it stands near, one
    inside a sentence when nothing is said between them.
    """
    line = lines[index]
    far = run.prompted and line.number - run.line > _NEAR and not run.results
    if far or (run.results and is_header(line.text)):
        return False
    if run.inside and not run.results and not _is_below(lines, index, run):
        return False
    return START not in line.text or not _is_another(line.text, run)


def _count(run: Run | None, before: Run) -> None:
    """Tell a run from the one before it where both begin in the same line: a page made it one."""
    if run and run.line == before.line:
        run.part = before.part + bool(before.results)


def _is_another(text: str, run: Run) -> bool:
    """Whether a block is of another run: the same test, another host or file, more processes."""
    if test_of(text, run) in run.blocks or contradicts(text, run):
        return True
    host = text[: text.find(START)].strip(f"{MARKS}:")
    return bool(run.blocks) and not run.titled and run.command is None and host != run.host


def _next(lines: Sequence[Line], index: int, run: Run | None) -> Run:
    """Return a run that begins with its results.

    One command may have been given for several tables, with a heading alone between them.
    """
    line = lines[index]
    if run and run.prompted and run.results and is_header(line.text):
        above = _above(lines, index)
        headed = bool(above) and is_heading(above[-1].text)
        above = above[:-1] if headed else above
        if above and is_sized(above[-1].text) and (all(run.sizes) if headed else run.in_prose):
            return run.again(line.number)
    host = line.text[: max(line.text.find(START), 0)].strip(f"{MARKS}:")
    return Run(line=line.number, host=host, shapes=run.shapes if run else set())


def _is_below(lines: Sequence[Line], index: int, run: Run) -> bool:
    """Tell whether nothing is said between the command of a run and a table."""
    above = _above(lines, index)
    return bool(above) and above[-1].number == run.line


def _above(lines: Sequence[Line], index: int) -> list[Line]:
    """Return what stands shortly above a table but for the first line of its header, and marks."""
    above = [line for line in lines[max(index - _SHORTLY, 0) : index] if _WORD.search(line.text)]
    if above and above[-1].text.rstrip().endswith(("random", "stride")):
        above.pop()
    return above


def _quoted(lines: Sequence[Line], index: int, tables: dict[str, list[int]]) -> Line | None:
    """Return the header of the table above whose first rows those of a table repeat, if any.

    People quote what they answer. No two runs have six equal figures in a row.
    """
    rows = _rows_of(lines, index)
    first = next(rows, "")
    if len(first.split()) < _TELLING:
        return None
    known = tables.setdefault(first, [])
    below = [first, *rows] if known else []
    for place in known:
        if below == [row for row, _ in zip(_rows_of(lines, place), below, strict=False)]:
            return lines[place]
    tables[first] = [*known[-3:], index]  # a log of many such tables is no quotation
    return None


def _rows_of(lines: Sequence[Line], index: int) -> Iterator[str]:
    """Yield the rows right below a header, without what a quotation puts before them."""
    begun = False
    for place in range(index + 1, len(lines)):
        text = lines[place].text
        if len(text) <= _LONGEST and is_sized(text):
            begun = True
            yield " ".join(text.strip(MARKS).split())
        elif begun or place > index + 2:
            return


def _close(run: Run) -> Iterator[Problem]:
    """Yield what is to be said at the end of a run."""
    if not run.titled:
        return
    if not run.results and not run.refused:
        text = "found a run of iozone without results, expected a table or throughput"
        yield Problem(line=run.line, text=text)
    elif not run.complete:
        text = "this run of iozone does not end with `iozone test complete.`: it may be cut"
        yield Problem(line=run.line, text=text, kind="note")
