"""A log -> the source.toml and the entry of media.toml that it fills in as far as it knows them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.units import counted
from sdanalysis.errors import ParseError, SdAnalysisError
from sdanalysis.logs.files import read_bytes, unpacked
from sdanalysis.logs.identity import Fact
from sdanalysis.logs.session import session_of
from sdanalysis.my_card.gather import Logs, read_file, together
from sdanalysis.my_card.of_session import said_by_sessions
from sdanalysis.parsers import parse
from sdanalysis.parsers.capture import Capture, decode
from sdanalysis.paths import DATA, LeftOut, expand
from sdanalysis.sources.catalogue import read_catalogue
from sdanalysis.sources.declaration import FILL_IN

Readers = Mapping[tuple[str, str], Mapping[str, Any]]
_CONDITIONS = {
    "tool_version": '"3.33"', "block_size": '"4k"', "file_size": '"100M"', "numjobs": "1",
    "iodepth": "1", "direct": "true",
}  # fmt: skip
_SLOT = re.compile(r"\bmmcblk\d")
_OTHER = re.compile(r"/dev/(?:sd[a-z]|nvme)")
_LABEL = "the card's maker, product and capacity, as media.toml labels it"


class RawLog(NamedTuple):
    """A log as a raw file: its name, its bytes, and the lines of its [[file]]."""

    name: str
    content: bytes
    reads: str


class Source(NamedTuple):
    """What a log, or the logs of a session, give: raw files, and lines of TOML.

    `given` belong to [given]; `medium` is the card's entry, or None. `problems` are what was not
    read.
    """

    files: Sequence[RawLog]
    given: str
    medium: str | None
    problems: Sequence[tuple[str, Problem]]


def source_of(log: Path, raw: Path) -> Source:
    """Return what a log, or a session's folder, says of itself; an error where it has no result.

    `raw` is the folder of the user's sources, whose computers are known beside the project's.
    """
    paths = _logs_at(log)
    each = {path: read_file(path) for path in paths}
    logs = together(each.values())
    if not logs.rows:
        problem = next((problem.text for _, problem in logs.problems), "found no benchmark in it")
        raise SdAnalysisError(f"{log}: {problem}")
    contents = {path: unpacked(read_bytes(path)) for path in paths}
    captures = {path: Capture(decode(content)) for path, content in contents.items()}
    readers = read_catalogue(DATA, raw).readers
    slot = _in_slot("\n".join(capture.text for capture in captures.values())) or any(
        session.card for session in logs.sessions
    )
    host = said_by_sessions(logs.sessions, "host", None) or _host(logs, readers)
    reader = said_by_sessions(logs.sessions, "reader", None) or _reader(host, slot, readers)
    slot_name = str(readers.get((host or "", "slot"), {}).get("reader_name", ""))
    form = "microSD" if slot and slot_name.startswith("microSD") else None
    card = _Card(_facts(logs), form, said_by_sessions(logs.sessions, "label", None))
    given = [*_place(logs, host, reader), _pair("label", card.label, _LABEL), *_not_said(logs)]
    text = "".join([*(f"{line}\n" for line in given), *_directions(logs)])
    files = [
        RawLog(Path(path).name.removesuffix(".gz"), contents[path], "".join(reads))
        for path in paths
        if (reads := [*_repeat(each[path]), *_parsers(each[path], captures[path], path)])
    ]
    medium = card.medium() if card.value("product name") else None
    return Source(files, text, medium, logs.problems)


def _logs_at(log: Path) -> list[str]:
    """Return the log, or those of a session's steps that ended well."""
    if not log.is_dir():
        return [str(log)]
    found = [path for path in expand([str(log)]) if not isinstance(path, LeftOut)]
    if not found or any(session_of(path) is None for path in found):
        text = "found a folder, expected a log or the folder of a session of sdanalysis bench"
        raise SdAnalysisError(f"{log}: {text}")
    return found


def _repeat(logs: Logs) -> Iterator[str]:
    """Yield the number of a log's run, where that is not the first."""
    repeats = {row["repeat"] for row in logs.rows}
    if len(repeats) == 1 and repeats != {1}:
        yield f"given = {{ repeat = {repeats.pop()} }}\n"


def _pair(key: str, value: str | None, hint: str, why: str = "") -> str:
    """Return a line of TOML, with what to fill in where the value is not known."""
    text = json.dumps(value or f"{FILL_IN}: {hint}", ensure_ascii=False)
    return f"{key} = {text}{f'  # {why}' if why else ''}"


# --- where it was measured -----------------------------------------------------------------------


def _host(logs: Logs, readers: Readers) -> str | None:
    """Return the computer that a log names, if the catalogue has it."""
    known = {row["host_name"]: host for (host, _), row in readers.items()}
    models = (words.partition(" Rev ")[0].strip() for _, words in logs.boards)
    return next((known[model] for model in models if model in known), None)


def _in_slot(text: str) -> bool:
    """Tell whether a log speaks of a card in an SD slot and of no other disk."""
    return bool(_SLOT.search(text)) and not _OTHER.search(text)


def _reader(host: str | None, slot: bool, readers: Readers) -> str | None:
    """Return the slot of the computer, where it can only be that one."""
    slots = [reader for name, reader in readers if name == host and reader.startswith("slot")]
    return "slot" if slot and slots == ["slot"] else None


def _place(logs: Logs, host: str | None, reader: str | None) -> Iterator[str]:
    place, words = logs.boards[0] if logs.boards else ("", "")
    why = f"line {place.rpartition(':')[2]}: {words}" if words else ""
    yield _pair("host", host, "the computer, an id of hosts.toml", why)
    hint = "a reader of that host in hosts.toml, such as slot or usb"
    yield _pair("reader", reader, hint, "the log speaks of mmcblk" if reader else "")


def _not_said(logs: Logs) -> Iterator[str]:
    """Yield as comments the conditions that no figure of the log has."""
    missing = [name for name in _CONDITIONS if all(row[name] is None for row in logs.rows)]
    if missing:
        yield "# Not in the log; where you know it, of all its figures, take away the sign:"
        yield from (f"# {name} = {_CONDITIONS[name]}" for name in missing)


def _directions(logs: Logs) -> Iterator[str]:
    """Yield what has to be said of a tool whose log does not tell reading from writing."""
    for tool in sorted({str(row["tool"]) for row in logs.rows}):
        if {row["op"] for row in logs.rows if row["tool"] == tool} == {"copy"}:
            hint = "write or read, which the log does not say without the tool's command"
            yield f"\n[tool.{tool}]\n{_pair('op', None, hint)}\n"


def _parsers(logs: Logs, capture: Capture, log: str) -> Iterator[str]:
    """Yield which parsers read the log, and that all other lines are none of theirs."""
    names = sorted({"scripts" if row["script"] else str(row["tool"]) for row in logs.rows})
    ops = sorted({f"{row['tool']} {row['op']}" for row in logs.rows})
    yield f"# {counted(len(logs.rows), 'figure')}: {', '.join(ops)}\n"
    yield f"parsers = {json.dumps(names)}\n"
    try:
        claimed = {found.line for found in parse(capture, names)}
    except ParseError as error:
        raise error.at(log) from error
    lines = enumerate(capture.lines, 1)
    if any(text.strip() and number not in claimed for number, text in lines):
        yield "# a log holds more than results: every line that no parser reads\n"
        yield "skip = ['''.*''']\n"


# --- the card ------------------------------------------------------------------------------------


def _facts(logs: Logs) -> dict[str, Fact]:
    """Return what a log says of a card, of several the first, by the names of the facts."""
    facts = [fact for _, fact in logs.facts]
    card = next((fact.card for fact in facts if fact.card), "")
    return {fact.name: fact for fact in reversed(facts) if fact.card in (card, "")}


class _Card(NamedTuple):
    """What the registers of a card say, by the names of facts; `form` where the slot tells it."""

    facts: Mapping[str, Fact]
    form: str | None
    printed: str | None = None  # what stands on it, where a session says so

    def value(self, name: str) -> str | None:
        """Return what a fact says, if it is known."""
        found = self.facts.get(name)
        return None if found is None or found.value.startswith("unknown") else found.value

    @property
    def capacity(self) -> str | None:
        """The size that such a card is sold as: the power of two that is within a tenth."""
        fact = self.facts.get("capacity")
        if fact is None or not fact.number:
            return None
        size = 2 ** round(log2(fact.number / 1e9))
        fits = abs(fact.number / 1e9 / size - 1) < 0.1 and size >= 1
        return f"{size} GB" if fits else None

    @property
    def label(self) -> str | None:
        """The name by which source.toml and media.toml know the card, if the log has one."""
        if self.printed or not self.value("product name"):
            return self.printed
        texts = (self.value("manufacturer"), self.value("product name"), self.capacity)
        return " ".join(text for text in texts if text)

    def medium(self) -> str:
        """Return the entry of media.toml."""
        name = re.sub(r"[^a-z0-9]+", "-", (self.label or "").lower()).strip("-")
        product = self.facts["product name"]
        lines = [
            "[[medium]]",
            _pair("id", name, ""),
            _pair("maker", self.value("manufacturer"), "the maker as printed on the card"),
            _pair("product", product.value, "", f"of its register, line {product.line}; "
                  "better the name that is printed on the card"),
            *([_pair("capacity", self.capacity, "")] if self.capacity else []),
            _pair("form", self.form, "microSD, SD, CF, USB stick or SSD"),
            *self._made(),
            *self._classes(),
            "[[medium.specimen]]",
            _pair("id", None, f"measured_by of source.toml, a slash, a name: lechner/{name}"),
            f"labels = {json.dumps([self.label], ensure_ascii=False)}",
            _pair("evidence", "printed", "", "its registers stand in the log"),
        ]  # fmt: skip
        return "".join(f"{line}\n" for line in lines)

    def _made(self) -> Iterator[str]:
        made = self.facts.get("made")
        yield _pair("vintage", made.value[:4] if made else "unknown", "")
        why = f"made {made.value} by its register, line {made.line}" if made else "not in the log"
        yield _pair("vintage_evidence", why, "")

    def _classes(self) -> Iterator[str]:
        found = self.facts.get("classes")
        classes = found.value.split() if found and found.value != "none" else []
        rated = next((name for name in classes if name in ("A1", "A2")), "no")
        yield f"speed_class = {json.dumps([name for name in classes if name != rated])}"
        yield _pair("application_class", rated if found else "unknown", "")
        why = f"its register says {found.value}, line {found.line}" if found else "not in the log"
        yield _pair("application_class_evidence", why, "")
