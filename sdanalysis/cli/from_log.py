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
from sdanalysis.logs.session import session_of
from sdanalysis.my_card.logs import Logs, join_logs, read_file, value_from_sessions
from sdanalysis.parsers import parse
from sdanalysis.parsers.capture import Capture, decode
from sdanalysis.paths import DATA, LeftOut, expand
from sdanalysis.sources.catalogue import read_catalogue
from sdanalysis.sources.declaration import FILL_IN

_CONDITIONS = {
    "tool_version": '"3.33"', "block_size": '"4k"', "file_size": '"100M"', "numjobs": "1",
    "iodepth": "1", "direct": "true",
}  # fmt: skip
_CARD = """\
[[medium]]
id = {id}
maker = {maker}
product = {product}  # of its register, line {line}; better the name that is printed on the card
{capacity}form = {form}
vintage = {vintage}
vintage_evidence = {vintage_evidence}
speed_class = {speed_class}
application_class = {application_class}
application_class_evidence = {application_class_evidence}
[[medium.specimen]]
id = {specimen}
labels = [{label}]
evidence = "printed"  # its registers stand in the log
"""
_SLOT = re.compile(r"\bmmcblk\d")
_OTHER = re.compile(r"/dev/(?:sd[a-z]|nvme)")


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
    each = {path: read_file(path) for path in _logs_at(log)}
    logs = join_logs(each.values())
    if not logs.rows:
        problem = next((problem.text for _, problem in logs.problems), "found no benchmark in it")
        raise SdAnalysisError(f"{log}: {problem}")
    contents = {path: unpacked(read_bytes(path)) for path in each}
    captures = {path: Capture(decode(content)) for path, content in contents.items()}
    text = "\n".join(capture.text for capture in captures.values())
    is_in_slot = _SLOT.search(text) and not _OTHER.search(text)  # it speaks of no other disk
    slot = bool(is_in_slot) or any(session.card for session in logs.sessions)
    given, form = _place(logs, slot, read_catalogue(DATA, raw).readers)
    printed, medium = _card(logs, form)
    hint = "the card's maker, product and capacity, as media.toml labels it"
    lines = [*given, f"label = {_value(printed, hint)}", *_not_said(logs)]
    files = [
        RawLog(Path(path).name.removesuffix(".gz"), contents[path], "".join(reads))
        for path in each
        if (reads := list(_reads(each[path], captures[path], path)))
    ]
    return Source(files, "".join(f"{line}\n" for line in lines), medium, logs.problems)


def _logs_at(log: Path) -> list[str]:
    """Return the log, or those of a session's steps that ended well."""
    if not log.is_dir():
        return [str(log)]
    found = [path for path in expand([str(log)]) if not isinstance(path, LeftOut)]
    if not found or any(session_of(path) is None for path in found):
        text = "found a folder, expected a log or the folder of a session of sdanalysis bench"
        raise SdAnalysisError(f"{log}: {text}")
    return found


def _value(text: str | None, hint: str = "") -> str:
    """Return a text as TOML, or what to fill in where it is not known."""
    return json.dumps(text or f"{FILL_IN}: {hint}", ensure_ascii=False)


def _place(
    logs: Logs, slot: bool, readers: Mapping[tuple[str, str], Mapping[str, Any]]
) -> tuple[list[str], str | None]:
    """Return the lines of computer and reader, and the form of a card in such a slot."""
    known = {
        name: host
        for (host, _), row in readers.items()
        for name in (row["host_name"], *row["aliases"])
    }
    models = (words.partition(" Rev ")[0].strip() for _, words in logs.boards)
    host = value_from_sessions(logs.sessions, "host", None)
    host = host or next((known[model] for model in models if model in known), None)
    slots = [reader for name, reader in readers if name == host and reader.startswith("slot")]
    reader = value_from_sessions(logs.sessions, "reader", None)
    reader = reader or ("slot" if slot and slots == ["slot"] else None)
    place, words = logs.boards[0] if logs.boards else ("", "")
    board = f"  # line {place.rpartition(':')[2]}: {words}" if words else ""
    hint = "a reader of that host in hosts.toml, such as slot or usb"
    lines = [
        f"host = {_value(host, 'the computer, an id of hosts.toml')}{board}",
        f"reader = {_value(reader, hint)}{'  # the log speaks of mmcblk' if reader else ''}",
    ]
    name = str(readers.get((host or "", "slot"), {}).get("reader_name", ""))
    return lines, "microSD" if slot and name.startswith("microSD") else None


def _not_said(logs: Logs) -> Iterator[str]:
    """Yield what a log lacks: as comments the conditions that no figure has, and the operation.

    Some tools do not tell reading from writing without their command.
    """
    missing = [name for name in _CONDITIONS if all(row[name] is None for row in logs.rows)]
    if missing:
        yield "# Not in the log; where you know it, of all its figures, take away the sign:"
        yield from (f"# {name} = {_CONDITIONS[name]}" for name in missing)
    for tool in sorted({str(row["tool"]) for row in logs.rows}):
        if {row["op"] for row in logs.rows if row["tool"] == tool} == {"copy"}:
            hint = "write or read, which the log does not say without the tool's command"
            yield f"\n[tool.{tool}]\nop = {_value(None, hint)}"


def _reads(logs: Logs, capture: Capture, log: str) -> Iterator[str]:
    """Yield its run, where that is not the first, and its parsers; all other lines are skipped."""
    repeats = {row["repeat"] for row in logs.rows}
    if len(repeats) == 1 and repeats != {1}:
        yield f"given = {{ repeat = {repeats.pop()} }}\n"
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


def _card(logs: Logs, form: str | None) -> tuple[str | None, str | None]:
    """Return the name of a card and its entry of media.toml, as its registers say in the log."""
    every = [fact for _, fact in logs.facts]
    first = next((fact.card for fact in every if fact.card), "")  # of several cards
    facts = {fact.name: fact for fact in reversed(every) if fact.card in (first, "")}
    label = value_from_sessions(logs.sessions, "label", None)
    values = {n: f.value for n, f in facts.items() if not f.value.startswith("unknown")}
    product, maker = values.get("product name"), values.get("manufacturer")
    if not product:
        return label, None
    size = (facts["capacity"].number or 0) / 1e9 if "capacity" in facts else 0
    sold = 2 ** round(log2(size)) if size else 0  # GB, a power of two: within a tenth
    capacity = f"{sold} GB" if sold >= 1 and abs(size / sold - 1) < 0.1 else None
    label = label or " ".join(text for text in (maker, product, capacity) if text)
    name = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
    made, classes = facts.get("made"), facts.get("classes")
    rated = classes.value.split() if classes and classes.value != "none" else []
    application = next((mark for mark in rated if mark in ("A1", "A2")), "no")
    made_by = made and f"made {made.value} by its register, line {made.line}"
    says = classes and f"its register says {classes.value}, line {classes.line}"
    return label, _CARD.format(
        id=_value(name),
        maker=_value(maker, "the maker as printed on the card"),
        product=_value(product),
        line=facts["product name"].line,
        capacity=f"capacity = {_value(capacity)}\n" if capacity else "",
        form=_value(form, "microSD, SD, CF, USB stick or SSD"),
        vintage=_value(made.value[:4] if made else "unknown"),
        vintage_evidence=_value(made_by or "not in the log"),
        speed_class=json.dumps([mark for mark in rated if mark != application]),
        application_class=_value(application if classes else "unknown"),
        application_class_evidence=_value(says or "not in the log"),
        specimen=_value(None, f"measured_by of source.toml, a slash, a name: lechner/{name}"),
        label=_value(label),
    )
