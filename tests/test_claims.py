"""The ledger of claims: each kind of test by hand, each refusal, and the claims of the sources."""

import math
import random
import re
import tomllib
from dataclasses import replace
from importlib import import_module
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import sdanalysis
from sdanalysis import claims, plots, stats
from sdanalysis.claims import WHOSE
from sdanalysis.claims.claim import CARDS, NAME
from sdanalysis.claims.kinds import KINDS
from sdanalysis.claims.summaries import Result, figure_with_ends
from sdanalysis.codebook import schema
from sdanalysis.dataset import DATA
from sdanalysis.errors import DeclarationError
from sdanalysis.sources.explain import explain
from sdanalysis.stats.sides import doubted

# the function `claims.ledger` hides the module of its name
ledger_module = import_module("sdanalysis.claims.ledger")
T2, T4 = 4.302653, 2.776445  # Student's t at 95 %, two-sided, for 2 and 4 degrees of freedom
SD = 0.1  # of the logarithm of one run, in the noise of the toys
NOISE = pd.DataFrame(
    [
        {
            "medium": "SD card",
            "specimen": card,
            "tool": "iozone",
            "op": op,
            "block_size": 4096,
            "runs": 5,
            "sd_log": sd,
        }
        for card in ("w", "x", "y", "z")
        for op, sd in (("randread", SD), ("randwrite", SD), ("reread", SD), ("rewrite", SD))
    ]
).astype({"block_size": "Int64"})
HEAD = """\
[text.toy]
lines = 9
sha256 = "00"
[word.exactly]
low = 1
high = 1
why = "counted"
[word.more]
low = 1
high = inf
why = "above 1"
[word.about]
low = 0.8
high = 1.25
why = "near"
[word."at most"]
low = 0
high = 1
why = "below"
[word.alike]
low = 0
high = 1
why = "rank"
[word.empty]
low = 2
high = 1
why = "wrong way round"

"""
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
    data = replace(sdanalysis.load_data(), measurements=table(*rows), noise=NOISE)
    found = claims.ledger(data, read(tmp_path, body), **options)
    return found.iloc[0]


def numbers(row):
    return [row["computed"], row["low"], row["high"]]


# --- ratios --------------------------------------------------------------------------------------

PAIRED = """test = "ratio"
word = "{word}"
stated = {stated}
of = {{ op = "randread" }}
to = {{ op = "randwrite" }}
pair_by = ["specimen"]
"""
EACH = PAIRED.format(word="more", stated=1) + 'summary = "every"\n'


def test_a_ratio_of_three_cards_has_the_t_interval_of_their_logarithms(tmp_path):
    rows = [*cards("randread", a=1, b=2, c=4), *cards("randwrite", a=1, b=1, c=1, lonely=7)]
    row = judged(tmp_path, rows, PAIRED.format(word="more", stated=1))
    half = T2 * math.log(2) / math.sqrt(3)
    assert numbers(row) == pytest.approx([2, 2 * math.exp(-half), 2 * math.exp(half)], rel=1e-5)
    assert (row["rows"], row["cards"], row["verdict"]) == (6, 3, "undecided")
    assert row["interval"] == "cards"


@pytest.mark.parametrize(
    ("stated", "verdict"), [(2, "supported"), (2.4, "undecided"), (4, "contradicted")]
)
def test_the_whole_interval_decides(tmp_path, stated, verdict):
    rows = [*cards("randread", a=2, b=2.1, c=1.9), *cards("randwrite", a=1, b=1, c=1)]
    row = judged(tmp_path, rows, PAIRED.format(word="about", stated=stated))
    assert row["verdict"] == verdict, row["why"]
    assert (row["stated_low"], row["stated_high"]) == pytest.approx((stated * 0.8, stated * 1.25))


def test_one_pair_that_is_asked_alone_has_the_interval_of_run_noise_and_rounding(tmp_path):
    rows = [*cards("randread", a=2, b=9, c=9), *cards("randwrite", a=1, b=1, c=1)]
    row = judged(tmp_path, rows, EACH)
    half = T4 * SD * math.sqrt(2) + 0.005 / 2 + 0.005 / 1
    assert numbers(row) == pytest.approx([2, 2 * math.exp(-half), 2 * math.exp(half)], rel=1e-5)
    assert (row["interval"], row["verdict"]) == ("one figure", "supported")


def test_a_gap_within_the_run_noise_is_undecided_and_more_runs_decide_it(tmp_path):
    def runs(count):
        return [
            {**row, "repeat": number, "raw": "1.0000"}
            for number in range(1, count + 1)
            for row in [*cards("randread", a=1.3, b=9, c=9), *cards("randwrite", a=1, b=1, c=1)]
        ]

    assert judged(tmp_path, runs(1), EACH)["verdict"] == "undecided"
    assert judged(tmp_path, runs(4), EACH)["verdict"] == "supported"


@pytest.mark.parametrize("count", [1, 2])
def test_a_mean_over_fewer_than_three_cards_is_points_and_no_verdict(tmp_path, count):
    reads, writes = {"a": 90, "b": 91}, {"a": 1, "b": 1}
    names = list(reads)[:count]
    rows = [
        *cards("randread", **{name: reads[name] for name in names}),
        *cards("randwrite", **{name: writes[name] for name in names}),
    ]
    row = judged(tmp_path, rows, PAIRED.format(word="more", stated=1))
    assert (row["interval"], row["verdict"]) == ("points", "undecided")
    assert row["computed"] == pytest.approx(90, rel=0.02)
    assert np.isnan([row["low"], row["high"]]).all()


GROUPS = PAIRED.format(word="more", stated=1).replace('pair_by = ["specimen"]\n', "")


def test_groups_of_different_cards_have_welchs_interval(tmp_path):
    rows = [*cards("randread", a=2, b=4, c=8), *cards("randwrite", d=1, e=2, f=4)]
    row = judged(tmp_path, rows, GROUPS)
    half = T4 * math.log(2) * math.sqrt(2 / 3)  # equal spreads: Welch's 4 degrees of freedom
    assert numbers(row) == pytest.approx([2, 2 * math.exp(-half), 2 * math.exp(half)], rel=1e-5)
    assert "groups of 3 and 3 different cards" in row["why"]


@pytest.mark.parametrize(
    ("reads", "writes"),
    [
        ({"a": 90}, {"b": 1}),
        ({"a": 90}, dict.fromkeys("bcdefg", 1)),
        ({"a": 90, "b": 91}, {"c": 1, "d": 1, "e": 1}),
    ],
)
def test_a_group_of_fewer_than_three_cards_decides_nothing_however_large_the_other(
    tmp_path, reads, writes
):
    row = judged(tmp_path, [*cards("randread", **reads), *cards("randwrite", **writes)], GROUPS)
    assert (row["interval"], row["verdict"]) == ("points", "undecided")
    assert "fewer than 3 in a group decide nothing" in row["why"]


def test_sides_of_two_laboratories_never_decide(tmp_path):
    rows = [*cards("randread", "one", a=90, b=91, c=92), *cards("randwrite", "two", a=1, b=1, c=1)]
    row = judged(tmp_path, rows, GROUPS)
    assert row["verdict"] == "undecided"
    assert row["computed"] == pytest.approx(91, rel=1e-3)
    assert np.isnan(row["low"])
    assert "crosses laboratories" in row["why"]


def test_every_asks_each_pair_and_an_exception_has_to_pass_bonferroni(tmp_path):
    writes = cards("randwrite", a=1, b=1, c=1)
    good = [*cards("randread", a=2, b=3, c=4), *writes]
    assert judged(tmp_path, good, EACH)["verdict"] == "supported"
    # alone, 0.65 stands out at 95 % (least detectable: 1.49), of three it does not (1.72)
    for figure, verdict in ((0.65, "undecided"), (0.4, "contradicted")):
        row = judged(tmp_path, [*cards("randread", a=2, b=figure, c=4), *writes], EACH)
        assert row["verdict"] == verdict, row["why"]
        assert row["computed"] == pytest.approx(figure)
        assert ("may be an accident" in row["found"]) == (verdict == "undecided")


# --- orders, bounds, spreads ---------------------------------------------------------------------

FASTEST = """test = "order"
word = "more"
steps = [{ specimen = "lab/a" }, {}]
"""


PAIR = """test = "ratio"
word = "more"
of = { specimen = "lab/a" }
to = { specimen = "lab/b" }
"""


def test_one_pair_decides_a_sentence_about_the_measured_cards_and_none_about_a_name(tmp_path):
    row = judged(tmp_path, cards(a=4, b=1), PAIR)
    half = T4 * SD * math.sqrt(2) + 0.005 / 4 + 0.005 / 1
    assert numbers(row) == pytest.approx([4, 4 * math.exp(-half), 4 * math.exp(half)], rel=1e-5)
    assert (row["verdict"], row["would_close"]) == ("supported", None)
    row = judged(tmp_path, cards(a=4, b=1), PAIR + 'about = "name"\n')
    assert (row["verdict"], row["undecided_by"]) == ("undecided", "too few cards")
    assert row["would_close"] == "3 cards of each kind, of one person"


def test_a_mean_over_the_measured_cards_has_the_error_of_their_figures(tmp_path):
    rows = [*cards("randread", a=2, b=8), *cards("randwrite", a=1, b=1)]
    row = judged(tmp_path, rows, PAIRED.format(word="more", stated=1) + 'about = "cards"\n')
    slack = (0.005 / 2 + 0.005 / 8) / 2 + 0.005
    half = T4 * SD * math.sqrt(2) / math.sqrt(2) + slack
    assert numbers(row) == pytest.approx([4, 4 * math.exp(-half), 4 * math.exp(half)], rel=1e-5)
    assert (row["verdict"], row["interval"]) == ("supported", "one figure")


def test_the_error_of_a_figure_is_that_of_the_model_where_the_test_has_one(tmp_path):
    rows = cards(a=4, b=1, c=2)
    rows += [{**row, "host": "pi-4b"} for row in cards(a=9, b=2, c=4.1)]
    body = PAIR + 'where = { host = "pi-4b" }\n'
    row = judged(tmp_path, rows, body)
    (error,) = stats.figure_errors(table(*rows)).itertuples()
    half = stats.intervals.t_quantile(0.95, 2) * error.noise_sd * math.sqrt(2)
    half += 0.005 / 9 + 0.005 / 2
    assert numbers(row) == pytest.approx([4.5, 4.5 * math.exp(-half), 4.5 * math.exp(half)])
    assert "the error is the model's" in row["why"]


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (1.2, "about 5 runs of each card"),
        (1.0, "no number of runs of each card: the figure is at the edge"),
    ],
)
def test_an_open_sentence_says_how_many_runs_would_close_it(tmp_path, figure, words):
    row = judged(tmp_path, cards(a=figure, b=1), PAIR)
    assert row["verdict"] == "undecided"
    assert row["would_close"].startswith(words)
    runs = math.ceil(((T4 * SD * math.sqrt(2) + 0.01) / math.log(1.2)) ** 2)
    assert runs == 5  # of an interval that shrinks with the root of their number


def test_a_sentence_is_about_cards_where_each_of_its_sides_names_some(tmp_path):
    (pair,) = read(tmp_path, PAIR)
    (order,) = read(tmp_path, FASTEST)
    (group,) = read(tmp_path, GROUPS)
    assert (pair.about, order.about, group.about) == (CARDS, CARDS, NAME)
    with pytest.raises(DeclarationError, match=r"about: found 'people', expected cards or name"):
        read(tmp_path, PAIR + 'about = "people"\n')


@pytest.mark.parametrize(
    ("rival", "verdict"), [(2, "supported"), (4.1, "undecided"), (9, "contradicted")]
)
def test_the_fastest_is_held_against_its_strongest_rival(tmp_path, rival, verdict):
    row = judged(tmp_path, cards(a=4, b=rival, c=1), FASTEST)
    assert row["verdict"] == verdict, row["why"]
    assert row["computed"] == pytest.approx(4 / rival)
    assert "over lab/b" in row["why"]


def test_the_slowest_is_an_order_that_rises(tmp_path):
    row = judged(tmp_path, cards(a=1, b=3, c=5), FASTEST + "rising = true\n")
    assert row["verdict"] == "supported"
    assert row["computed"] == pytest.approx(3)


def test_some_is_satisfied_by_one(tmp_path):
    rows = cards(a=4, b=5, c=1)
    assert judged(tmp_path, rows, FASTEST + 'summary = "some"\n')["verdict"] == "supported"
    rows = cards(a=1, b=5, c=9)
    assert judged(tmp_path, rows, FASTEST + 'summary = "some"\n')["verdict"] == "contradicted"


def test_a_card_that_the_table_got_after_the_article_is_no_rival_unless_it_is_asked_for(tmp_path):
    rows = cards(a=4, b=9, c=1)
    rows += cards(d=1)
    assert judged(tmp_path, rows, FASTEST)["verdict"] == "contradicted"
    rows[1]["remarks"] = "added-after-article suspicious"
    assert judged(tmp_path, rows, FASTEST)["verdict"] == "supported"
    asked = FASTEST + 'where = { remarks = "added-after-article" }\n'
    with pytest.raises(DeclarationError, match="expected at least one"):
        judged(tmp_path, rows, asked)  # of those alone: the fastest is none of them


def test_an_order_stays_within_what_is_kept(tmp_path):
    rows = [
        *({**row, "numjobs": 1} for row in cards(a=4, b=2, c=2)),
        *({**row, "numjobs": 2} for row in cards(a=2, b=1, c=1)),
    ]
    row = judged(tmp_path, rows, FASTEST + 'within = ["numjobs"]\n')
    assert (row["verdict"], row["rows"]) == ("supported", 6)
    with pytest.raises(DeclarationError, match=r"steps: found several numjobs \(1, 2\)"):
        judged(tmp_path, rows, FASTEST)


def test_a_trend_compares_neighbouring_steps(tmp_path):
    body = """test = "order"
word = "more"
steps = [{ numjobs = 1 }, { numjobs = 2 }, { numjobs = 4 }]
within = ["specimen"]
"""

    def loads(*figures, **more):
        return [
            {**row, "numjobs": jobs}
            for jobs, mb in zip((1, 2, 4), figures, strict=True)
            for row in cards(a=mb, **dict.fromkeys(more, mb))
        ]

    assert judged(tmp_path, loads(9, 4, 1, b=1, c=1), body)["verdict"] == "supported"
    assert judged(tmp_path, loads(4, 9, 1, b=1, c=1), body)["verdict"] == "contradicted"
    assert judged(tmp_path, loads(4, 9, 1), body)["undecided_by"] == "too few cards"


def test_files_of_different_sizes_are_two_tests_and_no_pair(tmp_path):
    three = dict.fromkeys("abc", 1)
    reads = [{**row, "file_size": 128 * 2**20} for row in cards("randread", a=4, b=4, c=4)]
    writes = [{**row, "file_size": 2**31} for row in cards("randwrite", **three)]
    with pytest.raises(DeclarationError, match="found no two figures to compare"):
        judged(tmp_path, [*reads, *writes], EACH)
    unstated = cards("randwrite", **three)
    assert judged(tmp_path, [*reads, *unstated], EACH)["verdict"] == "supported"


def test_a_bound_is_held_against_the_worst_figure_with_its_noise(tmp_path):
    body = """test = "bound"
word = "at most"
stated = 10e6
of = { op = "randwrite" }
"""
    for figure, verdict in ((5, "supported"), (9.5, "undecided"), (20, "contradicted")):
        row = judged(tmp_path, cards(a=1, b=figure, c=2), body)
        assert (row["verdict"], row["unit"]) == (verdict, "B/s"), row["why"]
        assert row["computed"] == pytest.approx(figure * 1e6)


def test_a_bound_may_be_a_share_of_the_bus(tmp_path):
    body = """test = "bound"
word = "at most"
of = { op = "read" }
share_of = "bus"
"""
    row = judged(tmp_path, cards("read", a=1, b=0.5, c=0.5), body)
    assert (row["computed"], row["verdict"]) == (pytest.approx(0.04), "supported")
    row = judged(tmp_path, cards("read", a=60000, b=1, c=1), body)
    assert row["verdict"] == "contradicted"


def test_a_spread_is_the_greatest_over_the_least(tmp_path):
    body = 'test = "spread"\nword = "about"\nof = { op = "randwrite" }\n'
    row = judged(tmp_path, cards(a=1, b=3, c=6), body)
    assert (row["computed"], row["verdict"]) == (pytest.approx(6), "contradicted")
    body += 'across = "numjobs"\n'
    rows = [{**row, "numjobs": jobs} for jobs in (1, 2) for row in cards(a=jobs)]
    assert judged(tmp_path, rows, body)["computed"] == pytest.approx(2)
    with pytest.raises(DeclarationError, match="found several specimens, expected one"):
        judged(tmp_path, [*rows, {**cards(b=3)[0], "numjobs": 1}], body)


def test_without_known_noise_there_is_no_verdict(tmp_path):
    rows = [{**row, "tool": "dd"} for row in cards("trim", a=9, b=1)]
    row = judged(tmp_path, rows, 'test = "spread"\nword = "more"\nof = { tool = "dd" }\n')
    assert row["verdict"] == "undecided"
    assert "no interval" in row["why"]


def test_noise_of_another_test_is_called_so(tmp_path):
    rows = [{**row, "tool": "dd"} for row in cards("randwrite", a=9, b=1)]
    row = judged(tmp_path, rows, 'test = "spread"\nword = "more"\nof = { tool = "dd" }\n')
    assert "the noise is that of another test" in row["why"]


# --- orders alike ---------------------------------------------------------------------------------


def test_a_rank_correlation_has_fishers_interval(tmp_path):
    reads = cards("randread", a=1, b=2, c=3, d=4, e=5)
    writes = cards("randwrite", a=1, b=2, c=3, d=5, e=4)
    body = """test = "association"
word = "alike"
of = { op = "randread" }
to = { op = "randwrite" }
"""
    row = judged(tmp_path, [*reads, *writes], body)
    half = 1.959964 * math.sqrt(1.06 / 2)
    ends = [math.tanh(math.atanh(0.9) + side * half) for side in (-1, 1)]
    assert numbers(row) == pytest.approx([0.9, *ends], rel=1e-5)
    assert row["verdict"] == "supported"
    with pytest.raises(DeclarationError, match="found 3 common cards, expected 4 or more"):
        judged(tmp_path, [*reads[:3], *writes[:3]], body)


UNTESTABLE = 'test = "untestable"\nneeds = { metric = "price" }\nreason = "no prices"\n'


def test_what_has_no_rows_is_untestable_and_no_longer_so_when_rows_come(tmp_path):
    row = judged(tmp_path, cards(a=1), UNTESTABLE)
    assert (row["verdict"], row["why"], row["rows"]) == ("untestable", "no prices", 0)
    with pytest.raises(DeclarationError, match="the claim has rows now, expected a test of it"):
        judged(tmp_path, [{**cards(a=1)[0], "metric": "price"}], UNTESTABLE)


# --- refusals ------------------------------------------------------------------------------------

GOOD = PAIRED.format(word="more", stated=1)
REFUSED = {
    "found the test 'guess', expected one of ratio, order": GOOD.replace('"ratio"', '"guess"'),
    "expected of": GOOD.replace("of =", "from ="),
    "found verdict, expected only": GOOD + 'verdict = "supported"',
    "found the word 'lots', expected one of": GOOD.replace('"more"', '"lots"'),
    "expected its low end first": GOOD.replace('"more"', '"empty"'),
    "of: found the column 'speed', expected source": (
        GOOD.replace('of = { op = "randread" }', "of = { speed = 1 }")
    ),
    "of: found 'randrad' in op, expected one of read": GOOD.replace('"randread"', '"randrad"'),
    "where: found 'tape' in form, expected one of microSD": GOOD + 'where = { form = "tape" }',
    "pair_by: found 'value', expected one of specimen": GOOD.replace('["specimen"]', '["value"]'),
    "summary: found 'most', expected one of mean, every, some": GOOD + 'summary = "most"',
    "stated: found 'two', expected float or int": GOOD.replace("stated = 1", 'stated = "two"'),
    "needs: found the column 'price', expected": UNTESTABLE.replace("metric =", "price ="),
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_claim_that_means_nothing_is_refused_with_its_line(tmp_path, message):
    with pytest.raises(DeclarationError, match=message) as error:
        read(tmp_path, REFUSED[message])
    assert re.match(rf"{re.escape(str(tmp_path))}/claims\.toml:\d+: claim toy: ", str(error.value))


def test_the_line_of_an_error_is_that_of_its_key(tmp_path):
    with pytest.raises(DeclarationError) as error:
        read(tmp_path, REFUSED["of: found 'randrad' in op, expected one of read"])
    line = int(re.search(r":(\d+): claim", str(error.value))[1])
    text = (tmp_path / "claims.toml").read_text(encoding="utf-8").splitlines()
    assert text[line - 1].startswith('of = { op = "randrad"')


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('source = "toy"', 'source = "other"', "source: found 'other', expected one of toy"),
        ("line = 3", "line = 10", "line: found 10, expected 1 to 9"),
        ("line = 3", "line = 0", "line: found 0, expected 1 to 9"),
        ('id = "toy"', "id = 3", "id: found 3, expected str"),
    ],
)
def test_a_place_that_does_not_exist_is_refused(tmp_path, old, new, message):
    path = tmp_path / "claims.toml"
    path.write_text(HEAD + CLAIM.replace(old, new) + GOOD, encoding="utf-8")
    with pytest.raises(DeclarationError, match=message):
        claims.read(path)


def test_an_id_is_refused_the_second_time(tmp_path):
    with pytest.raises(DeclarationError, match="claim toy: id: found it a second time"):
        read(tmp_path, GOOD, GOOD)


def test_a_header_in_a_line_of_its_own_is_expected(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(HEAD + CLAIM.replace("[[claim]]", "[[ claim ]]") + GOOD, encoding="utf-8")
    with pytest.raises(DeclarationError, match="expected each header on a line of its own"):
        claims.read(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('op = "randread"', 'specimen = "lab/z"', "found 'lab/z', which no row has in specimen"),
        ('op = "randread"', 'op = "trim"', "found 'trim', which no row has in op"),
        (
            'op = "randread"',
            'op = "randread", specimen = "lab/c"',
            "found no row with op randread, specimen lab/c, expected at least one",
        ),
        (
            'op = "randread"',
            "repeat = 1",
            r"found several op \(randread, randwrite\), expected one",
        ),
        (
            'op = "randread"',
            'op = "randwrite", specimen = "lab/c"',
            "found no two figures to compare",
        ),
    ],
)
def test_a_selection_without_rows_or_of_mixed_rows_is_refused(tmp_path, old, new, message):
    rows = [*cards("randread", a=1, b=2), *cards("randwrite", a=1, b=2, c=3)]
    body = GOOD.replace(old, new)
    if "no two" in message:
        body = body.replace('to = { op = "randwrite" }', 'to = { op = "randread" }')
    with pytest.raises(DeclarationError, match=message):
        judged(tmp_path, rows, body)


# --- the claims of the five sources --------------------------------------------------------------


@pytest.fixture(scope="session")
def data():
    return sdanalysis.load_data()


@pytest.fixture(scope="session")
def ledger_and_results(data):
    """The ledger, and the results of its tests by the ids of their claims."""
    results, judge = {}, ledger_module._judged

    def judging(claim, *facts):
        found = judge(claim, *facts)
        results[claim.id] = found[0]
        return found

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ledger_module, "_judged", judging)
        ledger = claims.ledger(data, sdanalysis.load_claims())
    return ledger, results


@pytest.fixture(scope="session")
def ledger(ledger_and_results):
    return ledger_and_results[0]


def test_there_are_enough_claims_and_every_source_has_some(ledger):
    assert len(ledger) >= 35
    folders = {path.parent.name for path in (DATA / "raw").glob("*/source.toml")}
    assert set(ledger["source"]) == folders
    assert (ledger.groupby("source").size() >= 5).all()


def test_every_verdict_and_every_kind_of_test_occurs(ledger):
    assert set(ledger["verdict"]) == set(claims.VERDICTS)
    assert set(ledger["test"]) == set(claims.KINDS)
    assert set(ledger["interval"]) == set(claims.INTERVALS)


def test_a_row_of_the_ledger_shows_what_it_rests_on(ledger):
    untestable = ledger["verdict"] == "untestable"
    assert (ledger.loc[~untestable, ["rows", "cards"]] > 0).all(axis=None)
    assert ledger.loc[~untestable, "computed"].notna().all()
    assert ledger[["claim", "place", "computation", "why"]].notna().all(axis=None)
    decided = ledger["verdict"].isin(["supported", "contradicted"])
    assert ledger.loc[decided, ["low", "high"]].notna().all(axis=None)


def test_no_verdict_is_typed_and_every_word_has_a_reason():
    content = tomllib.loads((DATA / "claims.toml").read_text(encoding="utf-8"))
    assert not [claim["id"] for claim in content["claim"] if "verdict" in claim]
    assert all(word["why"] for word in content["word"].values())
    used = {claim["word"] for claim in content["claim"] if "word" in claim}
    assert used | {"exactly"} == set(content["word"])


def test_every_place_lies_in_the_text_that_its_source_was_captured_from():
    content = tomllib.loads((DATA / "claims.toml").read_text(encoding="utf-8"))
    for slug, text in content["text"].items():
        declared = (DATA / "raw" / slug / "source.toml").read_text(encoding="utf-8")
        named = re.findall(r'place = "captured text lines? (\d+)(?:-(\d+))?', declared)
        assert max(int(last or first) for first, last in named) <= text["lines"]
        assert re.fullmatch(r"[0-9a-f]{64}", text["sha256"])
    for claim in sdanalysis.load_claims():
        assert claim.place == f"captured text line {claim.line}"


def test_the_rows_of_a_claim_trace_back_to_printed_lines(data):
    of_each_kind = {claim.test: claim for claim in sdanalysis.load_claims()}
    for claim in of_each_kind.values():
        used = claims.rows(data, claim)
        assert list(used.columns) == ["side", *data.measurements.columns]
        assert set(used["id"]) <= set(data.measurements["id"])
    claim = next(one for one in sdanalysis.load_claims() if one.id == "kulesz-exceria-worst")
    first = claims.rows(data, claim)["id"].iloc[0]
    assert explain(first, DATA).splitlines()[-1].strip().startswith("= 0.0921")


@pytest.mark.parametrize(
    ("name", "specimen", "op", "factor", "verdict"),
    [
        ("kulesz-exceria-worst", "kulesz/toshiba-exceria-64gb", "randwrite", 9, "contradicted"),
        ("chilina-a1-reads-6", "chilina/adata-premier-32gb", "randread", 2, "supported"),
        ("perrin-first-two-read-badly", "perrin/6402", "read", 3, "undecided"),
        ("chilina-every-a1-writes-2", "arthur/sandisk-ultra-16gb", "randwrite", 9, "supported"),
    ],
)
def test_a_changed_measurement_changes_the_verdict(
    data, ledger, name, specimen, op, factor, verdict
):
    claim = next(one for one in sdanalysis.load_claims() if one.id == name)
    changed = data.measurements.copy()
    here = changed["specimen"] == specimen
    changed.loc[here & (changed["op"] == op), ["value", "value_low", "value_high"]] *= factor
    after = claims.ledger(replace(data, measurements=changed), [claim])["verdict"].item()
    assert after != ledger.set_index("id").loc[name, "verdict"]
    assert after == (verdict or after)


# --- what may decide -----------------------------------------------------------------------------


TESTED = [claim for claim in sdanalysis.load_claims() if claim.test != "untestable"]


@pytest.fixture(scope="session")
def facts(data):
    return ledger_module._facts(data, TESTED, 0.95)


@pytest.fixture(scope="session")
def results(ledger_and_results):
    """What the test of each claim found, by its id."""
    return {claim.id: ledger_and_results[1][claim.id] for claim in TESTED}


@pytest.fixture(scope="session")
def whole(facts):
    """What the test of each claim found on all figures, by its id."""
    return {claim.id: KINDS[claim.test].test(claim, facts) for claim in TESTED}


def verdict_of(claim, facts):
    """The verdict on some of the figures; missing where none of them, or no pair, is left."""
    try:
        return ledger_module._judged(claim, facts, facts.without_doubted())[0].verdict
    except DeclarationError:
        return None


OF_NAMES = [claim for claim in TESTED if claim.about == NAME]


@pytest.mark.parametrize("claim", OF_NAMES, ids=lambda claim: claim.id)
def test_no_one_or_two_cards_decide_a_sentence_about_a_class_or_a_name(claim, facts, whole):
    cards = sorted(set(whole[claim.id].rows["specimen"]))
    few = [*combinations(cards, 1), *combinations(cards, 2)]
    for kept in random.Random(claim.id).sample(few, min(5, len(few))):  # of hundreds, the same ones
        rows = facts.measurements[facts.measurements["specimen"].isin(kept)]
        assert verdict_of(claim, replace(facts, measurements=rows)) in ("undecided", None), kept


@pytest.mark.parametrize("claim", TESTED, ids=lambda claim: claim.id)
def test_a_claim_that_is_undecided_with_the_doubted_figures_is_so_without_them(
    claim, whole, results
):
    decided = ledger_module._decision(claim, whole[claim.id])
    assert results[claim.id].verdict in (decided, "undecided")


@pytest.mark.parametrize("confidence", [0.5, 0.8])
def test_leaving_doubted_figures_out_decides_nothing_at_any_level(data, whole, confidence):
    asked = [claim for claim in TESTED if doubted(whole[claim.id].rows).any()]
    ledger = claims.ledger(data, asked, confidence=confidence)
    turned = ledger[ledger["with_doubted"].notna()]
    assert len(turned)
    assert set(turned["verdict"]) <= {"undecided"}


def test_the_figures_of_a_verdict_are_not_doubted(results):
    for name, result in results.items():
        if result.verdict != "undecided":
            remarks = result.rows["remarks"].fillna("")
            assert not remarks.str.contains("suspicious").any(), name


def test_a_doubted_figure_is_left_out_and_what_hangs_on_it_is_undecided(tmp_path):
    rows = cards(a=4, b=1, c=1, d=1)
    doubted = [{**row, "remarks": "suspicious"} for row in cards(e=9)]
    row = judged(tmp_path, [*rows, *doubted], FASTEST)  # supported without, contradicted with
    assert (row["verdict"], row["with_doubted"]) == ("undecided", "contradicted")
    assert row["undecided_by"] == "hangs on a doubted figure"
    assert row["computed"] == pytest.approx(4)
    doubted = [{**row, "remarks": "suspicious"} for row in cards(e=0.5)]
    row = judged(tmp_path, [*rows, *doubted], FASTEST)
    assert (row["verdict"], row["with_doubted"], row["rows"]) == ("supported", None, 4)


def test_a_claim_about_doubted_figures_alone_is_undecided(tmp_path):
    rows = [{**row, "remarks": "suspicious"} for row in cards(a=4, b=1, c=1)]
    row = judged(tmp_path, rows, FASTEST)
    assert (row["verdict"], row["with_doubted"]) == ("undecided", "supported")


@pytest.mark.parametrize("claim", [one for one in TESTED if one.test == "class"], ids=str)
def test_a_class_has_the_verdict_of_notebook_06(data, ledger, claim):
    known = (data.classes, data.media, data.hosts, data.noise)
    errors = stats.figure_errors(data.measurements)
    verdicts = stats.class_verdicts(data.measurements, *known, errors=errors)
    rating = verdicts[verdicts["class"] == claim.parameters["rating"]]
    used = set(claims.rows(data, claim)["id"])
    found = {row.verdict for row in rating.itertuples() if used & set(row.ids)}
    few = ledger.set_index("id").loc[claim.id, "cards"] < stats.MINIMUM
    expected = "contradicted" if "fail" in found else "supported"
    expected = expected if "fail" in found or found == {"pass"} else "undecided"
    assert ledger.set_index("id").loc[claim.id, "verdict"] == ("undecided" if few else expected)


# --- whose the sentences are, and the words of the tests ------------------------------------------


def test_every_kind_of_owner_occurs_and_bookkeeping_refutes_nothing(ledger):
    assert set(ledger["whose"]) == set(WHOSE)
    counts = claims.counts(ledger, by="whose").set_index("whose")
    assert counts.loc["bookkeeping", "contradicted"] == 0
    assert counts["n"].sum() == len(ledger)


def test_a_word_that_is_no_owner_is_refused(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(HEAD + CLAIM.replace('"article"', '"hers"') + GOOD, encoding="utf-8")
    with pytest.raises(DeclarationError, match="whose: found 'hers', expected one of article"):
        claims.read(path)


def test_every_claim_has_the_words_of_its_test_without_ids_or_false_digits(data, ledger):
    ids = {*data.media["specimen"], *data.media["medium"], *data.hosts["host"]}
    for row in ledger.itertuples():
        assert row.asked[0].isupper()
        assert row.asked.endswith(".")
        assert row.found.endswith(".")
        for name in ids:
            words = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
            assert not re.search(words, f"{row.asked} {row.found}"), name
        for figure, low, high in re.findall(
            r"([\d.]+) times[^(]*\(.*?: ([\d.]+) to ([\d.]+)\)", row.found
        ):
            assert low != figure != high, row.found


def test_a_test_is_told_with_names_and_the_range_as_it_is_declared(data):
    chosen = {claim.id: claim for claim in TESTED}
    names = ["geerling-pi4-large-reads", "geerling-evo+-near-best-everywhere"]
    told = claims.ledger(data, [chosen[name] for name in names])
    assert told["asked"].tolist() == [
        "Reading large files: cards on the Raspberry Pi 4 Model B against cards on the Raspberry "
        "Pi 3 Model B, each card against itself, averaged over the cards (measured by Geerling). "
        "Holds if the first is at least 1.5 times the second.",
        "Every test: Samsung Evo+ 32 GB against each of the others (measured by Geerling, on the "
        "Raspberry Pi 4 Model B). Holds if the first is at least 0.8 times the second, each time.",
    ]


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
    computed, low, high = ends
    result = Result(
        **{"computed": computed, "low": low, "high": high, "verdict": "undecided"},
        **{"interval": "cards", "basis": "", "rows": pd.DataFrame(), "computation": ""},
    )
    assert figure_with_ends(result) == words


LATE = {
    "geerling/lexar-professional-128gb",
    "geerling/samsung-pro-endurance-32gb",
    "geerling/sandisk-extreme-a2-64gb",
    "geerling/sandisk-extreme-pro-a1-32gb",
}


def test_four_cards_of_the_pi_4_table_came_after_the_article_and_the_evidence_is_told(data):
    remarks = data.measurements["remarks"].fillna("").str.split()
    late = data.measurements[remarks.map(lambda words: "added-after-article" in words)]
    assert set(late["specimen"]) == LATE
    assert set(late["file"]) == {"pi-4b.txt"}
    for identifier in late["id"]:
        assert re.search(r"remark added-after-article: .*https://", explain(identifier, DATA))


def test_no_claim_rests_on_the_cards_that_came_after_the_article_but_the_one_about_them(results):
    on_late = {name for name, result in results.items() if LATE & {*result.rows["specimen"]}}
    assert on_late == {"geerling-a2-no-better-reading", "geerling-a2-no-better-writing"}


def test_the_ledger_leaves_the_table_as_it_was(data):
    before = data.measurements.copy()
    claims.ledger(data, sdanalysis.load_claims()[:5])
    pd.testing.assert_frame_equal(data.measurements, before)


def test_a_stricter_level_decides_less(data, ledger):
    ledger = ledger[ledger["test"] != "untestable"].reset_index(drop=True)
    strict = claims.ledger(data, TESTED, confidence=0.999)
    changed = strict["verdict"] != ledger["verdict"]
    assert changed.any()
    assert set(strict.loc[changed, "verdict"]) == {"undecided"}


def test_the_counts_add_up(ledger):
    counts = claims.counts(ledger)
    assert list(counts.columns) == ["source", *claims.VERDICTS, "n"]
    assert counts["n"].sum() == len(ledger)
    assert (counts[list(claims.VERDICTS)].sum(axis=1) == counts["n"]).all()


# --- to read and to look at ----------------------------------------------------------------------


def test_the_listing_wraps_its_text_and_escapes_its_html(ledger):
    row = ledger.iloc[[0]].assign(claim="A <b> card & another.")
    shown = claims.listing(row)
    assert max(map(len, repr(claims.listing(ledger)).splitlines())) <= 110
    assert "A <b> card & another." in repr(shown)
    assert "A &lt;b&gt; card &amp; another." in shown._repr_html_()
    assert repr(claims.listing(ledger.iloc[:0])) == "no claim"


@pytest.mark.parametrize("count", [1, 8, 40])
def test_found_against_stated_shows_every_sentence_with_its_verdict(ledger, count):
    drawn = ledger[ledger["test"].isin(["ratio", "order", "spread"])].head(count)
    ax = plots.found_against_stated(drawn, "Seen")
    named = [tick.get_text().replace("\n", " ") for tick in ax.get_yticklabels()]
    words = {"supported": "holds", "contradicted": "refuted", "undecided": "open"}
    drawn = drawn.sort_values("verdict", key=lambda v: v.map(list(words).index), kind="stable")
    assert named == list(drawn["claim"])
    texts = [text.get_text() for text in ax.texts]
    assert texts == [f"{words[row.verdict]}, {row.who}" for row in drawn.itertuples()]
    assert (ax.get_xscale(), ax.figure.get_suptitle()) == ("log", "Seen")
    plt.close(ax.figure)


@pytest.mark.parametrize("source", ["dramble-2017", "kulesz-2017", None])
def test_outcomes_are_drawn_with_their_numbers_and_reasons(ledger, source):
    drawn = ledger[ledger["source"] == source] if source else ledger
    ax = plots.outcomes(drawn)
    assert sum(int(text.get_text()) for text in ax.texts) == len(drawn)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert {"hold", "are refuted", "have no figures"} < set(names)
    causes = {f"stay open: {cause}" for cause in drawn["undecided_by"].dropna()}
    assert causes <= set(names)
    plt.close(ax.figure)


def test_groups_of_different_cards_are_told_by_both_numbers(ledger):
    who = ledger.set_index("id")["who"]
    assert who["geerling-sticks-read-like-cards"] == "1 stick against 16 cards"
    assert who["chilina-sticks-differ"] == "2 sticks"
    assert who["geerling-pi4-large-reads"] == "7 cards"


def test_the_words_of_a_ledger_count_articles_and_readers_apart(ledger):
    one = ledger[ledger["id"].isin(["geerling-random-matters", "geerling-silicon-power-value"])]
    ours = ledger[ledger["whose"].isin(["ours", "bookkeeping"])]
    told = claims.ledger_in_words(pd.concat([one, ours]))
    none = "none clearly holds, none is clearly refuted, 0 stay open"
    assert told.splitlines() == [
        f"Of 1 sentence of the articles {none}, and for 1 there are no figures.",
        "A sentence about a class or a name takes 3 cards or more.",
        "",
        f"Of 1 sentence in readers' comments {none}, and for 1 there are no figures.",
    ]
