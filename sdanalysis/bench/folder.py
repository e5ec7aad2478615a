"""The folder of a session: what it is about, its plan, its facts; written once, then continued."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sdanalysis.bench import facts
from sdanalysis.bench.endings import Ending, Refused
from sdanalysis.bench.journal import Journal, write_whole
from sdanalysis.bench.plan import Plan, Planned
from sdanalysis.bench.target import Target

FORMAT = 1
_PRIVATE = 0o600
_VERSIONS = {"fio": "--version", "iozone": "-v", "hdparm": "-V", "dd": "--version"}
# What has to be the same when a session goes on, and what a person calls it.
_SAME = {
    "protocols": "protocol", "runs": "--runs", "identity": "medium", "machine": "computer",
    "tools": "tool versions", "label": "--label", "host": "--host", "reader": "--reader",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class About:
    """What a session is about, as its `session.toml` says."""

    protocols: tuple[str, ...]
    runs: int
    folder: str
    device: str
    medium: str  # direct, or indirect: not the medium itself
    flags: tuple[str, ...]
    identity: str  # of the medium: a digest
    size: int
    card: tuple[str, ...]  # what its controller tells, without its serial number
    uuid: str  # of the file system
    file_system: str
    label: str
    host: str
    reader: str
    host_model: str
    machine: str  # a digest
    tools: tuple[str, ...]

    def as_toml(self) -> str:
        """Return it as the text of `session.toml`."""
        lines = [f"format = {FORMAT}"]
        for name, value in vars(self).items():
            lines.append(f"{name} = {_toml(value)}")
        return "\n".join(lines) + "\n"


class Folder:
    """The folder of a session, held by one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path, self.logs, self.facts = path, path / "logs", path / "facts"
        self.journal = Journal(path / "journal.jsonl")
        self._lock: BinaryIO | None = None

    def exists(self) -> bool:
        """Tell whether a session was begun here."""
        return (self.path / "session.toml").is_file()

    def begin(self, about: About, plan: Plan, known: dict[str, facts.Facts]) -> None:
        """Lay a new session down; its `session.toml` comes last, so that half of one is none."""
        used = self.path.exists() and any(self.path.iterdir())
        if used and not (self.path / "plan.json").exists():
            text = "found a folder with other things in it, expected a new one or a session"
            raise Refused(f"{self.path}: {text}")
        for folder in (self.path, self.logs, self.facts):
            folder.mkdir(parents=True, exist_ok=True)
        self.hold()
        steps = [step.as_json() for step in plan.steps]
        left_out = [vars(one) for one in plan.left_out]
        text = json.dumps({"steps": steps, "left_out": left_out}, indent=1)
        write_whole(self.path / "plan.json", text.encode())
        for name, found in known.items():  # a card's registers hold its serial number
            mode = _PRIVATE if name == "card" else 0o644
            write_whole(self.facts / f"{name}.txt", _lines(found), mode)
        write_whole(self.path / "session.toml", about.as_toml().encode())

    def about(self) -> dict[str, Any]:
        """Return what `session.toml` says; nothing where there is no session."""
        path = self.path / "session.toml"
        try:
            return tomllib.loads(path.read_text(encoding="utf-8")) if self.exists() else {}
        except (OSError, ValueError) as error:
            raise Ending(f"{path}: found no whole session ({error}), expected one") from error

    def stored_steps(self) -> list[Planned]:
        """Return the steps that the session planned when it began."""
        try:
            plan = json.loads((self.path / "plan.json").read_text(encoding="utf-8"))
            return [_planned(entry) for entry in plan["steps"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Ending(f"{self.path / 'plan.json'}: found no whole plan ({error})") from error

    def go_on(self, about: About) -> None:
        """Take a session up again; Refused where it is about something else."""
        self.hold()
        before = self.about()
        now = tomllib.loads(about.as_toml())
        for name, word in _SAME.items():
            if before.get(name) != now[name]:
                found, expected = now[name], before.get(name)
                shown = "another one" if name in ("identity", "machine") else repr(found)
                text = f"found {shown} as its {word}, expected {_expected(name, expected)}"
                raise Refused(f"{self.path}: {text}: begin a new session with another -o")

    def hold(self) -> None:
        """Take the session for this process; Refused where another has it."""
        self._lock = (self.path / "lock").open("ab")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            text = "found a session that is at work, expected one that has ended"
            raise Refused(f"{self.path}: {text}") from error

    def finished(self) -> dict[int, float]:
        """Return the seconds of each step that is done and whose log is there, by its number."""
        done = {e["step"]: e for e in self.journal.events() if e["event"] == "done"}
        return {
            number: float(event.get("seconds", 0))
            for number, event in done.items()
            if (self.logs / str(event.get("log"))).is_file()
        }

    def keep(self, name: str, conditions: facts.Conditions) -> None:
        """Write the conditions of a moment."""
        write_whole(self.facts / f"{name}.txt", ("\n".join(conditions.lines()) + "\n").encode())

    def complete(self, steps: int) -> None:
        """Say that all steps are done."""
        write_whole(self.path / "complete.json", json.dumps({"steps": steps}).encode())


def _toml(value: object) -> str:
    """Return a value as TOML and JSON both write it; what is no character of text, as its code."""
    shown = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
    return "".join(c if c.isprintable() else _escaped(c) for c in shown)


def _escaped(character: str) -> str:
    code = ord(character)  # a byte of a name that is not UTF-8 is a half character: no code has it
    return f"\\u{code:04x}" if code < 0xD800 else "\N{REPLACEMENT CHARACTER}"


def _expected(name: str, value: object) -> str:
    return "that of the session" if name in ("identity", "machine") else repr(value)


def _planned(entry: dict[str, Any]) -> Planned:
    known = {name: entry[name] for name in Planned.__dataclass_fields__}
    return Planned(**known | {"arguments": tuple(entry["arguments"])})


def _lines(found: facts.Facts) -> bytes:
    if not found:
        return b"nothing: no register of a card is to be read here\n"
    absent = "not told by this system"
    return "".join(f"{name}: {text or absent}\n" for name, text in found.items()).encode()


def versions(tools: set[str]) -> tuple[str, ...]:
    """Return the version that each tool prints of itself."""
    found = []
    for tool in sorted(tools):
        try:
            said = subprocess.run(
                [tool, _VERSIONS[tool]], capture_output=True, timeout=10, check=False,
                stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"},
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            continue
        text = (said.stdout or said.stderr).decode(errors="replace")
        first = next((line.strip() for line in text.splitlines() if line.strip()), "")
        found.append(f"{tool}: {first}")
    return tuple(found)


def about(
    target: Target, card: facts.Facts, host: facts.Facts, tools: set[str],
    *, protocols: list[str], runs: int, given: dict[str, str],
) -> About:  # fmt: skip
    """Return what a session on a target is about; `given` are label, host and reader."""
    mount = target.mount
    return About(
        protocols=tuple(protocols), runs=runs, folder=str(target.folder), device=target.device,
        medium="indirect" if target.indirect else "direct",
        flags=((f"indirect: {target.indirect}",) if target.indirect else ()) + target.flags,
        identity=facts.identity(target, card), size=target.size, uuid=facts.uuid(target),
        card=tuple(f"{name}: {card[name]}" for name in facts.PUBLIC if name in card),
        file_system=f"{mount.kind} {','.join(mount.options)}",
        label=given.get("label", ""), host=given.get("host", ""), reader=given.get("reader", ""),
        host_model=host["model"], machine=host["machine"], tools=versions(tools),
    )  # fmt: skip
