"""Every log of the corpus gives exactly what stands beside it, in whatever form it comes.

What a pair is stands in `pairs.py`, why each log is there in `corpus/README.md`. Forms, cuts and
neighbours of all logs are tried at once; `EVERY_CUT=1`, as `make fuzz` sets it, cuts at each byte.
"""

import os
import random
import re
import time
from collections import Counter
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs import (
    COLUMNS,
    CORPUS,
    all_pairs,
    cells_of,
    differences,
    files,
    found_in,
    pairs_of,
    partner_of,
)
from write_pairs import main as write

from sdanalysis.codebook.columns import LOG_STATUSES
from sdanalysis.codebook.tables import TABLES

PACKAGE = CORPUS.parents[1] / "sdanalysis"
OF_SOURCES = ("parsers/table.py",)  # which has tests of its own
TOOLS = {"dd", "ddrescue", "fio", "hdparm", "iozone", "mixed", "scripts"}
CUTS = 6  # places a log, of those where a cut is most likely to make another number
PARTLY = ("status", "run")  # what a report that follows changes
NEIGHBOURS = 500
# A known fault, as those of `faults.txt`: a version whose report is missing is that of the report
# below a prompt.
NO_REPORT = "fio/human-no-report--3.33"
PROMPT = b"pi@card:~ $ cat next.log\n"
PAIRS = {pair.where: pair for pair in all_pairs()}
SIDE_LOG = re.compile(r"_(bw|iops|lat|slat|clat)(\.\d+)?\.log$")  # fio knows them by their name
# What a form or a neighbour may stand around: text to its last line, without a prefix of its own.
WHOLE = {
    where: pair
    for where, pair in PAIRS.items()
    if pair.log.endswith(b"\n")
    and not re.search(rb"[\x00\r]|^\xef\xbb\xbf|^\xff\xfe|^\x1f\x8b", pair.log)
    and not re.search(rb"(?m)^(> |\d{4}-\d\d-\d\dT)", pair.log)
    and not SIDE_LOG.search(pair.name)
}


def test_the_corpus_is_there_and_each_partner_has_its_log():
    assert {path.relative_to(CORPUS).parts[0] for path in files()} == TOOLS
    assert len(PAIRS) > 400
    logs = [path for path in files() if path.suffix != ".cases"]
    known = {CORPUS / "README.md", *files(), *(path.with_suffix(".csv") for path in logs)}
    known |= {path.with_suffix(f".{what}.csv") for path in logs for what in TABLES}
    assert {path for path in CORPUS.rglob("*") if path.is_file()} <= known


def test_a_table_says_which_reader_each_log_is_there_for():
    """The first row that fits a log speaks for it, and each reader has logs."""
    lines = (CORPUS / "README.md").read_text(encoding="utf-8").splitlines()
    cells = [line.split(" | ") for line in lines if line.startswith("| `")]
    logs, readers = ([one for row in cells for one in row[n].split("`")[1::2]] for n in (0, 1))
    assert [path for path in files() if not any(map(path.match, logs))] == []
    assert [one for one in logs if not any(path.match(one) for path in files())] == []
    named = {PACKAGE / one for one in readers}
    assert [path for path in named if not path.exists()] == []
    of_logs = {*(PACKAGE / "parsers").rglob("*.py")} - {PACKAGE / one for one in OF_SOURCES}
    assert [path for path in of_logs if not {path, *path.parents} & named] == []


def with_faults():
    """Yield each pair; those whose reader is known to be wrong have to fail until it is mended."""
    lines = (CORPUS.parent / "faults.txt").read_text(encoding="utf-8").splitlines()
    faults = dict(line.split(" | ") for line in lines if not line.startswith("#"))
    assert faults.keys() <= PAIRS.keys()
    for where in PAIRS:
        reason = faults.get(where)
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        yield pytest.param(where, marks=marks)


@pytest.mark.parametrize("where", [*with_faults()])
def test_a_log_gives_what_stands_beside_it(where):
    pair = PAIRS[where]
    found = found_in(pair.log, pair.name)
    if (partner := partner_of(found)) != pair.partner:
        pytest.fail(differences(pair.partner, partner, where), pytrace=False)
    assert found.measurements or found.problems, "nothing is silent"
    assert {row.status for row in found.measurements} <= LOG_STATUSES.keys()


# --- other forms of a log --------------------------------------------------------------------


def rows(found, *, without=(), lines=0, columns=0):
    """Return the rows of a log as texts, as if it began some lines and columns later."""
    kept = [
        number for number, name in enumerate(COLUMNS) if name not in ("line", "column", *without)
    ]
    return [
        (one.line + lines, one.column + columns, *(cells[number] for number in kept))
        for one in found.measurements
        for cells in [cells_of(one)]
    ]


@cache
def whole(where):
    """Return what is found in a log of the corpus, read once."""
    return found_in(PAIRS[where].log, PAIRS[where].name)


def crlf(text):
    return text.replace(b"\n", b"\r\n")


def marked(text):
    return b"\xef\xbb\xbf" + text


def wide(text):
    return text.decode("utf-8", "replace").encode("utf-16")


def quoted(text):
    return re.sub(rb"(?m)^", b"> ", text.removesuffix(b"\n")) + b"\n"


def fenced(text):
    return b"```\n" + text + b"```\n"


@pytest.mark.parametrize(
    ("turn", "form", "lines", "columns"),
    [(0, crlf, 0, 0), (1, marked, 0, 0), (2, wide, 0, 0), (3, quoted, 0, 2), (4, fenced, 1, 0)],
)
def test_a_log_gives_the_same_rows_in_another_form(turn, form, lines, columns):
    moved = ("run",) if lines else ()  # a run is named by its line
    other = [
        where
        for number, (where, pair) in enumerate(WHOLE.items())
        if (":" not in where or number % 5 == turn)  # made texts take turns
        and (form is not quoted or pair.log.count(b"\n") > 1)  # a line alone may be anything
        and rows(whole(where), without=moved, lines=lines, columns=columns)
        != rows(found_in(form(pair.log)), without=moved)
    ]
    assert not other


# --- a part of a log -------------------------------------------------------------------------


def places(log):
    """Return where a log is cut: after digits and line ends that are drawn, and near its end."""
    if "EVERY_CUT" in os.environ:
        return range(1, len(log))
    telling = [end for end in range(1, len(log)) if log[end - 1] in b"0123456789\n"]
    drawn = random.Random(len(log)).sample(telling, min(CUTS, len(telling)))
    return sorted({*drawn, *range(max(1, len(log) - 2), len(log))})


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_a_cut_log_gives_rows_of_the_whole_and_a_word_where_it_lost_one(tool):
    for where, pair in PAIRS.items():
        if where.startswith(f"{tool}/") and ":" not in where:  # what tools printed: no made texts
            expected = rows(whole(where), without=PARTLY)
            for end in places(pair.log):
                assert_part(f"{where} cut after {end} bytes", pair, end, expected)


def assert_part(what, pair, end, expected):
    """A result of a part is one of the whole; an interim figure may be the last that is left."""
    found = found_in(pair.log[:end], pair.name)
    cut = rows(found, without=PARTLY)
    results = [
        row for row, one in zip(cut, found.measurements, strict=True) if one.status == "measured"
    ]
    assert not Counter(results) - Counter(expected), f"{what}: another row"
    ended = pair.log[:end].count(b"\n")
    lost = {row for row in expected if row[0] <= ended} - {*cut}
    assert not lost or found.problems, f"{what}: lost without a word"


# --- logs beside others ----------------------------------------------------------------------


def test_two_logs_in_one_file_give_the_rows_of_both():
    """Which of them comes first changes nothing but the lines, and what is counted by them."""
    drawn, names = random.Random(29), sorted(where for where in WHOLE if ":" not in where)
    names.remove(NO_REPORT)
    other = []
    for _ in range(NEIGHBOURS):
        first, second = drawn.choices(names, k=2)
        one, two = WHOLE[first].log, WHOLE[second].log
        counted = ("run", "repeat")
        expected = rows(whole(first), without=counted)
        expected += rows(whole(second), without=counted, lines=one.count(b"\n") + 1)
        if rows(found_in(one + PROMPT + two), without=counted) != expected:
            other.append((first, second))
    assert not other


# --- what nobody wrote -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        *("1" * 10**6, ", " * 10**6, "1 b, 1 s, 1 MB/s" * 10**5, "a (b " * 10**5, "\t" * 10**6),
        *("1+0 records in\n1+0 records out\n" + "9" * 5000 + " bytes copied, 1.5 s, 1 MB/s\n",),
        *(" Timing buffered disk reads: " + "9" * 5000 + " MB in  3.00 seconds = 1.00 MB/sec",),
        *("dd if=a of=b; " * 10**4, "$ dd if=a bs=" + "9x" * 10**5, "$ fio --bs=" + "k" * 10**6),
        *("x: (groupid=0, jobs=1): err= 0: " * 10**4, "  read: IOPS=" + "9" * 5000, "fio-" * 10**5),
        *(
            '{"fio version" : ' * 10**4,
            '{"fio version":"fio-3.1","jobs":' + "[" * 10**5,
            '"' * 10**6,
        ),
        *("3;fio-3.33;j;0;0" + ";1" * 10**5, "    kB  reclen  write\n" + "  9" * 10**5),
        *("Children see throughput for " * 10**4, "rescued: " + "9" * 5000 + " B" * 10**5),
        *("$ " * 10**5, "> " * 10**5, "```\n" * 10**5, "\x1b[" * 10**5, "@:~]" * 10**5),
    ],
    ids=lambda line: line.strip()[:20],
)
def test_a_line_of_megabytes_is_answered_in_a_second(line):
    began = time.process_time()
    found = found_in(line.encode())
    assert found.measurements or found.problems
    assert time.process_time() - began < 2


@given(st.binary(max_size=400))
def test_any_bytes_give_rows_or_a_word(content):
    found = found_in(content)
    assert found.measurements or found.problems


# --- the command that writes partners --------------------------------------------------------

REPORT = "5+0 records in\n5+0 records out\n5120 bytes (5.1 kB, 5.0 KiB) copied, 0.5 s, 10.2 kB/s\n"


def test_partners_are_written_where_they_lack_and_never_over_others(tmp_path, capsys):
    log, cases = tmp_path / "a.log", tmp_path / "b.cases"
    log.write_text(REPORT)
    cases.write_text(f"-- one --\n{REPORT}-- two (cut) --\n{REPORT}")
    assert write([str(log), str(cases)]) == 0
    assert ",dd,copy,bandwidth," in log.with_suffix(".csv").read_text()
    one, two = pairs_of(cases)
    assert one.partner == log.with_suffix(".csv").read_text() and one.log.endswith(b"s\n")
    assert two.log.endswith(b"kB/s") and two.partner
    log.with_suffix(".csv").write_text("mine")
    cases.write_text(cases.read_text().replace(",dd,", ",cp,"))
    assert write([str(log), str(cases)]) == 1
    assert write([]) == 2
    assert "has another partner, which stays" in capsys.readouterr().err
    assert log.with_suffix(".csv").read_text() == "mine" and ",cp," in cases.read_text()


def test_named_partners_are_written_again_and_what_changes_is_shown(tmp_path, capsys):
    log = tmp_path / "a.log"
    log.write_text(REPORT)
    log.with_suffix(".csv").write_text("mine\n")
    assert write(["--again", str(log)]) == 0
    assert "-mine\n+line,column,tool" in capsys.readouterr().out
    assert "mine" not in log.with_suffix(".csv").read_text()
