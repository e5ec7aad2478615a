"""Find where one card stands: the frames and facts that every output shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from sdanalysis.audit import RULES
from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS, NO_SIZE
from sdanalysis.dataset import (
    COMPANIONS,
    Data,
    companion_in_words,
    load_data,
    load_hosts,
    load_media,
)
from sdanalysis.my_card.computer import Computer, Setting, computer_of, setting_of
from sdanalysis.my_card.figures import (
    Known,
    as_bandwidth,
    card_figures,
    known_figures,
    over_hosts,
    row_reasons,
    without_figure,
)
from sdanalysis.my_card.label import match_label
from sdanalysis.my_card.label_check import Check, Name, check_label, check_registers
from sdanalysis.my_card.logs import Logs, value_from_sessions
from sdanalysis.my_card.places import Places, place
from sdanalysis.paths import DATA
from sdanalysis.stats.classes import PARTS, class_summary, class_verdicts
from sdanalysis.stats.fit import figure_errors
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import speed_in_words

WITHHELD = "withheld (--show-serial prints it)"
_ENTRY = {"specimen": "you/your card", "medium": "your card", "form": "microSD"}
_OWN = {
    "specimen": _ENTRY["specimen"],
    "source": "your log",
    "origin": "primary",
    "measured_by": "any laboratory",
}
_AUDITED = (
    "above the bus limit", "random above sequential", "write above read", "repeated runs"
)  # fmt: skip
_DOUBTS = ["rule", "at", "evidence"]
_SUMMARY = ["class", "rated", *PARTS, "verdict", "reason"]
_FIGURE = ["class", "op", "tool", "value", "minimum", "verdict", "reason", "caveats"]
_MOST = 2000  # rows: rules that compare every row with every other one stop being useful
_PLACES = [
    *("test", "level", "value", "basis", "n", "rank", "rank_low", "rank_high", "median", "ratio"),
    *("band", "verdict"),
]
_ABSENT = {
    "places": "no test of this log was run by a source",
    "nearest": "no known card is near in a test that a source ran with the same tool",
    "candidates": "the catalogue has no card of that name",
    "name": "no source measured a specimen of that name in a test of this log",
    "classes": "no figure of this log can be held against the minimum of a class",
    "not_compared": "all figures have a place",
    "not_read": "all result lines were read",
    "doubts": "no rule of the audit doubts this log",
    "identity": "the log holds no register of the card",
}


class Sentence(str):
    """Words in the place of a table, which a notebook shows without quotation marks."""

    __slots__ = ()
    __repr__ = str.__str__


class Classes(NamedTuple):
    """The classes that figures reach: one row a class, and one a figure held against a minimum."""

    summary: pd.DataFrame
    figures: pd.DataFrame


class Line(NamedTuple):
    """One of the four tests in the answer: `value` and `best` (B/s; missing: there is none)."""

    test: str
    value: float
    best: float
    words: str

    @property
    def sentence(self) -> str:
        """The line as a sentence: `Small writes: 3.03 MB/s, faster than 16 of 24.`."""
        value = "" if pd.isna(self.value) else f"{speed_in_words(self.value)} MB/s, "
        return f"{self.test.capitalize()}: {value}{self.words}."


@dataclass(frozen=True, kw_only=True)
class Card(Places):
    """Where one card stands among the known ones.

    `answer` is what a reader has to know, in sentences: `warnings`, the `verdict`, the four `tests`
    (a `Line` each), and what follows from them; `notes` say how it came about. `figures` has a row
    a test of the `logs`; `doubts` is what the rules of the audit doubt. `name` and `check` hold the
    label against figures and registers; `computer` is how the host was found. `companions` are the
    sources of the host's known cards, if the five have none. `others` are the requested sources
    beyond the five.
    """

    logs: Logs
    setting: Setting
    computer: Computer
    hosts: pd.DataFrame
    media: pd.DataFrame
    figures: pd.DataFrame
    name: Name
    check: Check
    classes: Classes
    doubts: pd.DataFrame
    companions: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    verdict: str = ""
    warnings: tuple[str, ...] = ()
    tests: tuple[Line, ...] = ()
    rest: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def answer(self) -> tuple[str, ...]:
        """What a reader has to know, in sentences; what contradicts label or host comes first."""
        tests = (line.sentence for line in self.tests)
        return (*self.warnings, self.verdict, *tests, *self.rest)

    @property
    def not_read(self) -> pd.DataFrame:
        """What could not be read in the logs, or is doubtful there; notes are not among it."""
        rows = [
            (f"{path.rpartition('/')[2]}:{problem.line}", problem.kind, problem.text)
            for path, problem in self.logs.problems
            if problem.kind != "note"
        ]
        return pd.DataFrame(rows, columns=["at", "kind", "text"])

    def identity(self, *, show_serial: bool = False) -> pd.DataFrame:
        """Return what the logs say of the card itself; its serial number only when asked for."""
        rows = [
            (fact.name, WITHHELD if fact.private and not show_serial else fact.value,
             f"{file}:{fact.line}")
            for file, fact in self.logs.facts
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["name", "value", "at"])

    def table(self, name: str) -> pd.DataFrame | Sentence:
        """Return one of the tables `_ABSENT` as a notebook shows it; where it is empty, why.

        Bandwidths are in MB/s, and all is rounded.
        """
        value, median = self.places["value"] / 1e6, self.places["median"] / 1e6
        frames = {
            "places": self.places[_PLACES].assign(value=value, median=median),
            "candidates": self.name.candidates[["medium", "name", "part_number", "specimens"]],
            "name": self.name.tests,
            "classes": self.classes.summary,
            "not_compared": self.not_compared.drop(columns="reason"),
            "identity": self.identity(),
        }
        frame = frames[name] if name in frames else getattr(self, name)
        if len(frame):
            return frame.round(2)
        unnamed = name in ("candidates", "name") and self.name.label is None
        return Sentence(f"nothing to show: {'no label was given' if unnamed else _ABSENT[name]}")


@cache
def committed(folder: Path = DATA, *, companions: bool = False) -> tuple[Data, Known]:
    """Return a folder's table and what it is held against, and its figures; read once."""
    data = load_data(folder, companions=companions)
    return data, known_figures(data.measurements, data.media)


def _known(
    host: str | None, boards: Sequence[tuple[str, str]], data: Data | Path
) -> tuple[Computer, Data, Known, tuple[str, ...]]:
    """Return the computer that is meant, and the data given, or else the table of the folder.

    With the companions, and which in words, where only they have figures of the host.
    """
    if not isinstance(data, Path):
        known = known_figures(data.measurements, data.media)
        return computer_of(host, boards, data.hosts), data, known, ()
    five, known = committed(data)
    computer = computer_of(host, boards, load_hosts(data, companions=True))
    beyond = data / "processed" / COMPANIONS.name
    if computer.host not in {None, *five.measurements["host"]} and beyond.exists():
        more, more_known = committed(data, companions=True)
        rows = more.measurements[more.measurements["host"] == computer.host]
        if len(rows) or computer.host not in set(five.hosts["host"]):
            words = (companion_in_words(name, data) for name in rows["source"].unique())
            return computer, more, more_known, tuple(words)
    return computer, five, known, ()


def _with_companions(
    known: Known, figures: pd.DataFrame, folder: Path
) -> tuple[Known, tuple[str, ...]]:
    """Return the known figures with those of companions in tests that the five sources lack."""
    missing = set(figures["test"]) - set(known.over_hosts["test"])
    if not missing or not (folder / "processed" / COMPANIONS.name).exists():
        return known, ()
    data, more = committed(folder, companions=True)
    cards = more.over_hosts.groupby("test")["specimen"].nunique()
    rows = more.by_host[more.by_host["test"].isin(missing & set(cards[cards >= MINIMUM].index))]
    if rows.empty:
        return known, ()
    table = data.measurements
    sources = table.loc[table["specimen"].isin(rows["specimen"]), "source"].unique()
    by_host = pd.concat([known.by_host, rows], ignore_index=True)
    names = (companion_in_words(name, folder) for name in sources)
    return Known(by_host, over_hosts(by_host)), tuple(names)


def _others(data: Data) -> tuple[str, ...]:
    """Return in words the sources of the data that are none of the five."""
    five, companions = set(committed()[0].measurements["source"]), DATA / "companions"
    return tuple(
        companion_in_words(name) if (companions / name).exists() else name
        for name in data.measurements["source"].unique()
        if name not in five
    )


def assess(
    logs: Logs, host: str | None, reader: str | None, label: str | None, data: Data | Path
) -> Card:
    """Return where the card stands whose logs were read, without its answer."""
    folder = data if isinstance(data, Path) else None
    label = value_from_sessions(logs.sessions, "label", label)
    host = value_from_sessions(logs.sessions, "host", host)
    computer, data, known, companions = _known(host, logs.boards, data)
    if computer.host:
        reader = value_from_sessions(logs.sessions, "reader", reader)
    elif computer.unknown:
        reader = None
    setting = setting_of(data.hosts, computer.host, reader)
    rows = frame_of(logs.rows)
    bandwidths = as_bandwidth(rows[rows["reason"].isna()])
    figures = card_figures(bandwidths, setting.limit)
    if folder and not companions:
        known, companions = _with_companions(known, figures[~figures["above_bus"]], folder)
    found = place(figures, known, data, setting)
    if label and folder and match_label(label, data.media).empty:
        data = replace(data, media=load_media(folder, companions=True))
    name = check_label(label, found.places, known, data, setting)
    rest = [found.not_compared, without_figure(rows, logs.samples)]
    claimed = next((fact.value.split() for _, fact in logs.facts if fact.name == "classes"), [])
    return Card(
        **vars(found) | {"not_compared": pd.concat(rest, ignore_index=True)},
        logs=logs,
        setting=setting,
        computer=computer,
        hosts=data.hosts,
        media=data.media,
        figures=figures,
        name=name,
        check=check_registers(label, name.candidates, data.media, logs),
        classes=reached_classes(bandwidths, data, setting, claimed=claimed),
        doubts=doubts(bandwidths, data, setting),
        companions=companions,
        others=() if folder else _others(data),
    )


def frame_of(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return rows of logs as a frame, typed as the tidy table's, sizes of no machine missing.

    `at` is `file:line` without the file's folder, `reason` as `row_reasons` returns it.
    """
    types = {name: COLUMNS[name].dtype for name in LOG_COLUMNS}
    whole = [name for name in LOG_COLUMNS if types[name] == "Int64"]
    absurd = [{name: None for name in whole if abs(row[name] or 0) >= NO_SIZE} for row in rows]
    possible = [row | missing for row, missing in zip(rows, absurd, strict=True)]
    frame = pd.DataFrame(possible, columns=list(LOG_COLUMNS)).astype(types)
    files = frame["file"].fillna("-").str.split("/").str[-1]
    return frame.assign(reason=row_reasons(frame), at=files + ":" + frame["line"].astype("str"))


def reached_classes(
    bandwidths: pd.DataFrame, data: Data, setting: Setting, *, claimed: Sequence[str] = ()
) -> Classes:
    """Return the verdicts on a card, class by class and figure by figure.

    What a host costs is bounded by its quickest card, whoever measured it: laboratories are
    therefore not told apart here (their systems differ a little, too). Without a host the bus
    is taken as wide as that of the fastest one, and nothing can be failed. `claimed` are the
    classes that the card itself claims, as `A1` or `U3`.
    """
    cached = bandwidths["tool"].isin(["iozone", "fio"]) & ~bandwidths["direct"].fillna(True)
    uncached = bandwidths[~cached]  # the page cache is no card
    if not uncached["op"].isin(PARTS).any():  # nothing to hold
        return Classes(pd.DataFrame(columns=_SUMMARY), pd.DataFrame(columns=_FIGURE))
    own, table, hosts = _own_rows(uncached, setting), data.measurements, data.hosts
    application = next((name for name in claimed if name.startswith("A")), "unknown")
    speed = " ".join(name for name in claimed if not name.startswith("A"))
    entry = _ENTRY | {"application_class": application, "speed_class": speed}
    on_host = (table["host"] == setting.host) & (table["reader"] == setting.reader)
    others = table[on_host].assign(measured_by=_OWN["measured_by"])  # they say what the host costs
    media = pd.concat([data.media, pd.DataFrame([entry])], ignore_index=True)
    if not setting.host:
        widest = pd.DataFrame([{**_place(setting), "limit": setting.limit, "bus": "not given"}])
        hosts = pd.concat([hosts, widest], ignore_index=True)
    rows = pd.concat([others, own], ignore_index=True)
    errors = figure_errors(data.measurements)
    verdicts = class_verdicts(rows, data.classes, media, hosts, data.noise, errors=errors)
    figures = verdicts[verdicts["specimen"] == _OWN["specimen"]]
    order = {name: position for position, name in enumerate(data.classes["class"])}
    summary = class_summary(figures, data.classes)
    summary = summary.sort_values("class", key=lambda names: names.map(order), ignore_index=True)
    return Classes(summary[_SUMMARY], figures[_FIGURE])


def _own_rows(uncached: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    own = uncached.assign(
        **_OWN | _place(setting),
        id=uncached.index.astype("str"),
        run=None,  # each figure is a run: there are no shares among them
        value_low=uncached["value_low"].fillna(uncached["value"]),
        value_high=uncached["value_high"].fillna(uncached["value"]),
        # The published tables print neither count where requests come one by one.
        numjobs=uncached["numjobs"].mask(uncached["numjobs"] == 1),
        iodepth=uncached["iodepth"].where(uncached["tool"] == "fio"),
        medium=_ENTRY["medium"],
        label=_ENTRY["medium"],
    )
    types = {name: column.dtype for name, column in COLUMNS.items()}
    return own.reindex(columns=list(COLUMNS)).astype(types)


def _place(setting: Setting) -> dict[str, str]:
    return {"host": setting.host or "not given", "reader": setting.reader or "not given"}


def doubts(bandwidths: pd.DataFrame, data: Data, setting: Setting) -> pd.DataFrame:
    """Return what the audit's rules doubt in a log: `rule`, `at` (`file:line`), `evidence`."""
    if bandwidths.empty:
        return pd.DataFrame(columns=_DOUBTS)
    figures = bandwidths.head(_MOST)
    table = figures.assign(
        **_OWN | _place(setting),
        id=[f"{at}:{number}" for number, at in enumerate(figures["at"])],
        raw=figures["raw"].fillna((figures["value"] / 1e6).map("{:.3g} MB/s".format)),  # of sums
        run=[f"{file} {run}" for file, run in zip(figures["file"], figures["run"], strict=True)],
    )
    found = [
        (rule, ", ".join(finding.places), finding.evidence)
        for rule in _AUDITED
        for finding in RULES[rule](replace(data, measurements=table))[1]
    ]
    return pd.DataFrame(found, columns=_DOUBTS)
