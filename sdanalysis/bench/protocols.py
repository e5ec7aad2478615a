"""What the sources ran: the commands of each protocol, step by step, as they published them.

`{file}` stands for a new file of the runner's own, `{device}` for the device that holds it. A test
compares the commands with the `source.toml` of their sources. Sizes and times are plans: bytes that
the file takes, bytes that are written, and seconds with a card of middling speed (medians of the
Raspberry Pi 4 in the project's table).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MB = 1_000_000
MIB = 1024 * 1024


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


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """The steps of one run, in the order of its source."""

    name: str
    steps: tuple[Step, ...]
    comparable: str  # with whose figures


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
PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol(name="geerling-2019", steps=_DRAMBLE, comparable=_SCRIPT),
        Protocol(name="dramble-2017", steps=_DRAMBLE, comparable=_SCRIPT),
        Protocol(
            name="chilina-2018", steps=(IOZONE, MIXED), comparable="both tables of chilina-2018"
        ),
        Protocol(
            name="kulesz-file",
            steps=(IOZONE_16M,),
            comparable="no figure of kulesz-2017: there the raw device was measured, here a file",
        ),
        Protocol(
            name="a1",
            steps=(A1,),
            comparable="the minimums of the application class A1, as a sniff test",
        ),
    )
}
PACKAGES = {"hdparm": "hdparm", "dd": "coreutils", "fio": "fio", "iozone": "iozone3 (non-free)"}


def steps_of(names: list[str], *, fio_for_iozone: bool = False) -> list[tuple[str, Step]]:
    """Return (protocol, step) of one run of some protocols; a step that two share is made once.

    With `fio_for_iozone` the equivalent jobs of fio stand for iozone with blocks of 4 KiB.
    """
    found: dict[tuple[str, ...], tuple[str, Step]] = {}
    for name in names:
        for step in PROTOCOLS[name].steps:
            other = FIO_FOR_IOZONE if fio_for_iozone and step is IOZONE else step
            found.setdefault(other.command, (name, other))
    return list(found.values())
