"""What is known of card, computer and conditions, before and after each step.

Each fact is optional: where the system does not tell, the file says why. The card's registers hold
its serial number, so their file is for its owner alone.
"""

from __future__ import annotations

import hashlib
import os
import platform
import resource
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sdanalysis.bench.target import Target, read_text

REGISTERS = ("cid", "csd", "scr", "ssr", "name", "date", "manfid", "oemid", "type")
PUBLIC = ("name", "date", "manfid", "oemid", "type", "vendor", "model")  # no serial number in them
QUEUE = ("rotational", "scheduler", "nr_requests", "write_cache", "discard_max_bytes")
BUSY = 0.5  # processors that other programs took while a step ran, from which they have a share
MORE = 1.5  # times its own bytes that the device took: something else wrote
LITTLE = 32_000_000  # bytes that a file system may write of its own
HOTTER = 5_000  # thousandths of a degree
Facts = dict[str, str]


def card(target: Target, root: Path = Path("/")) -> Facts:
    """Return what the card's controller tells of it; empty where it is in no slot of its own."""
    if not target.device:
        return {}
    folder = root / "sys/block" / Path(target.device).name / "device"
    names = dict.fromkeys((*REGISTERS, *PUBLIC))
    return {name: text for name in names if (text := read_text(folder / name))}


def identity(target: Target, registers: Mapping[str, str]) -> str:
    """Return what tells this medium from another: a digest, for it may hold a serial number."""
    words = registers.get("cid") or f"{target.size} {uuid(target) or target.mount.source}"
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def mount(target: Target, root: Path = Path("/")) -> Facts:
    """Return where the folder lies: file system, space, how the system asks its device."""
    queue, lsblk, device = {}, "", target.device
    if device:
        folder = root / "sys/block" / Path(device).name / "queue"
        queue = {name: read_text(folder / name) for name in QUEUE}
        columns = "NAME,TYPE,SIZE,FSTYPE,MOUNTPOINT,VENDOR,MODEL,TRAN,RO"
        lsblk = _run_tool("lsblk", "--json", "--bytes", "-o", columns, device)
    return {
        "mount": target.mount.in_words(),
        "folder": str(target.folder),
        "uuid": uuid(target),
        "free": str(target.free),
        "size": str(target.total),
        **queue,
        "uptime": read_text(root / "proc/uptime").partition(" ")[0],
        "lsblk": " ".join(lsblk.split()),
    }


def uuid(target: Target) -> str:
    """Return the name of the file system's UUID in /dev/disk, where udev made one."""
    folder = Path("/dev/disk/by-uuid")
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return ""
    source = os.path.realpath(target.mount.source)
    return next((path.name for path in paths if os.path.realpath(path) == source), "")


def host(root: Path = Path("/")) -> Facts:
    """Return computer, system and kernel."""
    model = read_text(root / "proc/device-tree/model")
    release = read_text(root / "etc/os-release")
    name = next((line for line in release.splitlines() if line.startswith("PRETTY_NAME=")), "")
    memory = read_text(root / "proc/meminfo").partition("\n")[0]
    machine = read_text(root / "etc/machine-id")
    return {
        "model": model or read_text(root / "sys/class/dmi/id/product_name"),
        "system": name.partition("=")[2].strip('"'),
        "kernel": " ".join(platform.uname()[i] for i in (0, 2, 4)),
        "memory": memory.partition(":")[2].strip(),
        # a digest: the number itself is the machine's own business
        "machine": hashlib.sha256(machine.encode()).hexdigest()[:16] if machine else "",
    }


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What may change from step to step."""

    mount: str
    governor: str
    temperature: int | None  # thousandths of a degree, of the hottest zone
    throttled: str  # as `vcgencmd get_throttled` says
    load: float
    busy: float | None  # seconds that all processors worked since the start
    own: float  # those of our tools
    written: int | None  # bytes that the device took since it started
    clock: tuple[float, float]  # seconds since the start without and with suspend


def conditions(target: Target, root: Path = Path("/")) -> Conditions:
    """Read the conditions as they are now; nothing here touches the medium."""
    zones = map(read_text, (root / "sys/class/thermal").glob("thermal_zone*/temp"))
    degrees = [int(text) for text in zones if text.lstrip("-").isdigit()]
    governors = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    boot = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    tools = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Conditions(
        mount=target.mount.in_words(),
        governor=" ".join(sorted({read_text(path) for path in governors})),
        temperature=max(degrees, default=None),
        throttled=_run_tool("vcgencmd", "get_throttled"),  # a Raspberry Pi's, on power and heat
        load=os.getloadavg()[0],
        busy=_processors(root),
        own=tools.ru_utime + tools.ru_stime,
        written=count_written(target, root),
        clock=(time.monotonic(), time.clock_gettime(boot)),
    )


def count_written(target: Target, root: Path = Path("/")) -> int | None:
    """Return the bytes that the device took since it started."""
    name = Path(target.device).name
    stat = read_text(root / "sys/block" / name / "stat").split() if name else []
    return int(stat[6]) * 512 if len(stat) > 6 else None


def _processors(root: Path) -> float | None:
    """Return the seconds that all processors worked: not idle, and not waiting for a medium."""
    fields = read_text(root / "proc/stat").partition("\n")[0].split()[1:]
    if len(fields) < 8 or not all(field.isdigit() for field in fields[:8]):
        return None
    user, nice, system, _idle, _waiting, hard, soft, stolen = map(int, fields[:8])
    return (user + nice + system + hard + soft + stolen) / os.sysconf("SC_CLK_TCK")


def _run_tool(*command: str) -> str:
    """Return what a small tool prints, empty where it is not there or fails."""
    try:
        reply = subprocess.run(command, capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return reply.stdout.decode(errors="replace").strip()


def changes(before: Conditions, after: Conditions, bytes_written: int = 0) -> list[str]:
    """Return what changed while a step ran, or what else ran: flags of the step.

    The step itself writes `bytes_written`. The load average would not do: it counts who waits for
    the medium, so that each step would find the one before it.
    """
    flags = list(_other_load(before, after, bytes_written))
    for name in ("mount", "governor", "throttled"):
        first, last = getattr(before, name), getattr(after, name)
        if first != last:
            flags.append(f"{name} changed: {first or 'none'} -> {last or 'none'}")
    if after.throttled not in ("", "throttled=0x0"):
        flags.append(f"power or heat: {after.throttled}")
    if before.temperature is not None and after.temperature is not None:
        warmer = after.temperature - before.temperature
        if warmer > HOTTER:
            flags.append(f"warmer by {warmer / 1000:.0f} degrees")
    slept = (after.clock[1] - before.clock[1]) - (after.clock[0] - before.clock[0])
    if slept > 1:
        flags.append(f"suspended for {slept:.0f} s")
    return flags


def _other_load(before: Conditions, after: Conditions, bytes_written: int) -> Iterator[str]:
    passed = after.clock[0] - before.clock[0]
    if before.busy is not None and after.busy is not None and passed > 0.5:
        processors = (after.busy - before.busy - (after.own - before.own)) / passed
        if processors > BUSY:
            yield f"busy: other programs took {processors:.1f} processors"
    if before.written is not None and after.written is not None:
        took = after.written - before.written
        if took > MORE * bytes_written + LITTLE:
            megabytes = bytes_written / 1e6
            yield f"busy: {took / 1e6:.0f} MB were written, the step's are {megabytes:.0f}"
