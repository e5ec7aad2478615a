"""Protocols, runs and a target -> the steps of a session: what runs, what is left out, and why."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from sdanalysis.bench.children import in_child
from sdanalysis.bench.protocols import PACKAGES, Step, steps_of
from sdanalysis.bench.target import Target

FILE = "test"  # in the runner's own folder
LEAST_LIMIT = 120.0  # seconds that each step may take
PATIENCE = 10  # times its planned time


@dataclass(frozen=True, kw_only=True)
class Planned:
    """One step of one run."""

    number: int  # from 1, over all runs
    run: int  # from 1
    protocol: str
    tool: str
    arguments: tuple[str, ...]  # `{file}` is set when it runs, for the folder is new each time
    space: int
    written: int
    seconds: float
    limit: float

    @property
    def name(self) -> str:
        """Return what its files are named after."""
        return f"{self.number:02d}-run{self.run}-{self.tool}"

    def command(self, file: Path) -> list[str]:
        """Return the command for a file."""
        return [
            str(file) if word == "{file}" else word.replace("{file}", str(file))
            for word in self.arguments
        ]

    def as_json(self) -> dict[str, object]:
        """Return it as `plan.json` has it."""
        return asdict(self) | {"arguments": list(self.arguments), "name": self.name}


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A step that this computer or user cannot run, and what to do about it."""

    tool: str
    why: str
    by_hand: str = ""  # a command for another hand


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All steps of a session: whole runs, one after the other, so that drift falls on all alike."""

    steps: tuple[Planned, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def space(self) -> int:
        """Return the bytes of the largest file."""
        return max((step.space for step in self.steps), default=0)

    @property
    def written(self) -> int:
        """Return the bytes that all runs write."""
        return sum(step.written for step in self.steps)

    @property
    def seconds(self) -> float:
        """Return the planned time."""
        return sum(step.seconds for step in self.steps)


def plan(
    protocols: list[str], runs: int, target: Target, session: Path,
    *, direct: bool = True, fio_for_iozone: bool = False,
) -> Plan:  # fmt: skip
    """Return the plan of some protocols on a target."""
    left_out, kept = [], []
    for protocol, step in steps_of(protocols, fio_for_iozone=fio_for_iozone):
        why = _why_not(step, target, session, direct)
        if why:
            left_out.append(why)
        else:
            kept.append((protocol, step))
    steps = [
        _planned(number, run, protocol, step, target)
        for number, (run, (protocol, step)) in enumerate(
            ((run, one) for run in range(1, runs + 1) for one in kept), start=1
        )
    ]
    return Plan(steps=tuple(steps), left_out=tuple(left_out))


def _planned(number: int, run: int, protocol: str, step: Step, target: Target) -> Planned:
    words = tuple(word.replace("{device}", target.device) for word in step.command)
    return Planned(
        number=number, run=run, protocol=protocol, tool=step.tool, arguments=words,
        space=step.space, written=step.written, seconds=step.seconds,
        limit=max(PATIENCE * step.seconds, LEAST_LIMIT),
    )  # fmt: skip


def _why_not(step: Step, target: Target, session: Path, direct: bool) -> LeftOut | None:
    if shutil.which(step.tool) is None:
        return LeftOut(tool=step.tool, why=f"not installed (package {PACKAGES[step.tool]})")
    if step.direct and not direct:
        kind = target.mount.kind
        return LeftOut(tool=step.tool, why=f"{kind} takes no O_DIRECT: it would measure the memory")
    if step.reads_device and not target.device:
        return LeftOut(tool=step.tool, why="it reads the device itself, and there is none")
    if step.reads_device and (code := in_child(lambda: _open(target.device))) != 0:
        said = "it does not answer" if code is None else os.strerror(code)
        return LeftOut(
            tool=step.tool, why=f"{target.device} is not to be read ({said})",
            by_hand=_by_hand(step, target, session) if os.geteuid() else "",
        )  # fmt: skip
    return None


def _open(device: str) -> None:
    """Open a device to read it: permissions alone say too little, in a container for example."""
    os.close(os.open(device, os.O_RDONLY | os.O_NONBLOCK))


def _by_hand(step: Step, target: Target, session: Path) -> str:
    """Return the command for root; its log has the command first, as those of a session do."""
    command = shlex.join(target.device if word == "{device}" else word for word in step.command)
    log = shlex.quote(str(session / "logs" / "by-hand.log"))
    return f"(echo '$ {command}'; sudo {command}; echo \"exit status: $?\") 2>&1 | tee -a {log}"
