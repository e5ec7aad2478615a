"""A folder -> the medium that holds it, and whether it may be measured.

Read from /proc/self/mountinfo and /sys/dev/block, whose formats proc(5) and the kernel's
documentation give; no tool is asked.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sdanalysis.bench.children import ask
from sdanalysis.bench.endings import Ending, MediumLost, Refused

NO_MEDIUM = (
    *("tmpfs", "ramfs", "overlay", "squashfs", "devtmpfs", "proc", "sysfs", "cgroup", "cgroup2"),
    *("iso9660", "erofs", "aufs"),
)
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "afs", "ncpfs", "glusterfs")
MIB = 1024 * 1024
SPARE = 1.1  # times the largest file must be free
LEAST_FREE = 0.05  # share of the medium that stays free
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, kw_only=True)
class Mount:
    """A line of /proc/self/mountinfo."""

    point: str
    number: str  # MAJ:MIN
    kind: str  # of the file system
    source: str
    options: tuple[str, ...]

    def in_words(self) -> str:
        """Return source, kind and options as one text."""
        return f"{self.source} {self.kind} {','.join(self.options)}"


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a folder lies on."""

    folder: Path
    mount: Mount
    device: str  # /dev/mmcblk0: the whole disk; empty where there is none
    indirect: str  # why it is not the medium itself; empty where it is
    flags: tuple[str, ...]  # what a reader of the figures has to know
    size: int  # bytes of the whole device, 0 where not known
    free: int  # bytes that a user may still write
    total: int  # bytes of the file system


def mounts(text: str) -> Iterator[Mount]:
    r"""Yield the mounts of a mountinfo, in its order.

    Examples
    --------
    >>> next(mounts("36 35 179:2 / /media/my\\040card rw,noatime - ext4 /dev/root rw")).point
    '/media/my card'
    """
    for line in text.splitlines():
        left, separator, right = line.partition(" - ")
        fields, tail = left.split(" "), right.split(" ")
        if separator and len(fields) >= 6 and len(tail) >= 2:
            point, source = (
                _ESCAPED.sub(lambda match: chr(int(match[1], 8)), name)
                for name in (fields[4], tail[1])
            )
            options = [*fields[5].split(","), *(tail[2].split(",") if len(tail) > 2 else ())]
            yield Mount(
                point=point, number=fields[2], kind=tail[0], source=source,
                options=tuple(dict.fromkeys(options)),
            )  # fmt: skip


def mount_of(folder: Path, root: Path = Path("/")) -> Mount:
    """Return the mount that a folder lies in: of those that lie over it, the last and longest."""
    text = (root / "proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    name = f"{os.path.realpath(folder)}/"
    matches = [mount for mount in mounts(text) if name.startswith(f"{mount.point.rstrip('/')}/")]
    if not matches:
        text = "found no mount that holds it, expected one in /proc/self/mountinfo"
        raise Ending(f"{folder}: {text}")
    return max(reversed(matches), key=lambda mount: len(mount.point))


def find(folder: Path, *, any_medium: bool = False, root: Path = Path("/")) -> Target:
    """Return what a folder lies on; Refused where that is no medium, or not to be written."""
    ask(folder.stat, folder, "a folder on it")
    if not folder.is_dir():
        text = "found no folder, expected one on the medium that is to be measured"
        raise Ending(f"{folder}: {text}")
    mount = mount_of(folder, root)
    if mount.kind in NO_MEDIUM:
        raise Refused(f"{folder}: found {mount.kind}, expected a file system on a medium")
    if "ro" in mount.options:
        text = "found a file system that is mounted read-only, expected one to write to"
        raise Refused(f"{folder}: {text}")
    is_far = mount.kind in NETWORK or mount.kind.startswith("fuse")
    disk = None if is_far else disk_of(mount, root)
    indirect = _indirect(mount, disk)
    if indirect and not any_medium:
        raise Refused(
            f"{folder}: found {indirect}, expected a medium of this computer"
            " (--any-medium measures it all the same, and the result says so)"
        )
    size = read_text(disk / "size") if disk else ""
    free, total = space(folder)
    return Target(
        folder=folder.resolve(), mount=mount, device=f"/dev/{disk.name}" if disk else "",
        indirect=indirect, flags=tuple(_flags(mount, disk)),
        size=int(size) * 512 if size.isdigit() else 0, free=free, total=total,
    )  # fmt: skip


def _indirect(mount: Mount, disk: Path | None) -> str:
    """Return why a mount is not the medium itself; empty where it is."""
    if mount.kind in NETWORK:
        return f"{mount.kind}, a file system of the network"
    if mount.kind.startswith("fuse"):
        return f"{mount.kind}, a file system in user space"
    if disk is None:
        return f"{mount.source} ({mount.kind}), which is no block device"
    if re.match(r"(loop|zram|ram|nbd|md|drbd)\d", disk.name):
        return f"/dev/{disk.name}, which is not a medium itself"
    if disk.name.startswith("dm-") and not _is_encrypted(disk):
        return f"/dev/{disk.name}, a device mapper's"
    return ""


def _is_encrypted(disk: Path) -> bool:
    return read_text(disk / "dm/uuid").startswith("CRYPT-")


def _flags(mount: Mount, disk: Path | None) -> Iterator[str]:
    if mount.point == "/":
        yield "the system runs from it: what the system does has a share in the figures"
    if mount.kind in ("btrfs", "f2fs") and any(o.startswith("compress") for o in mount.options):
        yield "the file system compresses: dd's zeros measure the compressor"
    if disk and _is_encrypted(disk):
        yield "the device is encrypted (dm-crypt): the processor has its share in the figures"


def disk_of(mount: Mount, root: Path = Path("/")) -> Path | None:
    """Return the folder in /sys of the whole disk that a mount lies on."""
    number = mount.number
    if number.startswith("0:"):  # btrfs numbers its volumes itself
        try:
            device = Path(mount.source).stat().st_rdev
        except OSError:
            return None
        number = f"{os.major(device)}:{os.minor(device)}"
    link = root / "sys/dev/block" / number
    if not link.exists():
        return None
    disk = link.resolve()
    return disk.parent if (disk / "partition").exists() else disk


def read_text(path: Path) -> str:
    """Return what a small file of the system says; empty where it is not there."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip().strip("\0")
    except (OSError, ValueError):
        return ""


def space(folder: Path) -> tuple[int, int]:
    """Return bytes that a user may write, and bytes in all; MediumLost where nobody answers."""
    if code := ask(lambda: os.statvfs(folder), folder, "its free space"):
        raise MediumLost(f"{folder}: found {os.strerror(code)}, expected its free space")
    status = os.statvfs(folder)
    if status.f_files and not status.f_favail:
        raise Refused(f"{folder}: found no free inode, expected room for a file")
    return status.f_bavail * status.f_frsize, status.f_blocks * status.f_frsize


def check_space(target: Target, needed: int) -> None:
    """Refuse a medium on which the largest file has no room, or would leave too little."""
    least = max(int(needed * SPARE), needed + int(target.total * LEAST_FREE))
    if target.free < least:
        raise Refused(
            f"{target.folder}: found {target.free / MIB:,.0f} MiB free, expected {least / MIB:,.0f}"
            f" (a file of {needed / MIB:,.0f} MiB, and room beside it)"
        )


def takes_direct(work: Path) -> bool:
    """Tell whether files in a folder can be opened past the page cache (O_DIRECT)."""
    probe = work / "probe"

    def open_direct() -> None:
        try:
            os.close(os.open(probe, os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600))
        finally:
            probe.unlink(missing_ok=True)

    code = ask(open_direct, work, "to open a file")
    if code not in (0, errno.EINVAL, errno.EOPNOTSUPP):
        raise Refused(f"{work}: found {os.strerror(code)}, expected to write a file there")
    return code == 0
