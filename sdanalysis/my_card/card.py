"""The logs of one card -> where it stands: the frames and facts that every output shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS, NO_SIZE
from sdanalysis.dataset import (
    COMPANIONS,
    Data,
    companion_in_words,
    load_data,
    load_hosts,
    load_media,
)
from sdanalysis.my_card import answer as answers
from sdanalysis.my_card.bus import bus_measured, without_bus
from sdanalysis.my_card.computer import Computer, Setting, computer_of, setting_of
from sdanalysis.my_card.figures import (
    NOT_COMPARED,
    OWN_BLOCK,
    Known,
    Reason,
    as_bandwidth,
    card_figures,
    known_figures,
    over_hosts,
    row_reasons,
    without_figure,
)
from sdanalysis.my_card.gather import Logs
from sdanalysis.my_card.known_cards import with_sources
from sdanalysis.my_card.label import match_label
from sdanalysis.my_card.namesakes import Name, check_name
from sdanalysis.my_card.of_session import said_by_sessions
from sdanalysis.my_card.places import beside_depth, nearest, place, points, usual, without_place
from sdanalysis.my_card.registers import Check, check_registers
from sdanalysis.my_card.rules import Classes, doubts, reached_classes
from sdanalysis.my_card.sentences import sentences
from sdanalysis.paths import DATA
from sdanalysis.stats import reasons
from sdanalysis.stats.classes import CARDS
from sdanalysis.stats.fit import figure_errors
from sdanalysis.stats.intervals import MINIMUM

Boards = Sequence[tuple[str, str]]  # place and words
WITHHELD = "withheld (--show-serial prints it)"


class Sentence(str):
    """Words in the place of a table, which a notebook shows without quotation marks."""

    __slots__ = ()
    __repr__ = str.__str__


@dataclass(frozen=True, kw_only=True)
class Card:
    """Where one card stands.

    `answer` is what a reader has to know, in sentences: `warnings`, the `verdict`, the four `tests`
    (a `Line` each), and what follows from them; `notes` say how it came about. `figures` has a row
    a test of the `logs`, `places` a row `Place` a test that a source ran as well, `buses` a row
    `Bus` a test that measures the bus, `nearest` a row a known card that behaves alike (`closest`
    is the one at its head, however far it is), `points` a row `Point` a mark of the figure,
    `doubts` what the rules of the audit doubt, `not_compared` what has no place and why. `name` and
    `check` hold the label against figures and registers; `computer` is how the host was found.
    `companions` are those that the known cards of the host are from, if the five sources have none;
    `others` the sources beyond the five that were asked for.
    """

    logs: Logs
    setting: Setting
    computer: Computer
    hosts: pd.DataFrame
    media: pd.DataFrame
    figures: pd.DataFrame
    places: pd.DataFrame
    buses: pd.DataFrame
    nearest: pd.DataFrame
    closest: pd.DataFrame
    points: pd.DataFrame
    name: Name
    check: Check
    classes: Classes
    doubts: pd.DataFrame
    not_compared: pd.DataFrame
    usual: pd.DataFrame
    companions: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    verdict: str = ""
    warnings: tuple[str, ...] = ()
    tests: tuple[answers.Line, ...] = ()
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
        rows = []
        for file, fact in self.logs.facts:
            value = WITHHELD if fact.private and not show_serial else fact.value
            rows.append((fact.name, value, f"{file}:{fact.line}"))
        return pd.DataFrame(rows, columns=["name", "value", "at"])

    def table(self, name: str) -> pd.DataFrame | Sentence:
        """Return a table as a notebook shows it, MB/s and rounded; where it is empty, why.

        The names are `places`, `nearest`, `candidates`, `name`, `classes`, `not_compared`,
        `not_read`, `doubts` and `identity`.
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


@cache
def committed(folder: Path = DATA, *, companions: bool = False) -> tuple[Data, Known]:
    """Return a folder's table and what it is held against, and its figures; read once."""
    return _with_figures(load_data(folder, companions=companions))


@cache
def _hosts(folder: Path) -> pd.DataFrame:
    """Return the hosts of a folder and of its companions; read once."""
    return load_hosts(folder, companions=True)


def _media_of(label: str | None, media: pd.DataFrame, folder: Path | None) -> pd.DataFrame:
    """Return the cards among which a label is looked up: with companions where no other has it."""
    known = not label or folder is None or not match_label(label, media).empty
    return media if known else load_media(folder, companions=True)


def _known(
    host: str | None, boards: Boards, data: Data | Path
) -> tuple[Computer, Data, Known, tuple[str, ...]]:
    """Return the computer that is meant, and the data given, or else the table of the folder.

    With the companions, and which in words, where only they have figures of the host.
    """
    if not isinstance(data, Path):
        return computer_of(host, boards, data.hosts), *_with_figures(data), ()
    found, known = committed(data)
    computer = computer_of(host, boards, _hosts(data))
    beyond = data / "processed" / COMPANIONS.name
    if computer.host in {None, *found.measurements["host"]} or not beyond.exists():
        return computer, found, known, ()
    more, more_known = committed(data, companions=True)
    sources = more.measurements.loc[more.measurements["host"] == computer.host, "source"].unique()
    if not len(sources) and computer.host in set(found.hosts["host"]):
        return computer, found, known, ()
    return computer, more, more_known, tuple(companion_in_words(name, data) for name in sources)


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
    found = Known(by_host, over_hosts(by_host))
    return found, tuple(companion_in_words(name, folder) for name in sources)


def _others(data: Data) -> tuple[str, ...]:
    """Return in words the sources of a table that are none of the five."""
    five = set(committed()[0].measurements["source"])
    names = [name for name in data.measurements["source"].unique() if name not in five]
    ours = {name for name in names if (DATA / "companions" / name).exists()}
    return tuple(companion_in_words(name) if name in ours else name for name in names)


def _with_figures(data: Data) -> tuple[Data, Known]:
    usable = data.measurements[table_reasons(data.measurements, data.media).isna()]
    return data, known_figures(usable, data.media)


def table_reasons(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.Series:
    """Return, for each row of the table, the code why no card is compared with it, or missing."""
    rows, cards = measurements, media.loc[media["form"].isin(CARDS), "specimen"]
    rules = [
        (~rows["specimen"].isin(cards), reasons.Reason.NOT_A_CARD),
        (rows["tool"] == "unstated", reasons.Reason.TOOL_UNSTATED),
        (rows["block_size"].isna() & ~rows["tool"].isin(OWN_BLOCK), Reason.NO_BLOCK_SIZE),
    ]
    codes = reasons.figure_reasons(rows, mixed=True)
    return reasons.first_reason(rows.index, rules, after=codes)


def answer(
    logs: Logs,
    *,
    host: str | None = None,
    reader: str | None = None,
    label: str | None = None,
    data: Data | Path = DATA,
) -> Card:
    """Return where the card stands whose logs were read; see `my_card.read`.

    What is not asked for is as the sessions of the logs say, if they are of `sdanalysis bench`.
    Of a folder of data the companions take part, where only they have figures of the host.
    """
    folder = data if isinstance(data, Path) else None
    label = said_by_sessions(logs.sessions, "label", label)
    host = said_by_sessions(logs.sessions, "host", host)
    computer, data, known, companions = _known(host, logs.boards, data)
    media = _media_of(label, data.media, folder)
    setting = setting_of(data.hosts, computer.host, _reader(reader, computer, logs))
    rows = frame_of(logs.rows)
    bandwidths = as_bandwidth(rows[rows["reason"].isna()])
    figures = card_figures(bandwidths, setting.limit)
    below = figures[~figures["above_bus"]]
    if folder and not companions:
        known, companions = _with_companions(known, below, folder)
    ranked = place(below, known, data.noise, setting, figure_errors(data.measurements))
    buses = bus_measured(ranked, known, data.hosts, setting)
    places = without_bus(ranked, buses)
    name = check_name(label, places, known, replace(data, media=media), setting)
    near = nearest(places, known, setting)
    return _with_answer(
        Card(
            logs=logs,
            setting=setting,
            computer=computer,
            hosts=data.hosts,
            media=media,
            figures=figures,
            places=places,
            buses=buses,
            nearest=near[near["factor"] <= name.yardstick],
            closest=near.head(1),
            points=with_sources(points(places, known, data.classes, setting), known, data.hosts),
            name=name,
            check=check_registers(label, name.candidates, media, logs),
            classes=reached_classes(bandwidths, data, setting, claimed=_claimed(logs)),
            doubts=doubts(bandwidths, data, setting),
            not_compared=_left_out(buses, (figures, below, rows), known, setting, logs),
            usual=usual(below[~below["op"].isin(ranked["op"])], known, setting),
            companions=companions,
            others=() if folder else _others(data),
        )
    )


def _left_out(
    buses: pd.DataFrame,
    read: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame],
    known: Known,
    setting: Setting,
    logs: Logs,
) -> pd.DataFrame:
    """Return what has no place, and why; `read` are all figures, those below the bus, all rows."""
    figures, below, rows = read
    rest = figures.drop(index=beside_depth(below, known, setting).index)
    parts = [without_place(rest, known.over_hosts), without_figure(rows, logs.samples)]
    return pd.concat([_not_the_card(buses), *parts], ignore_index=True)


def _claimed(logs: Logs) -> list[str]:
    """Return the classes that the card itself claims, as its registers say."""
    return next((fact.value.split() for _, fact in logs.facts if fact.name == "classes"), [])


def _with_answer(card: Card) -> Card:
    return replace(
        card,
        warnings=_unbroken(answers.warnings(card)),
        verdict=answers.verdict(card),
        tests=answers.lines(card),
        rest=_unbroken(answers.rest(card)),
        notes=_unbroken(sentences(card)),
    )


def _unbroken(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return sentences whose per cent signs stay with their numbers."""
    return tuple(sentence.replace(" %", "\u00a0%") for sentence in sentences)


def _reader(asked: str | None, computer: Computer, logs: Logs) -> str | None:
    """Return what the card sat in, as asked or by its session; nothing of an unknown computer."""
    if computer.host:
        return said_by_sessions(logs.sessions, "reader", asked)
    return None if computer.unknown else asked


def _not_the_card(buses: pd.DataFrame) -> pd.DataFrame:
    """Return the tests that measure the bus, with the columns `NOT_COMPARED`."""
    free = buses["free"].astype(bool)
    measured, others = Reason.BUS_MEASURED, Reason.KNOWN_BUS
    found = buses.rename(columns={"test": "what", "runs": "figures"}).assign(
        reason=free.map({False: measured.value, True: others.value}),
        why=free.map({False: measured.words, True: others.words}),
    )
    return found[NOT_COMPARED].astype({"figures": "int64"})


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
