"""The folder of a session: what it is about, its plan, its facts; written once, then continued."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from sdanalysis.bench import facts
from sdanalysis.bench.endings import Ending, Refused
from sdanalysis.bench.journal import Journal, write_whole
from sdanalysis.bench.plan import Plan, Planned
from sdanalysis.bench.target import Target

About = dict[str, Any]  # what a session is about, as its `session.toml` says
_VERSIONS = {"fio": "--version", "iozone": "-v", "hdparm": "-V", "dd": "--version"}
# What has to be the same when a session goes on, and what a person calls it.
_SAME = {
    "protocols": "protocol", "runs": "--runs", "identity": "medium", "machine": "computer",
    "tools": "tool versions", "label": "--label", "host": "--host", "reader": "--reader",
}  # fmt: skip


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
        left_out = [vars(reason) for reason in plan.left_out]
        stored = {"steps": [step.as_json() for step in plan.steps], "left_out": left_out}
        text = json.dumps(stored, indent=1)
        write_whole(self.path / "plan.json", text.encode())
        for name, entries in known.items():  # a card's registers hold its serial number
            lines = entries or {"nothing": "no register of a card is to be read here"}
            self._write_facts(name, lines, 0o600 if name == "card" else 0o644)
        write_whole(self.path / "session.toml", as_toml(about).encode())

    def about(self) -> dict[str, Any]:
        """Return what `session.toml` says; nothing where there is no session."""
        path = self.path / "session.toml"
        try:
            return tomllib.loads(path.read_text(encoding="utf-8")) if self.exists() else {}
        except (OSError, ValueError) as error:
            raise Ending(f"{path}: found no whole session ({error}), expected one") from error

    def stored_steps(self) -> list[Planned]:
        """Return the steps that the session planned when it began."""
        names = Planned.__dataclass_fields__
        try:
            plan = json.loads((self.path / "plan.json").read_text(encoding="utf-8"))
            steps = [{name: entry[name] for name in names} for entry in plan["steps"]]
            return [Planned(**step | {"arguments": tuple(step["arguments"])}) for step in steps]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Ending(f"{self.path / 'plan.json'}: found no whole plan ({error})") from error

    def go_on(self, about: About) -> None:
        """Take a session up again; Refused where it is about something else."""
        self.hold()
        before, now = self.about(), tomllib.loads(as_toml(about))
        for name, word in _SAME.items():
            if before.get(name) != now[name]:
                found, expected = repr(now[name]), repr(before.get(name))
                if name in ("identity", "machine"):  # digests, which say nothing to a person
                    found, expected = "another one", "that of the session"
                text = f"found {found} as its {word}, expected {expected}"
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
        self._write_facts(name, vars(conditions))

    def _write_facts(self, name: str, entries: Mapping[str, object], mode: int = 0o644) -> None:
        lines = [
            f"{key}: {'not told by this system' if value in (None, '') else value}\n"
            for key, value in entries.items()
        ]
        write_whole(self.facts / f"{name}.txt", "".join(lines).encode(), mode)

    def complete(self, steps: int) -> None:
        """Say that all steps are done."""
        write_whole(self.path / "complete.json", json.dumps({"steps": steps}).encode())


def as_toml(about: About) -> str:
    """Return what a session is about as the text of `session.toml`."""
    # TOML takes what JSON writes, but for a DEL; a byte of a name that is not UTF-8 has no code
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in about.items()]
    text = "\n".join(["format = 1", *lines, ""]).replace("\x7f", "\\u007f")
    return text.encode("utf-8", "replace").decode()


def versions(tools: set[str]) -> list[str]:
    """Return the version that each tool prints of itself."""
    replies = []
    for tool in sorted(tools):
        try:
            reply = subprocess.run(
                [tool, _VERSIONS[tool]], capture_output=True, timeout=10, check=False,
                stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"},
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            continue
        text = (reply.stdout or reply.stderr).decode(errors="replace")
        first = next((line.strip() for line in text.splitlines() if line.strip()), "")
        replies.append(f"{tool}: {first}")
    return replies


def about(
    target: Target, card: facts.Facts, host: facts.Facts, tools: set[str],
    *, protocols: list[str], runs: int, given: Mapping[str, str],
) -> About:  # fmt: skip
    """Return what a session on a target is about; `given` are label, host and reader."""
    mount, indirect = target.mount, target.indirect
    return {
        "protocols": protocols, "runs": runs, "folder": str(target.folder), "device": target.device,
        "medium": "indirect" if indirect else "direct",  # the medium itself, or not
        "flags": [*([f"indirect: {indirect}"] if indirect else []), *target.flags],
        "identity": facts.identity(target, card), "size": target.size,
        "card": [f"{name}: {card[name]}" for name in facts.PUBLIC if name in card],
        "uuid": facts.uuid(target), "file_system": f"{mount.kind} {','.join(mount.options)}",
        **{name: given.get(name, "") for name in ("label", "host", "reader")},
        "host_model": host["model"], "machine": host["machine"], "tools": versions(tools),
    }  # fmt: skip
