"""What the sources ran, as they published it, and the plan of a session made of it.

`{file}` stands for a new file of the runner's own, `{device}` for the device that holds it. A test
compares the commands with the `source.toml` of their sources. Sizes and times are estimates: bytes
that the file takes, bytes written, seconds. The seconds are those of a middling card: medians of
the Raspberry Pi 4 in the project's table.
"""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from sdanalysis.bench.children import run_in_child
from sdanalysis.bench.target import MIB, Target

FILE = "test"  # in the runner's own folder
LEAST_LIMIT = 120.0  # seconds that each step may take
PATIENCE = 10  # times its planned time
MB = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Step:
    """One command of a protocol."""

    tool: str
    command: tuple[str, ...]
    space: int = 0  # bytes that its file takes
    written: int = 0  # bytes that it writes
    seconds: float
    direct: bool = False  # needs a file system that knows O_DIRECT
    reads_device: bool = False  # needs to read the device itself, which root may


class Protocol(NamedTuple):
    """The steps of one run, in the order of its source, and with whose figures they compare."""

    steps: tuple[Step, ...]
    comparable: str


_IOZONE = "iozone -e -I -a -s 100M -r 4k -i 0 -i 1 -i 2 -f {file}"
_CHILINA = (
    "fio --randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=test --filename={file}"
    " --bs=4k --iodepth=64 --size=100M --readwrite=randrw --rwmixread=75"
)
# The jobs of `sd_bench.fio` of the Raspberry Pi's diagnostics, version 0.15 and later.
_A1 = (
    "fio --output-format=json --ioengine=libaio --iodepth=32 --size=256m --direct=1 --end_fsync=1"
    " --filename={file}"
    " --name=prepare-file --rw=write --bs=512k --stonewall"
    " --name=seq-write --rw=write --bs=4m --stonewall"
    " --name=seq-read --rw=read --bs=4m --stonewall"
    " --name=rand-4k-write --rw=randwrite --bs=4k --runtime=10 --stonewall"
    " --name=rand-4k-read --rw=randread --bs=4k --runtime=10 --stonewall"
)
# What the iozone command above does, in its order: -I is direct, -e is end_fsync.
_FIO_FOR_IOZONE = (
    "fio --output-format=json --ioengine=psync --direct=1 --bs=4k --size=100M --filename={file}"
    " --fallocate=none --end_fsync=1 --create_on_open=1"
    " --name=write --rw=write --stonewall --name=rewrite --rw=write --overwrite=1 --stonewall"
    " --name=read --rw=read --stonewall --name=reread --rw=read --stonewall"
    " --name=randread --rw=randread --stonewall"
    " --name=randwrite --rw=randwrite --overwrite=1 --stonewall"
)


def _step(tool: str, command: str, seconds: float, **sizes: Any) -> Step:
    return Step(tool=tool, command=tuple(command.split()), seconds=seconds, **sizes)


_100M = {"space": 100 * MIB, "written": 300 * MIB, "direct": True}
HDPARM = _step("hdparm", "hdparm -t {device}", 6, reads_device=True)
DD = _step(
    "dd", "dd if=/dev/zero of={file} bs=8k count=50k conv=fsync", 18,
    space=400 * MIB, written=400 * MIB,
)  # fmt: skip
IOZONE = _step("iozone", _IOZONE, 166, **_100M)
IOZONE_16M = _step(
    "iozone", _IOZONE.replace("-r 4k", "-r 4k -r 16M"), 210, **_100M | {"written": 600 * MIB}
)
FIO_FOR_IOZONE = _step("fio", _FIO_FOR_IOZONE, 166, **_100M)
MIXED = _step("fio", f"{_CHILINA} --output-format=json", 35, **_100M | {"written": 125 * MIB})
A1 = _step("fio", _A1, 80, space=256 * MIB, written=600 * MIB, direct=True)

_DRAMBLE = (HDPARM, DD, IOZONE)
_SCRIPT = "the figures of geerling-2019 and dramble-2017, and of all who ran their script"
_RAW = "no figure of kulesz-2017: there the raw device was measured, here a file"
PROTOCOLS = {
    "geerling-2019": Protocol(_DRAMBLE, _SCRIPT),
    "dramble-2017": Protocol(_DRAMBLE, _SCRIPT),
    "chilina-2018": Protocol((IOZONE, MIXED), "both tables of chilina-2018"),
    "kulesz-file": Protocol((IOZONE_16M,), _RAW),
    "a1": Protocol((A1,), "the minimums of the application class A1, as a sniff test"),
}
PACKAGES = {"hdparm": "hdparm", "dd": "coreutils", "fio": "fio", "iozone": "iozone3 (non-free)"}


def steps_of(names: list[str], *, fio_for_iozone: bool = False) -> list[tuple[str, Step]]:
    """Return (protocol, step) of one run of some protocols; a step that two share is made once.

    With `fio_for_iozone` the equivalent jobs of fio stand for iozone with blocks of 4 KiB.
    """
    steps: dict[tuple[str, ...], tuple[str, Step]] = {}
    for name in names:
        for step in PROTOCOLS[name].steps:
            variant = FIO_FOR_IOZONE if fio_for_iozone and step is IOZONE else step
            steps.setdefault(variant.command, (name, variant))
    return list(steps.values())


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
        """What its files are named after."""
        return f"{self.number:02d}-run{self.run}-{self.tool}"

    def command(self, file: Path) -> list[str]:
        """Return the command for a file."""
        return [word.replace("{file}", str(file)) for word in self.arguments]

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
    steps = steps_of(protocols, fio_for_iozone=fio_for_iozone)
    reasons = [_find_obstacle(step, target, session, direct) for _, step in steps]
    possible = [step for step, reason in zip(steps, reasons, strict=True) if reason is None]
    planned = tuple(
        Planned(
            number=number, run=run, protocol=protocol, tool=step.tool,
            arguments=tuple(word.replace("{device}", target.device) for word in step.command),
            space=step.space, written=step.written, seconds=step.seconds,
            limit=max(PATIENCE * step.seconds, LEAST_LIMIT),
        )
        for number, (run, (protocol, step)) in enumerate(product(range(1, runs + 1), possible), 1)
    )  # fmt: skip
    return Plan(steps=planned, left_out=tuple(filter(None, reasons)))


def _find_obstacle(step: Step, target: Target, session: Path, direct: bool) -> LeftOut | None:
    if shutil.which(step.tool) is None:
        return LeftOut(tool=step.tool, why=f"not installed (package {PACKAGES[step.tool]})")
    if step.direct and not direct:
        kind = target.mount.kind
        return LeftOut(tool=step.tool, why=f"{kind} takes no O_DIRECT: it would measure the memory")
    if step.reads_device and not target.device:
        return LeftOut(tool=step.tool, why="it reads the device itself, and there is none")
    if step.reads_device and (code := run_in_child(lambda: _open(target.device))) != 0:
        trouble = "it does not answer" if code is None else os.strerror(code)
        return LeftOut(
            tool=step.tool, why=f"{target.device} is not to be read ({trouble})",
            by_hand=_root_command(step, target, session) if os.geteuid() else "",
        )  # fmt: skip
    return None


def _open(device: str) -> None:
    """Open a device to read it: permissions alone say too little, in a container for example."""
    os.close(os.open(device, os.O_RDONLY | os.O_NONBLOCK))


def _root_command(step: Step, target: Target, session: Path) -> str:
    """Return the command for root; its log has the command first, as those of a session do."""
    command = shlex.join(target.device if word == "{device}" else word for word in step.command)
    log = shlex.quote(str(session / "logs" / "by-hand.log"))
    return f"(echo '$ {command}'; sudo {command}; echo \"exit status: $?\") 2>&1 | tee -a {log}"
