"""The ledger of claims: each kind of test by hand, each refusal, and the claims of the sources."""

import contextlib
import math
import random
import re
import tomllib
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import sdanalysis
from sdanalysis import claims, stats
from sdanalysis.claims import judgement
from sdanalysis.claims.claim import CARDS, NAME
from sdanalysis.claims.verdicts import TESTS, Result, judge
from sdanalysis.claims.words import figure_with_ends
from sdanalysis.codebook import schema
from sdanalysis.dataset import DATA
from sdanalysis.errors import DeclarationError
from sdanalysis.sources.explain import explain
from sdanalysis.stats.reasons import doubted

TABLES = sdanalysis.load_data()
T2, T4 = 4.302653, 2.776445  # Student's t at 95 %, two-sided, for 2 and 4 degrees of freedom
SD = 0.1  # of the logarithm of one run, in the noise of the toys
NOISE = pd.DataFrame(
    {"medium": "SD card", "specimen": card, "tool": "iozone", "op": op, "block_size": 4096,
     "runs": 5, "sd_log": SD}
    for card in "wxyz"
    for op in ("randread", "randwrite", "reread", "rewrite")
).astype({"block_size": "Int64"})  # fmt: skip
WORDS = {"exactly": (1, 1), "more": (1, "inf"), "about": (0.8, 1.25), "at most": (0, 1)}
HEAD = '[text.toy]\nlines = 9\nsha256 = "00"\n' + "".join(
    f'[word."{word}"]\nlow = {low}\nhigh = {high}\nwhy = "toy"\n'
    for word, (low, high) in {**WORDS, "alike": (0, 1), "empty": (2, 1)}.items()
)
CLAIM = """\
[[claim]]
id = "toy"
source = "toy"
whose = "article"
line = 3
claim = "A toy."
"""


def table(*rows):
    """A tidy table of toy rows: 4 KiB random writes of one laboratory, unless a row says more."""
    base = {
        **dict.fromkeys(schema.COLUMNS),
        **{"source": "toy", "file": "a.txt", "column": 1, "measured_by": "lab", "stat": "single"},
        **{"origin": "primary", "host": "pi-3b", "reader": "slot", "label": "x", "medium": "x"},
        **{"tool": "iozone", "op": "randwrite", "metric": "bandwidth", "block_size": 4096},
        **{"repeat": 1, "status": "measured"},
    }
    made = []
    for line, row in enumerate(rows, start=1):
        value = row["value"]
        own = {"line": line, "id": f"toy/a.txt:{line}:1", "raw": f"{value / 1e6:.2f}"}
        own |= {"value_low": value * 0.99, "value_high": value * 1.01}
        made.append({**base, **own, **row})
    frame = pd.DataFrame(made)[list(schema.COLUMNS)]
    return frame.astype({name: column.dtype for name, column in schema.COLUMNS.items()})


def cards(op="randwrite", laboratory="lab", **values):
    """One row a card: its name and its MB/s."""
    return [
        {"specimen": f"{laboratory}/{name}", "measured_by": laboratory, "op": op, "value": mb * 1e6}
        for name, mb in values.items()
    ]


def read(tmp_path, *bodies, head=HEAD):
    path = tmp_path / "claims.toml"
    path.write_text(head + "".join(f"{CLAIM}{body}\n\n" for body in bodies), encoding="utf-8")
    return claims.read(path)


def judged(tmp_path, rows, body, **options):
    """The ledger's row of one claim on toy rows."""
    data = replace(TABLES, measurements=table(*rows), noise=NOISE)
    found = claims.ledger(data, read(tmp_path, body), **options)
    return found.iloc[0]


def numbers(row):
    return [row["computed"], row["low"], row["high"]]


def about(figure, half):
    """A figure and its interval, of so much in logarithms."""
    return pytest.approx([figure, figure * math.exp(-half), figure * math.exp(half)], rel=1e-5)


PAIRED = """test = "ratio"
word = "{word}"
stated = {stated}
of = {{ op = "randread" }}
to = {{ op = "randwrite" }}
pair_by = ["specimen"]
"""
GOOD = PAIRED.format(word="more", stated=1)
EACH = GOOD + 'summary = "every"\n'
GROUPS = GOOD.replace('pair_by = ["specimen"]\n', "")
PAIR = 'test = "ratio"\nword = "more"\nof = { specimen = "lab/a" }\nto = { specimen = "lab/b" }\n'
FASTEST = 'test = "order"\nword = "more"\nsteps = [{ specimen = "lab/a" }, {}]\n'
BOUND = 'test = "bound"\nword = "at most"\nof = { op = "randwrite" }\nstated = 10e6\n'
SHARE = 'test = "bound"\nword = "at most"\nof = { op = "read" }\nshare_of = "bus"\n'
SPREAD = 'test = "spread"\nword = "about"\nof = { op = "randwrite" }\n'
OF_DD = 'test = "spread"\nword = "more"\nof = { tool = "dd" }\n'
TREND = FASTEST.replace('[{ specimen = "lab/a" }, {}]', "[{ numjobs = 1 }, { numjobs = 2 }]")
TREND += 'within = ["specimen"]\n'
UNTESTABLE = 'test = "untestable"\nneeds = { metric = "price" }\nreason = "no prices"\n'
ORDERED = GROUPS.replace("ratio", "association").replace('"more"', '"alike"')


def sides(reads, writes):
    """Reads and writes of cards, by their names."""
    return [*cards("randread", **reads), *cards("randwrite", **writes)]


def alike(mb, names="abc"):
    return dict.fromkeys(names, mb)


def of_dd(op, **values):
    return [{**row, "tool": "dd"} for row in cards(op, **values)]


def loads(*figures, names="abc"):
    return [
        {**row, "numjobs": jobs}
        for jobs, mb in enumerate(figures, start=1)
        for row in cards(**alike(mb, names))
    ]


# --- the intervals, by hand ----------------------------------------------------------------------

NOISY = T4 * SD * math.sqrt(2)  # of a ratio of two figures
INTERVALS = {
    "three pairs: the t interval of their logarithms": (
        sides({"a": 1, "b": 2, "c": 4}, alike(1) | {"lonely": 7}), GOOD,
        "cards", 2, T2 * math.log(2) / math.sqrt(3),
    ),
    "different cards: Welch's, of 4 degrees where spreads are equal": (
        sides({"a": 2, "b": 4, "c": 8}, {"d": 1, "e": 2, "f": 4}), GROUPS,
        "cards", 2, T4 * math.log(2) * math.sqrt(2 / 3),
    ),
    "one of several: run noise and rounding": (
        sides({"a": 2, "b": 9, "c": 9}, alike(1)), EACH, "one figure", 2, NOISY + 0.005 / 2 + 0.005,
    ),
    "one pair of measured cards": (
        cards(a=4, b=1), PAIR, "one figure", 4, NOISY + 0.005 / 4 + 0.005,
    ),
    "a mean over the measured cards": (
        sides({"a": 2, "b": 8}, alike(1, "ab")), GOOD + 'about = "cards"\n', "one figure", 4,
        NOISY / math.sqrt(2) + (0.005 / 2 + 0.005 / 8) / 2 + 0.005,
    ),
    "groups of measured cards": (
        sides({"a": 2, "b": 8}, alike(1, "cd")), GROUPS + 'about = "cards"\n', "one figure", 4,
        NOISY / math.sqrt(2) + (0.005 / 2 + 0.005 / 8) / 2 + 0.005,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", INTERVALS)
def test_an_interval_is_the_one_of_its_figures(tmp_path, name):
    rows, body, interval, figure, half = INTERVALS[name]
    row = judged(tmp_path, rows, body)
    assert numbers(row) == about(figure, half)
    assert row["interval"] == interval


def test_the_error_of_a_figure_is_that_of_the_model_where_the_test_has_one(tmp_path):
    rows = cards(a=4, b=1, c=2)
    rows += [{**row, "host": "pi-4b"} for row in cards(a=9, b=2, c=4.1)]
    row = judged(tmp_path, rows, PAIR + 'where = { host = "pi-4b" }\n')
    (error,) = stats.figure_errors(table(*rows)).itertuples()
    half = stats.intervals.t_quantile(0.95, 2) * error.noise_sd * math.sqrt(2)
    assert numbers(row) == about(4.5, half + 0.005 / 9 + 0.005 / 2)
    assert row["caveats"] == "the error is the model's"


def test_a_rank_correlation_has_fishers_interval(tmp_path):
    five = dict(zip("abcde", (1, 2, 3, 5, 4), strict=True))
    row = judged(tmp_path, sides(dict(zip("abcde", range(1, 6), strict=True)), five), ORDERED)
    half = 1.959964 * math.sqrt(1.06 / 2)
    ends = [math.tanh(math.atanh(0.9) + side * half) for side in (-1, 1)]
    assert numbers(row) == pytest.approx([0.9, *ends], rel=1e-5)
    assert row["verdict"] == "supported"
    assert numbers(judged(tmp_path, sides(five, five), ORDERED)) == pytest.approx([1, 1, 1])
    four = {name: five[name] for name in "abcd"}
    assert judged(tmp_path, sides(four, four), ORDERED)["cards"] == 4
    three = {name: five[name] for name in "abc"}
    with pytest.raises(DeclarationError, match="found 3 common cards, expected 4 or more"):
        judged(tmp_path, sides(three, three), ORDERED)


# --- the verdicts --------------------------------------------------------------------------------

NEAR = sides({"a": 2, "b": 2.1, "c": 1.9}, alike(1))
FEW = "too few cards"
NOISE_WIDE = "within the error of the figures"
KEPT = 'within = ["numjobs"]\n'
SOME = 'summary = "some"\n'
S, C, U = "supported", "contradicted", "undecided"
# What is seen: the rows, the claim, the verdict, why it is open, and the figure that decided.
CASES = {
    "the whole interval lies inside": (NEAR, PAIRED.format(word="about", stated=2), S, None, 2),
    "an end lies outside": (
        NEAR, PAIRED.format(word="about", stated=2.4), U, "cards differ too much", 2),
    "the whole interval lies outside": (NEAR, PAIRED.format(word="about", stated=4), C, None, 2),
    "a mean of one card is a point": (sides({"a": 90}, {"a": 1}), GOOD, U, FEW, 90),
    "a mean of two cards is a point": (sides(alike(90, "ab"), alike(1, "ab")), GOOD, U, FEW, 90),
    "one card against one": (sides({"a": 90}, {"b": 1}), GROUPS, U, FEW, 90),
    "one card against six": (sides({"a": 90}, alike(1, "bcdefg")), GROUPS, U, FEW, 90),
    "two cards against three": (sides(alike(90, "ab"), alike(1, "cde")), GROUPS, U, FEW, 90),
    "two laboratories": (
        [*cards("randread", "one", **alike(91)), *cards("randwrite", "two", **alike(1))], GROUPS,
        U, "measured by different people", 91),
    "every pair": (sides({"a": 2, "b": 3, "c": 4}, alike(1)), EACH, S, None, 2),
    # alone, 0.65 stands out at 95 % (least detectable: 1.49), of three it does not (1.72)
    "an exception that may be an accident": (
        sides({"a": 2, "b": 0.65, "c": 4}, alike(1)), EACH, U, NOISE_WIDE, 0.65),
    "an exception": (sides({"a": 2, "b": 0.4, "c": 4}, alike(1)), EACH, C, None, 0.4),
    "one pair of a name": (cards(a=4, b=1), PAIR + 'about = "name"\n', U, FEW, 4),
    "a slower rival": (cards(a=4, b=2, c=1), FASTEST, S, None, 2),
    "a rival within the noise": (cards(a=4, b=4.1, c=1), FASTEST, U, NOISE_WIDE, 4 / 4.1),
    "a faster rival": (cards(a=4, b=9, c=1), FASTEST, C, None, 4 / 9),
    "the slowest": (cards(a=1, b=3, c=5), FASTEST + "rising = true\n", S, None, 3),
    "slower than some": (cards(a=4, b=5, c=1), FASTEST + SOME, S, None, 4),
    "slower than all": (cards(a=1, b=5, c=9), FASTEST + SOME, C, None, 0.2),
    # alone, 1.6 would stand out; as one of two it does not
    "faster than some by accident": (cards(a=4, b=2.75, c=9), FASTEST + SOME, U, NOISE_WIDE, 1.454),
    "an order within what is kept": (
        [*loads(4, 2, names="a"), *loads(2, 1, names="bc")], FASTEST + KEPT, S, None, 2),
    "steps that fall": (loads(9, 4), TREND, S, None, 9 / 4),
    "steps that rise": (loads(4, 9), TREND, C, None, 4 / 9),
    "steps of one card": (loads(9, 4, names="a"), TREND, U, FEW, 9 / 4),
    "below a bound": (cards(a=1, b=5, c=2), BOUND, S, None, 5e6),
    "at a bound": (cards(a=1, b=9.5, c=2), BOUND, U, NOISE_WIDE, 9.5e6),
    "above a bound": (cards(a=1, b=20, c=2), BOUND, C, None, 20e6),
    "below the bus": (cards("read", a=1, b=0.5, c=0.5), SHARE, S, None, 0.04),
    "above the bus": (cards("read", a=60000, b=1, c=1), SHARE, C, None, 2400),
    "a spread": (cards(a=1, b=3, c=6), SPREAD, C, None, 6),
    "a spread of one card's loads": (loads(1, 2, names="a"), SPREAD + 'across = "numjobs"\n',
                                     U, FEW, 2),
    "noise that is not known": (of_dd("trim", a=9, b=1, c=1), OF_DD, U, NOISE_WIDE, 9),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_verdict_follows_from_its_figures(tmp_path, name):
    rows, body, verdict, why, figure = CASES[name]
    row = judged(tmp_path, rows, body)
    assert (row["verdict"], row["undecided_by"]) == (verdict, why), numbers(row)
    assert row["computed"] == pytest.approx(figure, rel=1e-3)
    assert ("may be an accident" in row["found"]) == ("exception that may be" in name)
    assert np.isnan(row["low"]) == (
        name.startswith(("a mean of", "one card", "one pair", "two", "noise"))
    )


def test_what_is_used_and_what_the_sentence_allows_stand_beside_the_verdict(tmp_path):
    rows = sides({"a": 1, "b": 2, "c": 4}, alike(1) | {"lonely": 7})
    row = judged(tmp_path, rows, PAIRED.format(word="about", stated=2))
    assert (row["rows"], row["cards"], row["who"]) == (6, 3, "3 cards")
    assert (row["stated"], row["stated_low"], row["stated_high"]) == (2, 1.6, 2.5)
    row = judged(tmp_path, cards(a=1), BOUND)
    assert (row["unit"], row["low"], row["caveats"]) == ("B/s", pytest.approx(754, rel=1e3), None)
    row = judged(tmp_path, of_dd("randwrite", a=9, b=1), OF_DD)
    assert row["caveats"] == "the noise is that of another test"


def test_more_runs_decide_what_is_within_the_noise_and_the_ledger_says_how_many(tmp_path):
    def runs(count, figure):
        return [
            {**row, "repeat": number, "raw": "1.0000"}
            for number in range(count)
            for row in cards(a=figure, b=1)
        ]

    row = judged(tmp_path, runs(1, 1.2), PAIR)
    assert (row["verdict"], row["would_close"]) == (U, "about 5 runs of each card")
    assert math.ceil((NOISY / math.log(1.2)) ** 2) == 5  # its interval shrinks with the root
    assert judged(tmp_path, runs(5, 1.2), PAIR)["verdict"] == S
    row = judged(tmp_path, runs(1, 1.0), PAIR)
    assert row["would_close"] == "no number of runs of each card: the figure is at the edge"


def test_an_open_sentence_says_what_would_close_it(tmp_path):
    for name, words in {
        "an end lies outside": "about 29 cards",
        "two laboratories": "one person with both sides",
        "two cards against three": "3 cards of each kind, of one person",
    }.items():
        assert judged(tmp_path, *CASES[name][:2])["would_close"] == words


def test_a_sentence_is_about_cards_where_each_of_its_sides_names_some(tmp_path):
    bodies = (PAIR, FASTEST, GROUPS)
    assert [read(tmp_path, body)[0].about for body in bodies] == [CARDS, CARDS, NAME]


def test_a_card_that_the_table_got_after_the_article_is_no_rival_unless_it_is_asked_for(tmp_path):
    rows = cards(a=4, b=9, c=1, d=1)
    rows[1]["remarks"] = "added-after-article suspicious"
    assert judged(tmp_path, rows, FASTEST)["verdict"] == S
    asked = FASTEST + 'where = { remarks = "added-after-article" }\n'
    with pytest.raises(DeclarationError, match="expected at least one"):
        judged(tmp_path, rows, asked)  # of those alone: the fastest is none of them


def test_files_of_different_sizes_are_two_tests_and_no_pair(tmp_path):
    reads = [{**row, "file_size": 128 * 2**20} for row in cards("randread", **alike(4))]
    writes = [{**row, "file_size": 2**31} for row in cards("randwrite", **alike(1))]
    with pytest.raises(DeclarationError, match="found no two figures to compare"):
        judged(tmp_path, [*reads, *writes], EACH)
    unstated = cards("randwrite", **alike(1))
    assert judged(tmp_path, [*reads, *unstated], EACH)["verdict"] == S


def test_what_has_no_rows_is_untestable_and_no_longer_so_when_rows_come(tmp_path):
    row = judged(tmp_path, cards(a=1), UNTESTABLE)
    assert (row["verdict"], row["asked"], row["rows"]) == ("untestable", "None: no prices.", 0)
    with pytest.raises(DeclarationError, match="the claim has rows now, expected a test of it"):
        judged(tmp_path, [{**cards(a=1)[0], "metric": "price"}], UNTESTABLE)


def test_a_doubted_figure_is_left_out_and_what_hangs_on_it_is_undecided(tmp_path):
    def doubted(**values):
        return [{**row, "remarks": "suspicious"} for row in cards(**values)]

    rows = cards(a=4, b=1, c=1, d=1)
    row = judged(tmp_path, [*rows, *doubted(e=9)], FASTEST)  # supported without it
    assert (row["verdict"], row["with_doubted"], row["computed"]) == (U, C, pytest.approx(4))
    assert row["undecided_by"] == "hangs on a doubted figure"
    assert row["would_close"] == "the doubted figure, measured again"
    row = judged(tmp_path, [*rows, *doubted(e=0.5)], FASTEST)
    assert (row["verdict"], row["with_doubted"], row["rows"]) == (S, None, 4)
    row = judged(tmp_path, doubted(a=4, b=1, c=1), FASTEST)
    assert (row["verdict"], row["with_doubted"]) == (U, S)
    assert row["caveats"] == "3 suspicious"


# --- refusals ------------------------------------------------------------------------------------

READ = 'op = "randread"'
# A text of a good claim, what stands in its place, and what is said of it.
REFUSED = [
    ('"ratio"', '"guess"', "found the test 'guess', expected one of ratio, order"),
    ("of =", "from =", "expected of"),
    ("stated = 1", 'verdict = "supported"', "found verdict, expected only"),
    ('"more"', '"lots"', "found the word 'lots', expected one of"),
    ('"more"', '"empty"', "found 2 to 1, expected its low end first"),
    (READ, "speed = 1", "of: found the column 'speed', expected source"),
    (READ, 'op = "randrad"', "of: found 'randrad' in op, expected one of read"),
    ("stated = 1", 'where = { form = "tape" }', "where: found 'tape' in form, expected one of mic"),
    ('["specimen"]', '["value"]', "pair_by: found 'value', expected one of specimen"),
    ("stated = 1", 'summary = "most"', "summary: found 'most', expected one of mean, every, some"),
    ("stated = 1", 'stated = "two"', "stated: found 'two', expected float or int"),
    ("stated = 1", 'about = "people"', "about: found 'people', expected one of cards, name"),
    ('"article"', '"hers"', "whose: found 'hers', expected one of article"),
    ('source = "toy"', 'source = "other"', "source: found 'other', expected one of toy"),
    ("line = 3", "line = 10", "line: found 10, expected 1 to 9"),
    ("line = 3", "line = 0", "line: found 0, expected 1 to 9"),
    ('id = "toy"', "id = 3", "id: found 3, expected str"),
    (GOOD, UNTESTABLE.replace("metric =", "price ="), "needs: found the column 'price', expected"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_a_claim_that_means_nothing_is_refused_with_its_line(tmp_path, old, new, message):
    path = tmp_path / "claims.toml"
    path.write_text(HEAD + (CLAIM + GOOD).replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DeclarationError) as error:
        claims.read(path)
    where = re.match(rf"{re.escape(str(path))}:(\d+): claim (toy|3): ", str(error.value))
    assert message in str(error.value)
    line = path.read_text(encoding="utf-8").splitlines()[int(where[1]) - 1]
    key = message.partition(": ")[0]
    assert line.startswith("id =" if " " in key or key == "stated" else f"{key} =")


def test_an_id_is_refused_the_second_time_and_a_header_beside_something_else(tmp_path):
    with pytest.raises(DeclarationError, match="claim toy: id: found it a second time"):
        read(tmp_path, GOOD, GOOD)
    path = tmp_path / "claims.toml"
    path.write_text(HEAD + CLAIM.replace("[[claim]]", "[[ claim ]]") + GOOD, encoding="utf-8")
    with pytest.raises(DeclarationError, match="expected each header on a line of its own"):
        claims.read(path)


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ('specimen = "lab/z"', "of: found 'lab/z', which no row has in specimen"),
        ('op = "trim"', "of: found 'trim', which no row has in op"),
        (f'{READ}, specimen = "lab/c"',
         "of: found no row with op randread, specimen lab/c, expected at least one"),
        ("repeat = 1", "of: found several op (randread, randwrite), expected one, or op to be"),
        ('op = "randwrite", specimen = "lab/c"', "to: found no two figures to compare"),
    ],
)  # fmt: skip
def test_a_selection_without_rows_or_of_mixed_rows_is_refused(tmp_path, new, message):
    body = GOOD.replace(READ, new)
    if "no two" in message:
        body = body.replace('to = { op = "randwrite" }', 'to = { op = "randread" }')
    rows = sides({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3})
    with pytest.raises(DeclarationError, match=re.escape(message)):
        judged(tmp_path, rows, body)
    with pytest.raises(DeclarationError, match="found several specimens, expected one across"):
        judged(tmp_path, loads(1, 2), SPREAD + 'across = "numjobs"\n')


# --- the claims of the five sources --------------------------------------------------------------

TESTED = [claim for claim in sdanalysis.load_claims() if claim.test != "untestable"]
BY_ID = {claim.id: claim for claim in sdanalysis.load_claims()}


@pytest.fixture(scope="session")
def ledger():
    return claims.ledger(TABLES, sdanalysis.load_claims()).set_index("id", drop=False)


@pytest.fixture(scope="session")
def facts():
    return judgement.gather(TABLES, TESTED)


@pytest.fixture(scope="session")
def whole(facts):
    """What the test of each claim finds on all figures, by its id."""
    return {claim.id: judge(claim, facts) for claim in TESTED}


@pytest.fixture(scope="session")
def results(facts):
    """What each claim comes to, by its id."""
    return {claim.id: judgement.settle(claim, facts)[0] for claim in TESTED}


def test_every_source_verdict_kind_interval_and_owner_occurs(ledger):
    folders = {path.parent.name for path in (DATA / "raw").glob("*/source.toml")}
    assert set(ledger["source"]) == folders
    assert set(ledger["verdict"]) == set(claims.VERDICTS)
    assert set(ledger["test"]) == set(claims.KINDS) == set(TESTS)
    assert set(ledger["interval"]) == set(claims.INTERVALS)
    assert set(ledger["whose"]) == set(claims.WHOSE)
    counts = claims.counts(ledger, by="whose").set_index("whose")
    assert counts.loc["bookkeeping", "contradicted"] == 0


def test_a_row_of_the_ledger_shows_what_it_rests_on(ledger):
    tested = ledger[ledger["verdict"] != "untestable"]
    assert (tested[["rows", "cards"]] > 0).all(axis=None) and tested["computed"].notna().all()
    assert ledger.loc[ledger["verdict"].isin([S, C]), ["low", "high"]].notna().all(axis=None)


def test_an_open_class_blames_the_computer_and_one_more_run_is_the_least_advice(ledger):
    assert ledger.loc["geerling-c10-writes-10", "undecided_by"] == "the computer may be to blame"
    assert ledger.loc["chilina-a1-reads-6", "would_close"] == "about 2 runs of each card"


def test_no_verdict_is_typed_every_word_has_a_reason_and_every_place_lies_in_its_text():
    content = tomllib.loads((DATA / "claims.toml").read_text(encoding="utf-8"))
    assert not [claim["id"] for claim in content["claim"] if "verdict" in claim]
    assert all(word["why"] for word in content["word"].values())
    used = {claim["word"] for claim in content["claim"] if "word" in claim}
    assert used | {"exactly"} == set(content["word"])
    for slug, text in content["text"].items():
        declared = (DATA / "raw" / slug / "source.toml").read_text(encoding="utf-8")
        named = re.findall(r'place = "captured text lines? (\d+)(?:-(\d+))?', declared)
        assert max(int(last or first) for first, last in named) <= text["lines"]
        assert re.fullmatch(r"[0-9a-f]{64}", text["sha256"])


def test_the_rows_of_a_claim_trace_back_to_printed_lines():
    for claim in {claim.test: claim for claim in BY_ID.values()}.values():
        used = claims.rows(TABLES, claim)
        assert list(used.columns) == ["side", *TABLES.measurements.columns]
        assert set(used["id"]) <= set(TABLES.measurements["id"])
    first = claims.rows(TABLES, BY_ID["kulesz-exceria-worst"])["id"].iloc[0]
    assert explain(first, DATA).splitlines()[-1].strip().startswith("= 0.0921")


@pytest.mark.parametrize(
    ("name", "specimen", "op", "factor", "verdict"),
    [
        ("kulesz-exceria-worst", "kulesz/toshiba-exceria-64gb", "randwrite", 9, C),
        ("chilina-a1-reads-6", "chilina/adata-premier-32gb", "randread", 2, S),
        ("perrin-first-two-read-badly", "perrin/6402", "read", 3, U),
        ("chilina-every-a1-writes-2", "arthur/sandisk-ultra-16gb", "randwrite", 9, S),
    ],
)
def test_a_changed_measurement_changes_the_verdict_and_the_table_stays(
    ledger, name, specimen, op, factor, verdict
):
    changed = TABLES.measurements.copy()
    here = (changed["specimen"] == specimen) & (changed["op"] == op)
    changed.loc[here, ["value", "value_low", "value_high"]] *= factor
    before = changed.copy()
    after = claims.ledger(replace(TABLES, measurements=changed), [BY_ID[name]])["verdict"].item()
    assert after == verdict != ledger.loc[name, "verdict"]
    pd.testing.assert_frame_equal(changed, before)


def test_no_one_or_two_cards_decide_a_sentence_about_a_class_or_a_name(facts, whole):
    for claim in (claim for claim in TESTED if claim.about == NAME):
        cards = sorted(set(whole[claim.id].rows["specimen"]))
        few = [*combinations(cards, 1), *combinations(cards, 2)]
        for pair in random.Random(claim.id).sample(few, min(2, len(few))):  # always the same ones
            rows = facts.measurements[facts.measurements["specimen"].isin(pair)]
            with contextlib.suppress(DeclarationError):  # no pair of them is left
                result, _ = judgement.settle(claim, replace(facts, measurements=rows))
                assert result.verdict == U, (claim.id, pair)


def test_leaving_doubted_figures_out_decides_nothing_at_any_level(whole, results):
    for name, result in results.items():
        assert result.verdict in (whole[name].verdict, U), name
        assert result.verdict == U or not doubted(result.rows).any(), name
    asked = [claim for claim in TESTED if doubted(whole[claim.id].rows).any()]
    ledger = claims.ledger(TABLES, asked, confidence=0.5)
    assert set(ledger.loc[ledger["with_doubted"].notna(), "verdict"]) == {U}


@pytest.mark.parametrize("claim", [each for each in TESTED if each.test == "class"], ids=str)
def test_a_class_has_the_verdict_of_notebook_06(ledger, facts, claim):
    rating = facts.classes[facts.classes["class"] == claim.parameters["rating"]]
    used = set(claims.rows(TABLES, claim)["id"])
    verdicts = {row.verdict for row in rating.itertuples() if used & set(row.ids)}
    few = ledger.loc[claim.id, "cards"] < stats.MINIMUM
    expected = U if few else C if "fail" in verdicts else S if verdicts == {"pass"} else U
    assert ledger.loc[claim.id, "verdict"] == expected


def test_every_claim_has_the_words_of_its_test_without_ids_or_false_digits(ledger):
    ids = {*TABLES.media["specimen"], *TABLES.media["medium"], *TABLES.hosts["host"]}
    word = rf"(?<![\w-])({'|'.join(map(re.escape, ids))})(?![\w-])"
    interval = r"([\d.]+) times[^(]*\(.*?: ([\d.]+) to ([\d.]+)\)"
    for row in ledger.itertuples():
        assert row.asked[0].isupper() and row.asked.endswith(".") and row.found.endswith(".")
        assert not re.search(word, f"{row.asked} {row.found}"), row.id
        for figure, low, high in re.findall(interval, row.found):
            assert low != figure != high, row.found


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((1.7, 1.69, 1.71), "1.70 (1.69 to 1.71)"),
        ((1.7, 1.6996, 1.7004), "1.70"),
        ((2.045, 1.993, 2.099), "2.04 (1.99 to 2.10)"),
        ((1.496, 1.2, 1.88), "1.5 (1.2 to 1.9)"),
        ((17.5, 3.6, 85.7), "18 (3.6 to 86)"),
    ],
)
def test_a_figure_has_the_digits_that_its_ends_leave(ends, words):
    numbers = dict(zip(("computed", "low", "high"), ends, strict=True))
    assert figure_with_ends(Result(verdict=U, interval="cards", **numbers)) == words


def test_only_two_sentences_are_about_the_four_cards_that_came_after_the_article(results):
    remarks = TABLES.measurements["remarks"].fillna("")
    late = TABLES.measurements[remarks.str.contains("added-after-article")]
    assert late["specimen"].nunique() == 4 and set(late["file"]) == {"pi-4b.txt"}
    assert "https://" in explain(late["id"].iloc[0], DATA).partition("added-after-article: ")[2]
    late = set(late["specimen"])
    on_late = {name for name, result in results.items() if late & {*result.rows["specimen"]}}
    assert on_late == {"geerling-a2-no-better-reading", "geerling-a2-no-better-writing"}


def test_a_stricter_level_decides_less(ledger):
    strict = claims.ledger(TABLES, TESTED, confidence=0.999).set_index("id")["verdict"]
    changed = strict[strict != ledger.loc[strict.index, "verdict"]]
    assert set(changed) == {U}


# --- to read -------------------------------------------------------------------------------------


def test_the_listing_wraps_its_text_and_escapes_its_html(ledger):
    shown = claims.listing(ledger.iloc[[0]].assign(claim="A <b> card & another."))
    assert max(map(len, repr(claims.listing(ledger)).splitlines())) <= 110
    assert "A <b> card & another." in repr(shown)
    assert "A &lt;b&gt; card &amp; another." in shown._repr_html_()
    empty = claims.listing(ledger.iloc[:0])
    assert (repr(empty), "Nothing to show" in empty._repr_html_()) == ("no claim", True)


def test_the_words_of_a_ledger_count_articles_and_readers_apart(ledger):
    pair = ledger.loc[["geerling-random-matters", "geerling-silicon-power-value"]]
    ours = ledger[ledger["whose"].isin(["ours", "bookkeeping"])]
    none = "0 clearly right, 0 clearly wrong, 0 open"
    assert claims.ledger_in_words(pd.concat([pair, ours])).splitlines() == [
        f"We checked 1 sentence of the articles: {none}, 1 without figures.",
        "A sentence about a class or a name takes 3 cards or more.",
        "",
        f"We checked 1 sentence in readers' comments: {none}, 1 without figures.",
    ]
