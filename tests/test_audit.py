"""The audit's rules: each on a table made for it, and all on the real one."""

import re
from pathlib import Path

import pandas as pd
import pytest

from sdanalysis import audit
from sdanalysis.codebook import schema
from sdanalysis.dataset import Data, load_data
from sdanalysis.sources.catalogue import read_catalogue
from sdanalysis.sources.folders import source_folders
from sdanalysis.sources.load import load_source

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
HOSTS = [
    ("pi", "slot", "SD, 50 MHz", 25.0, False),
    ("pc", "slot", "SD, 208 MHz", 104.0, False),
    ("pc", "queue", "SD, 208 MHz", 104.0, True),
]


# --- tables made for one rule --------------------------------------------------------------------


def figure(op, megabytes, **conditions):
    """A row of the table: 4 KiB blocks on the host `pi` by iozone, unless told otherwise."""
    value = float(str(megabytes).replace(",", ".").rstrip("%"))
    scale = 1e6 if conditions.get("metric", "bandwidth") == "bandwidth" else 1
    row = dict.fromkeys(schema.COLUMNS.keys() - {"id", "line"})
    row |= {"source": "s", "file": "f.txt", "column": 1, "measured_by": "lab", "origin": "primary"}
    row |= {"host": "pi", "reader": "slot", "label": "Card", "medium": "m", "specimen": "lab/card"}
    row |= {"tool": "iozone", "op": op, "metric": "bandwidth", "stat": "single", "repeat": 1}
    row |= {"block_size": 4096, "run": "r", "raw": str(megabytes), "status": "measured"}
    row |= {"value": value * scale, "value_low": value * scale, "value_high": value * scale}
    return row | conditions


def tables(rows):
    """The frames that the rules read; ids are `s/f.txt:n:1`, n being the place among the rows."""
    placed = [
        {"id": f"{row['source']}/{row['file']}:{number}:1", "line": number} | row
        for number, row in enumerate(rows)
    ]
    frame = schema.conform(pd.DataFrame(placed))
    hosts = pd.DataFrame(HOSTS, columns=["host", "reader", "bus", "limit", "command_queue"])
    hosts = hosts.astype({"command_queue": "boolean"})
    columns = ["specimen", "maker", "product", "capacity"]
    none = pd.DataFrame()
    return Data(
        measurements=frame,
        media=pd.DataFrame(MEDIA, columns=columns),
        hosts=hosts.assign(limit=hosts["limit"] * 1e6),
        **dict.fromkeys(["noise", "specimens", "classes"], none),
    )


def four(randread, randwrite, read, write):
    """A row of a published table: 4 KiB at random beside 16 MiB in sequence."""
    return [
        figure("randread", randread, line=1),
        figure("randwrite", randwrite, line=1),
        figure("read", read, line=1, block_size=2**24),
        figure("write", write, line=1, block_size=2**24),
    ]


def cards(*megabytes, names="abc", **conditions):
    """The same test of several cards."""
    return [
        figure("read", one, specimen=f"lab/{name}", **conditions)
        for name, one in zip(names, megabytes, strict=False)
    ]


def runs(*megabytes):
    return [figure("read", one, repeat=number) for number, one in enumerate(megabytes, 1)]


def mixed(reads, writes):
    job = {"metric": "iops", "tool": "fio", "read_mix": 75.0}
    return [figure("randread", reads, **job), figure("randwrite", writes, **job)]


def iops_and_bandwidth(iops, megabytes):
    return [figure("read", iops, metric="iops"), figure("read", megabytes)]


def by_jobs(op, *values, metric="iops"):
    return [
        figure(op, value, metric=metric, numjobs=jobs, run=f"{op}{jobs}")
        for value, jobs in zip(values, (1, 2, 4), strict=False)
    ]


def printed(value, stat, op="read", metric="iops"):
    return figure(op, value, metric=metric, stat=stat, origin="derived", run=None) | {
        "value_low": value - 0.5,
        "value_high": value + 0.5,
    }


def restated(value, **conditions):
    return figure("randread", value, origin="restated", file="other.txt", **conditions)


def labelled(*labels, specimen="lab/card"):
    return [
        figure("read", 5, label=label, specimen=specimen, repeat=number)
        for number, label in enumerate(labels, 1)
    ]


RATIO = printed(3, "mean", "read/write", "iops_ratio")
MEDIA = [
    ("lab/card", "M", "Evo+", 64e9),
    ("lab/small", "M", "Evo+", 32e9),
    ("lab/a", "M", "Evo Plus", 64e9),
    ("lab/b", "M", "EVO +", 64e9),
    ("lab/n", "N", "Evo Plus", 64e9),
    ("lab/u", "M", "unknown", 64e9),
    ("lab/v", "M", "unknown", 64e9),
]

# Rule: a table that it doubts, and the rows that it names, counted from 0.
DOUBTED = {
    "exchanged columns": (four(148, 52, 6, 2), {0, 1, 2, 3}),
    "above the bus limit": ([figure("read", 25.1), figure("read", 26, host="pc")], {0}),
    "at the bus limit": (cards(22, 23, 18, tool="hdparm"), {0, 1}),
    "random above sequential": (
        [figure("randread", 7), figure("read", 6), figure("write", 6)], {0, 1}),
    "write above read": ([figure("write", 19.19), figure("read", 18.21)], {0, 1}),
    # 4 us a byte less on the other host, where the quickest card takes 2 in all
    "more than the host takes": ([*cards(0.125, 0.5), *cards(0.25, 0.5, host="pc")], {0, 2}),
    "IOPS x block size": (iops_and_bandwidth(1000, 4.5), {0, 1}),
    "forced ratio": (mixed(301, 100), {0, 1}),
    "printed summary": ([*by_jobs("read", 1000, 1300, 1600), printed(1400, "mean")], {3}),
    "unmatched ratio": ([*by_jobs("read", 9, 9, 9), *by_jobs("write", 3, 3), RATIO], {5}),
    "restated figure": ([figure("randread", 5.98), restated(5.32)], {0, 1}),
    "two tools": ([figure("read", 20, tool="hdparm"), figure("write", 9, tool="dd")], {0}),
    "repeated runs": (runs(2423, 2415, 1506), {2}),
    "unlike its neighbours": ([*cards(10, 11, 12), *cards(10.5, 12, 24, host="pc")], {2, 5}),
    "same figure on two hosts": ([figure("write", 10.4), figure("write", 10.4, host="pc")], {0, 1}),
    "decimal marks": (
        [figure("read", "42,53"), figure("write", "34.48"), figure("reread", "7")], {0}),
    "type and capacity": (labelled("Ultra mSDHC C10 64 GB"), {0}),
    "one medium, two types": (labelled("Stick USB 2.0 8 GB", "Stick USB 3.0 8 GB"), {0, 1}),
    "one name, two media": (cards(5, 6), {0, 1}),
}  # fmt: skip
# Rule, what is right about the table, the table: looked at, and not doubted.
TRUSTED = [
    ("exchanged columns", "random below sequential", four(6, 2, 148, 52)),
    ("exchanged columns", "only the reads are odd", four(148, 2, 6, 52)),
    ("exchanged columns", "only the writes are odd", four(6, 52, 148, 2)),
    ("above the bus limit", "at the limit", [figure("read", 25)]),
    ("above the bus limit", "within the unit", [figure("write", 25.5, value_low=24.9e6)]),
    ("above the bus limit", "a faster bus", [figure("read", 26, host="pc")]),
    ("at the bus limit", "one of three is near", cards(22, 18, 18, tool="hdparm")),
    ("at the bus limit", "two of four are near", cards(22, 23, 9, 9, names="abuv", tool="hdparm")),
    ("at the bus limit", "two cards tell nothing", cards(22, 23, tool="hdparm")),
    ("random above sequential", "equal", [figure("randread", 6), figure("read", 6)]),
    ("write above read", "reads are faster", [figure("write", 18.21), figure("read", 19.19)]),
    ("more than the host takes", "as much as the host may take",
     [*cards(0.25, 0.5), *cards(0.5, 0.5, host="pc")]),
    (
        "more than the host takes",
        "within the rounding",
        [
            figure("read", 0.24, value_high=0.25e6),
            *cards(0.5, names="b"),
            figure("read", 0.51, value_low=0.5e6, host="pc"),
        ],
    ),
    ("IOPS x block size", "4 KiB each", iops_and_bandwidth(1000, 4.096)),
    ("forced ratio", "another ratio", mixed(240, 100)),
    ("printed summary", "mean", [*by_jobs("read", 10, 13, 16), printed(13, "mean")]),
    ("printed summary", "weighted by 1, 2 and 4 processes",
     [*by_jobs("read", 1000, 1300, 1600), printed(1429, "weighted_mean")]),
    ("printed summary", "maximum", [*by_jobs("read", 10, 16, 13), printed(16, "max")]),
    ("unmatched ratio", "1, 2", [*by_jobs("read", 9, 9), *by_jobs("write", 3, 3), RATIO]),
    ("restated figure", "the same", [figure("randread", 5.98), restated(5.98)]),
    ("two tools", "dd only", [figure("read", 20, tool="dd"), figure("write", 9, tool="dd")]),
    ("repeated runs", "within the noise", runs(1588, 1582, 1626)),
    ("unlike its neighbours", "alike", [*cards(10, 11, 12), *cards(20, 22, 26, host="pc")]),
    ("same figure on two hosts", "two digits",
     [figure("write", 5.7), figure("write", 5.7, host="pc")]),
    ("same figure on two hosts", "two digits after zeros",
     [figure("write", 0.057), figure("write", 0.057, host="pc")]),
    ("same figure on two hosts", "different",
     [figure("write", 10.4), figure("write", 10.5, host="pc")]),
    ("decimal marks", "commas only", [figure("read", "22,35"), figure("write", "11,00")]),
    ("decimal marks", "points in another file",
     [figure("read", "22,35"), figure("read", "22.35", file="other.txt")]),
    ("type and capacity", "SDHC of 32 GB", labelled("Evo SDHC 32 GB", specimen="lab/small")),
    ("one medium, two types", "one type", labelled("Stick USB 2.0 8 GB", "USB 2.0 Stick", "Stick")),
    ("one name, two media", "other capacities", cards(5, 6, names=("card", "small"))),
    ("one name, two media", "other makers", cards(5, 6, names=("a", "n"))),
    ("one name, two media", "no product known", cards(5, 6, names=("a", "u", "v"))),
]  # fmt: skip
# What a rule must not compare, so that it does not even look.
INCOMPARABLE = [
    ("exchanged columns", "one block size",
     [one | {"block_size": 4096} for one in four(9, 9, 1, 1)]),
    ("above the bus limit", "restated", [figure("read", 26, origin="restated")]),
    ("above the bus limit", "IOPS", [figure("read", 26e6, metric="iops")]),
    ("at the bus limit", "not hdparm", cards(22, 23, 24)),
    ("random above sequential", "two runs", [figure("randread", 7, run="x"), figure("read", 6)]),
    ("random above sequential", "a larger random block",
     [figure("randread", 7, block_size=8192), figure("read", 6)]),
    ("write above read", "two runs", [figure("write", 7, run="x"), figure("read", 6)]),
    ("write above read", "two blocks", [figure("write", 7, block_size=8192), figure("read", 6)]),
    ("more than the host takes", "with and without a command queue",
     [*cards(1, 9, host="pc"), *cards(9, 9, host="pc", reader="queue")]),
    ("more than the host takes", "two people",
     [*cards(1, 9), *cards(9, 8, host="pc", measured_by="other")]),
    ("IOPS x block size", "block size not stated",
     [one | {"block_size": None} for one in iops_and_bandwidth(1000, 4.5)]),
    ("forced ratio", "no mix", [one | {"read_mix": None} for one in mixed(300, 100)]),
    ("restated figure", "primary", [figure("randread", 5), figure("randread", 5, host="pc")]),
    ("repeated runs", "two runs", runs(2423, 1506)),
    ("unlike its neighbours", "two cards", [*cards(10, 12), *cards(11, 24, host="pc")]),
    ("unlike its neighbours", "with and without a command queue",
     [*cards(10, 11, 12, host="pc"), *cards(10.5, 12, 24, host="pc", reader="queue")]),
    ("unlike its neighbours", "two laboratories",
     [*cards(10, 11, 12), *cards(10, 11, 24, host="pc", measured_by="other")]),
    ("same figure on two hosts", "one host", [figure("write", 10.4), figure("reread", 10.4)]),
]  # fmt: skip


def named(one):
    """The words of a case for its test's name; its rows are none."""
    return one if isinstance(one, str) else ""


def test_every_rule_has_a_table_that_it_doubts_and_one_that_it_trusts():
    assert DOUBTED.keys() == audit.RULES.keys() == {rule for rule, _, _ in TRUSTED}


@pytest.mark.parametrize("rule", DOUBTED)
def test_a_rule_names_the_figures_that_it_doubts_and_no_others(rule):
    rows, expected = DOUBTED[rule]
    checked, found = audit.RULES[rule](tables(rows))
    assert checked > 0
    assert {int(one.split(":")[1]) for finding in found for one in finding.ids} == expected
    assert all(finding.specimen and finding.evidence for finding in found)


@pytest.mark.parametrize(("rule", "why", "rows"), [*TRUSTED, *INCOMPARABLE], ids=named)
def test_a_rule_does_not_doubt_what_is_right_and_skips_what_cannot_be_compared(rule, why, rows):
    checked, found = audit.RULES[rule](tables(rows))
    assert (checked > 0, found) == ((rule, why, rows) in TRUSTED, []), why
    assert audit.RULES[rule](tables([figure("read", 5)]))[1] == []


def test_a_restated_figure_without_a_first_source_is_told_as_such():
    _, (finding,) = audit.RULES["restated figure"](tables([restated(8.22, measured_by="else")]))
    assert finding.evidence == "restated randread 8.22 of else: no first source in the table"


def test_a_finding_is_placed_by_source_file_and_line_each_once():
    finding = audit.Finding(ids=("s/f:1:1", "s/f:1:2", "s/g:7:1"), specimen="a", evidence="1")
    assert finding.places == ("s/f:1", "s/g:7")


# --- the real table ------------------------------------------------------------------------------

K3, K2, KD = (f"kulesz-2017/{name}.txt" for name in ("iozone-usb3", "iozone-usb2", "ddrescue-usb3"))
D2, D3, DO = (f"dramble-2017/pi-{name}.txt" for name in ("2b", "3b", "3b-overclocked-slot"))
ARTHUR = "geerling-2019/comment-arthur-pi-3b.txt"
SELECT = "geerling-2019/comment-samsung-evo-select.txt"
NEIGHBOURS = "unlike its neighbours"
KNOWN = {  # what readers found odd
    "exchanged columns": f"{K3}:9 {K3}:14",
    NEIGHBOURS: f"{K2}:5 {K3}:5 {ARTHUR}:4 {D3}:23 {DO}:23 {D2}:25 {D3}:13",
    "decimal marks": f"{K2}:5 {K3}:4 {KD}:12",
    "write above read": f"{K3}:5",
    "more than the host takes": f"{ARTHUR}:4 {D3}:23 {D2}:25",
    "same figure on two hosts": f"{D2}:35 {D3}:29",
    "repeated runs": f"{SELECT}:14",
    "restated figure": "chilina-2018/iozone.txt:8",
    "type and capacity": f"{KD}:2 {K2}:7",
    "one medium, two types": f"{K3}:7",
    "one name, two media": "perrin-2016/dd-image-write.txt:4",
    "two tools": f"{D3}:4",
    "at the bus limit": f"{D3}:4",
}


def doubted_by(findings, rule):
    return set(findings.loc[findings["rule"] == rule, "places"].explode())


@pytest.mark.parametrize("rule", KNOWN)
def test_the_rules_find_what_readers_found_odd(audited, rule):
    assert set(KNOWN[rule].split()) <= doubted_by(audited[1], rule)


def test_the_rules_look_at_every_case_of_the_real_table(audited):
    counts = {row.rule: (row.checked, row.found) for row in audited[0].itertuples()}
    looked = {"exchanged columns": (20, 2), "above the bus limit": (477, 0)}
    looked |= {"IOPS x block size": (43, 0), "printed summary": (60, 0), "forced ratio": (7, 7)}
    looked |= {"unmatched ratio": (12, 12), "restated figure": (12, 6), "repeated runs": (48, 1)}
    assert looked.items() <= counts.items()


def test_the_exchanged_rows_are_found_by_their_figures_as_published(audited, measurements):
    evidence = "\n".join(audited[1].query("rule == 'exchanged columns'")["evidence"])
    assert "4K random 148.46 / 52.97 stands above 16M sequential 6.41 / 2.27" in evidence
    assert "ddrescue has 115.00 / 24.62 for it" in evidence
    mended = load_data(DATA, measurements=measurements)
    assert audit.RULES["exchanged columns"](mended) == (20, [])


# Rules whose finding says that a figure was not measured as the others were. Of two figures the
# slower is marked: work of the computer or of the card beside the test makes nothing faster.
MARKING = ("decimal marks", "more than the host takes", "repeated runs", "write above read")
# What they find and nobody doubts, and why.
NOT_MARKED = {
    "dramble-2017/pi-2b.txt:7": "an SSD, which writes through its cache",
    f"{K3}:4": "commas and points in one row: typed with the others",
    f"{KD}:12": "commas and points in one row: typed with the others",
}


def declared_steps(word):
    """What a declaration says of each figure on which it has the last word: `word: ...`, by id."""
    steps = {
        item.id: step
        for folder in source_folders(DATA / "raw")
        for item in load_source(folder)
        for step in item.steps
        if step.startswith(word)
    }
    assert steps
    return steps


def test_each_mark_names_a_rule_and_that_rule_finds_the_figure(audited, measurements):
    found = audited[1].explode("ids").groupby("rule")["ids"].agg(set)
    marks = declared_steps("remark suspicious: ")
    for figure, step in marks.items():
        rule = step.split(": ")[1]
        assert rule in MARKING, figure
        assert figure in found[rule], figure
    remarks = measurements.set_index("id")["remarks"].fillna("")
    assert set(marks) == set(remarks.index[remarks.str.contains("suspicious")])
    assert len(marks) == 11


def test_a_figure_that_a_marking_rule_finds_is_marked_or_it_says_why_not(audited):
    marks = {name.rpartition(":")[0] for name in declared_steps("remark suspicious: ")}
    findings = audited[1][audited[1]["rule"].isin(MARKING)]
    unmarked = [places for places in findings["places"] if marks.isdisjoint(places)]
    assert {places[0] for places in unmarked} == set(NOT_MARKED)


def test_corrected_columns_are_found_by_the_rule_of_exchanged_columns(audited):
    corrected = {name.rpartition(":")[0] for name in declared_steps("corrected columns")}
    assert corrected == doubted_by(audited[1], "exchanged columns")


def test_every_finding_points_at_figures_of_the_table(audited, measurements):
    summary, findings = audited
    assert set(findings["ids"].explode()) <= set(measurements["id"])
    assert summary["found"].sum() == len(findings)
    assert list(summary["rule"]) == list(audit.RULES)
    assert all(question.endswith("?") for question in summary["asks"])


def test_no_rule_names_a_medium_a_laboratory_a_source_or_a_file(measurements):
    code = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "sdanalysis" / "audit").glob("*.py")
    ).lower()
    names = set()
    for column in ("source", "file", "measured_by", "host", "label", "medium", "specimen"):
        names |= set(measurements[column])
    catalogue = read_catalogue(DATA)
    names |= {medium[key] for medium in catalogue.media for key in ("maker", "product")}
    names |= {medium["part_number"] for medium in catalogue.media if medium["part_number"]}
    names -= {"unknown"}
    assert len(names) > 150
    found = [name for name in names if re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", code)]
    assert found == []
