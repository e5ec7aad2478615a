"""The runner with a medium of the tests: any folder passes for an ext4 on a disk of its own.

MEDIUM names that folder. KILL_BEFORE=N and KILL_AFTER=N end the runner by SIGKILL around the N-th
event of its journal. LIMIT sets the seconds that a step may take. STUCK=1: no tool can be ended.
"""

import os
import signal
import sys
from pathlib import Path

from sdanalysis.bench import children, command, plan, session
from sdanalysis.bench.journal import Journal
from sdanalysis.bench.target import Mount, Target, space

MEDIUM = Path(os.environ["MEDIUM"]).resolve()


def mount_of(folder, root=None):
    inside = Path(os.path.realpath(folder)).is_relative_to(MEDIUM)
    number, point = ("179:2", str(MEDIUM)) if inside else ("8:1", "/")
    source = os.environ.get("SOURCE", "/dev/medium") if inside else "/dev/disk"
    return Mount(point=point, number=number, kind="ext4", source=source, options=("rw",))


def find(folder, *, any_medium=False):
    free, total = space(folder)
    size = int(os.environ.get("SIZE", "31914983424"))
    return Target(
        folder=folder.resolve(), mount=mount_of(folder), device="/dev/null", indirect="", flags=(),
        size=size, free=max(free, 10**10), total=min(total, 10**10),
    )  # fmt: skip


def killing(add):
    events = 0

    def counted(journal, event, **facts):
        nonlocal events
        events += 1
        if os.environ.get("KILL_BEFORE") == str(events):
            os.kill(os.getpid(), signal.SIGKILL)
        add(journal, event, **facts)
        if os.environ.get("KILL_AFTER") == str(events):
            os.kill(os.getpid(), signal.SIGKILL)

    return counted


session.mount_of, session.find = mount_of, find
session.disk_of = lambda mount: Path(mount.source)
session.space = lambda folder: (10**10, 10**10)
session.takes_direct = lambda work: os.environ.get("DIRECT") != "no"
Journal.add = killing(Journal.add)
if "LIMIT" in os.environ:
    plan.LEAST_LIMIT, plan.PATIENCE = float(os.environ["LIMIT"]), 0
if "STUCK" in os.environ:
    children.stop = lambda process, patience=0: bool(process.kill())
if __name__ == "__main__":
    sys.exit(command.main())
