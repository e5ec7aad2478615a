"""What is known of card, computer and conditions, before and after each step.

Each fact is optional: where the system does not tell, the file says why. The card's registers hold
its serial number, so their file is for its owner alone.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sdanalysis.bench.target import Target

REGISTERS = ("cid", "csd", "scr", "ssr", "name", "date", "manfid", "oemid", "type")
BUSY = 0.5  # load average before a step, above which something else has a share
HOTTER = 5_000  # thousandths of a degree
Facts = dict[str, str]


def card(target: Target, root: Path = Path("/")) -> Facts:
    """Return what the card's controller tells of it; empty where it is in no slot of its own."""
    folder = root / "sys/block" / Path(target.device).name / "device" if target.device else None
    found = {name: _read(folder / name) for name in REGISTERS} if folder else {}
    model = _read(folder / "model") if folder else ""
    known = {name: text for name, text in found.items() if text}
    return known | ({"model": model} if model else {})


def identity(target: Target, found: Mapping[str, str]) -> str:
    """Return what tells this medium from another: a digest, for it may hold a serial number."""
    words = found.get("cid") or f"{target.size} {_uuid(target) or target.mount.source}"
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def _uuid(target: Target) -> str:
    """Return the name of the file system's UUID in /dev/disk, where udev made one."""
    folder = Path("/dev/disk/by-uuid")
    try:
        names = sorted(folder.iterdir())
    except OSError:
        return ""
    source = os.path.realpath(target.mount.source)
    return next((one.name for one in names if os.path.realpath(one) == source), "")


def host(root: Path = Path("/")) -> Facts:
    """Return computer, system and kernel."""
    model = _read(root / "proc/device-tree/model").rstrip("\0")
    product = _read(root / "sys/class/dmi/id/product_name")
    release = _read(root / "etc/os-release")
    names = [line for line in release.splitlines() if line.startswith("PRETTY_NAME=")]
    memory = next(iter(_read(root / "proc/meminfo").splitlines()), "")
    machine = _read(root / "etc/machine-id")
    return {
        "model": model or product,
        "system": names[0].partition("=")[2].strip('"') if names else "",
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
    written: int | None  # bytes that the device took since it started
    clock: tuple[float, float]  # seconds since the start without and with suspend

    def lines(self) -> Iterator[str]:
        """Yield the facts as lines of a file."""
        for name, value in vars(self).items():
            yield f"{name}: {'not told by this system' if value in (None, '') else value}"


def conditions(target: Target, root: Path = Path("/")) -> Conditions:
    """Read the conditions as they are now; nothing here touches the medium."""
    zones = [
        _read(zone) for zone in sorted((root / "sys/class/thermal").glob("thermal_zone*/temp"))
    ]
    degrees = [int(text) for text in zones if text.lstrip("-").isdigit()]
    governors = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    stat = (
        _read(root / "sys/block" / Path(target.device).name / "stat").split()
        if target.device
        else []
    )
    boot = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return Conditions(
        mount=f"{target.mount.source} {target.mount.kind} {','.join(target.mount.options)}",
        governor=" ".join(sorted({_read(path) for path in governors})),
        temperature=max(degrees, default=None),
        throttled=_throttled(),
        load=os.getloadavg()[0],
        written=int(stat[6]) * 512 if len(stat) > 6 else None,
        clock=(time.monotonic(), time.clock_gettime(boot)),
    )  # fmt: skip


def _throttled() -> str:
    """Return what the Raspberry Pi's firmware says of power and heat, empty on other computers."""
    tool = shutil.which("vcgencmd")
    if tool is None:
        return ""
    try:
        said = subprocess.run([tool, "get_throttled"], capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.decode(errors="replace").strip()


def changes(before: Conditions, after: Conditions) -> list[str]:
    """Return what changed while a step ran, or was not quiet before it: flags of the step."""
    flags = []
    if before.load > BUSY:
        flags.append(f"busy: load {before.load:.2f} before it")
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


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip().strip("\0")
    except (OSError, ValueError):
        return ""
