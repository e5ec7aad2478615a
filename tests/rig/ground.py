"""A medium of known speed to test the runner on: the best that this machine has.

`loop`: as root, a loop device in memory, whose speed the kernel limits (cgroup v1, blkio).
`preload`: with a C compiler, a folder whose reads and writes a library slows down (slow.c).
`players`: tools that print recorded output. The first two are limits that the tools cannot exceed,
and load only makes slower: the best of three runs is held against them.
"""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
MEMORY = 1 << 29  # bytes in /dev/shm that the image of a medium may come to
BLKIO = Path("/sys/fs/cgroup/blkio")
IOPS = {"write": 400, "read": 600}  # of 4 KiB
WRITE_BPS, READ_BPS = 20_971_520, 44_040_192


def grounds():
    """Return the grounds that this machine has, the best first."""
    loop = os.geteuid() == 0 and _can_loop()
    return [name for name, has in (("loop", loop), ("preload", compiler())) if has] + ["players"]


def chosen():
    """Return the media to measure on: the best one there is, or with EVERY_GROUND each."""
    media = [name for name in grounds() if name != "players"]
    return media if os.environ.get("EVERY_GROUND") else media[:1]


def compiler():
    return shutil.which("cc") or shutil.which("gcc")


@cache
def _can_loop():
    if not all(map(shutil.which, ("losetup", "mkfs.ext4", "mount", "umount", "fsfreeze"))):
        return False
    if not os.access(BLKIO / "blkio.throttle.write_bps_device", os.W_OK):
        return False
    if shutil.disk_usage("/dev/shm").free < MEMORY:
        return False
    try:
        with loop():
            return True
    except (OSError, subprocess.CalledProcessError):
        return False


def _call(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def loop(size="700M"):
    """Give the mount point of an ext4 on a loop device in memory, and its number."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(tempfile.mkstemp(dir="/dev/shm", prefix="medium-")[1])
        try:
            os.truncate(image, int(size[:-1]) << 20)
            device = _call("losetup", "--find", "--show", "--direct-io=on", str(image))
            try:
                _call("mkfs.ext4", "-q", "-F", device)
                _call("mount", device, folder)
                try:
                    yield Path(folder), device
                finally:
                    _call("umount", folder)
            finally:
                _call("losetup", "--detach", device)
        finally:
            image.unlink()


@contextmanager
def limited(device, **limits):
    """Limit a device: read_bps, write_bps, read_iops, write_iops; 0 is none."""
    number = _number(device)
    try:
        for kind, limit in limits.items():
            (BLKIO / f"blkio.throttle.{kind}_device").write_text(f"{number} {limit}")
        yield
    finally:
        for kind in limits:
            (BLKIO / f"blkio.throttle.{kind}_device").write_text(f"{number} 0")


def _number(device):
    found = Path(device).stat().st_rdev
    return f"{os.major(found)}:{os.minor(found)}"


@contextmanager
def medium(name, folder, kind):
    """Give a folder on a medium of known speed, and the environment of what runs on it.

    `kind` is `small`: so many operations a second; or `large`: so many bytes.
    """
    if name == "loop":
        with loop() as (mounted, device):
            limits = {"write_iops": IOPS["write"], "read_iops": IOPS["read"]}
            if kind == "large":
                limits = {"write_bps": WRITE_BPS, "read_bps": READ_BPS}
            with limited(device, **limits):
                yield mounted, {}
        return
    slowed = folder / "medium"
    slowed.mkdir()
    limits = {"SLOW_WRITE_IOPS": IOPS["write"], "SLOW_READ_IOPS": IOPS["read"]}
    if kind == "large":
        limits = {"SLOW_WRITE_BPS": WRITE_BPS, "SLOW_READ_BPS": READ_BPS}
    environment = {name: str(limit) for name, limit in limits.items()}
    environment |= {"LD_PRELOAD": str(preload(folder)), "SLOW_UNDER": str(slowed)}
    yield slowed, environment | {"MEDIUM": str(slowed), "DEVICE": ""}


def preload(folder):
    """Compile the library that slows a medium down; return its path."""
    library = folder / "slow.so"
    source = str(HERE / "slow.c")
    _call(compiler(), "-shared", "-fPIC", "-O1", "-o", str(library), source, "-ldl")
    return library
