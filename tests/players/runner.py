"""The runner with a medium of the tests.

MEDIUM names a folder that passes for an ext4 on a disk of its own. SMALL=1: files of 4 MiB for 100,
96 for 400. KILL_BEFORE=N and KILL_AFTER=N end the runner by SIGKILL around the N-th
event of its journal. LIMIT sets the seconds that a step may take. STUCK=1: no tool can be ended.
UNCHECKED=1: nobody asks how much is free.
"""

import dataclasses
import os
import signal
import sys
from pathlib import Path

from sdanalysis.bench import children, command, plan, session
from sdanalysis.bench.journal import Journal
from sdanalysis.bench.target import Mount, Target, space

MEDIUM = Path(os.environ.get("MEDIUM", "/nowhere")).resolve()


def mount_of(folder, root=None):
    inside = Path(os.path.realpath(folder)).is_relative_to(MEDIUM)
    number, point = ("179:2", str(MEDIUM)) if inside else ("8:1", "/")
    source = os.environ.get("SOURCE", "/dev/medium") if inside else "/dev/disk"
    return Mount(point=point, number=number, kind="ext4", source=source, options=("rw",))


def find(folder, *, any_medium=False):
    free, total = space(folder)
    size = int(os.environ.get("SIZE", "31914983424"))
    return Target(
        folder=folder.resolve(), mount=mount_of(folder), indirect="", flags=(),
        device=os.environ.get("DEVICE", "/dev/null"), size=size,
        free=max(free, 10**10), total=min(total, 10**10),
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


def small(step):
    text = " ".join(step.command).replace("100M", "4M").replace("50k", "12k")
    share = 12 / 50 if step.tool == "dd" else 4 / 100
    sizes = {"space": int(step.space * share), "written": int(step.written * share)}
    return dataclasses.replace(step, command=tuple(text.split()), **sizes)


if "MEDIUM" in os.environ:
    session.mount_of, session.find = mount_of, find
    session.disk_of = lambda mount: Path(mount.source)
    session.space = lambda folder: (10**10, 10**10)
    session.takes_direct = lambda work: os.environ.get("DIRECT") != "no"
if "SMALL" in os.environ:
    plan.FIO_FOR_IOZONE = small(plan.FIO_FOR_IOZONE)
    steps = {step.command: small(step) for step in (plan.HDPARM, plan.DD, plan.IOZONE)}
    plan.IOZONE = steps[plan.IOZONE.command]
    made = plan.PROTOCOLS["geerling-2019"]._replace(steps=tuple(steps.values()))
    plan.PROTOCOLS["geerling-2019"] = made
Journal.add = killing(Journal.add)
if "LIMIT" in os.environ:
    plan.LEAST_LIMIT, plan.PATIENCE = float(os.environ["LIMIT"]), 0
    children.GRACE = 0.3
if "UNCHECKED" in os.environ:
    session.check_space = lambda target, needed: None
if "STUCK" in os.environ:
    children.stop = lambda process: bool(process.kill())
if __name__ == "__main__":
    sys.exit(command.main())
