"""A session from its beginning, or from where it was cut, to its end on every way out."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sdanalysis.bench import facts, step
from sdanalysis.bench.children import SIGNALS, began
from sdanalysis.bench.endings import DONE, STEP_FAILED, MediumLost, Refused, StepFailed, Stopped
from sdanalysis.bench.folder import Folder, about
from sdanalysis.bench.plan import Plan, Planned, plan
from sdanalysis.bench.target import (
    Target,
    check_space,
    disk_of,
    find,
    mount_of,
    space,
    takes_direct,
)

_STAYS = "found that it cannot be removed, expected a medium that works"
Tell = Callable[..., None]  # (event, **facts)


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a user asks for."""

    folder: Path
    protocols: list[str]
    runs: int
    session: Path
    given: dict[str, str] = field(default_factory=dict)  # label, host, reader
    any_medium: bool = False
    fio_for_iozone: bool = False


def look(request: Request) -> tuple[Target, Plan]:
    """Return target and plan, writing nothing: that O_DIRECT is taken shows only when it runs."""
    target = find(request.folder, any_medium=request.any_medium)
    made = _plan(request, target, direct=True)
    if made.steps:
        check_space(target, made.space)
    return target, made


def _plan(request: Request, target: Target, *, direct: bool) -> Plan:
    return plan(
        request.protocols, request.runs, target, request.session,
        direct=direct, fio_for_iozone=request.fio_for_iozone,
    )  # fmt: skip


def run(request: Request, target: Target, tell: Tell) -> int:
    """Run a session on what `look` found, or go on with it; return the exit code."""
    if would_lie_on(request.folder, request.session):
        text = f"found it on {target.device or target.mount.source}, which is measured"
        raise Refused(f"{request.session}: {text}: expected another medium (-o)")
    with _signals():
        _remove_left_over(target.folder, tell)
        place = step.create(target.folder, request.session)
        try:
            direct = takes_direct(place)
        finally:
            step.remove(place)
        return _Session(request, target, _plan(request, target, direct=direct), tell).run()


def would_lie_on(folder: Path, session: Path) -> bool:
    """Tell whether a session's folder lies, or would lie, on the medium that holds a folder."""
    place = session.absolute()
    while not place.is_dir():
        place = place.parent
    mount, target = mount_of(place), mount_of(folder)
    return mount.number == target.number or (disk_of(mount) or "here") == disk_of(target)


@contextmanager
def _signals() -> Iterator[None]:
    """Turn signals into an exception, so that every way out cleans up."""

    def stop(number: int, _: object) -> None:
        for sign in SIGNALS:  # the end is on its way: a second Ctrl-C must not cut it short
            signal.signal(sign, signal.SIG_IGN)
        raise Stopped(number)

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _remove_left_over(folder: Path, tell: Tell) -> None:
    for work, owner in step.leftovers(folder):
        if step.is_at_work(owner):
            text = f"found another session at work ({owner['session']}, process {owner['pid']})"
            raise Refused(f"{folder}: {text}, expected one at a time")
        gone = step.remove(work)
        tell("left-over", path=str(work), removed=gone)
        if not gone:
            raise MediumLost(f"{work}: {_STAYS}")


class _Session:
    """A session at work: `planned` are its steps, `done` the seconds of those that are done."""

    def __init__(self, request: Request, target: Target, made: Plan, tell: Tell) -> None:
        self.request, self.target, self.tell = request, target, tell
        self.folder = Folder(request.session)
        self.planned, self.done = self._begin(made), self.folder.finished()

    def _begin(self, made: Plan) -> list[Planned]:
        """Lay the session down, or take it up as it was planned; return its steps."""
        is_new = not self.folder.exists()
        planned = list(made.steps) if is_new else self.folder.stored_steps()
        if not planned:
            reasons = "; ".join(f"{reason.tool}: {reason.why}" for reason in made.left_out)
            raise Refused(f"found no step that can run here ({reasons}), expected one")
        known = {
            "card": facts.card(self.target),
            "host": facts.host(),
            "mount": facts.mount(self.target),
        }
        now = about(
            self.target, known["card"], known["host"], {entry.tool for entry in planned},
            protocols=self.request.protocols, runs=self.request.runs, given=self.request.given,
        )  # fmt: skip
        if is_new:
            self.folder.begin(now, made, known)
        else:
            self.folder.go_on(now)
        return planned

    def run(self) -> int:
        """Run what is not done yet."""
        journal, done, pid = self.folder.journal, self.done, os.getpid()
        for event in journal.events():
            if event["event"] == "start" and began(event["pid"]) == event["began"] is not None:
                text = f"found a tool of an earlier run at work (process {event['pid']})"
                raise Refused(f"{self.folder.path}: {text}, expected its end")
        journal.add("begin", pid=pid, began=began(pid), done=len(done))
        steps = len(self.planned)
        self.tell("begin", session=str(self.folder.path), steps=steps, done=sorted(done))
        try:
            failed = dict(self._run_all())
        except BaseException as end:
            code = getattr(end, "code", 1)
            journal.add("stopped", why=str(end) or type(end).__name__, code=code)
            raise
        if failed:
            journal.add("ended", failed=failed)
            self.tell("ended", failed=failed)
            return STEP_FAILED
        self.folder.complete(steps)
        journal.add("complete", steps=steps)
        self.tell("complete", steps=steps)
        return DONE

    def _run_all(self) -> Iterator[tuple[str, str]]:
        """Run the steps that are not done; yield name and end of those that did not end well."""
        for planned in self.planned:
            if planned.number in self.done:
                seconds = self.done[planned.number]
                self.tell("before", step=planned, of=len(self.planned), seconds=seconds)
            elif (how := self._run_step(planned)) != "done":
                yield planned.name, how

    def _run_step(self, planned: Planned) -> str:
        self._check_medium(planned)
        before = self._conditions("before", planned)
        place = step.create(self.target.folder, self.folder.path)
        hung = False
        try:
            ended = self._execute(planned, place, before.written)
            hung = ended.how == "hung"
        finally:
            gone = not hung and step.remove(place)
        after = self._conditions("after", planned)
        flags = facts.changes(before, after, planned.written)
        self.folder.journal.add(
            ended.how, step=planned.number, run=planned.run, tool=planned.tool, exit=ended.exit,
            seconds=ended.seconds, log=ended.log.name, flags=flags,
            written=_difference(before.written, after.written),
        )  # fmt: skip
        self.tell("end", step=planned, of=len(self.planned), ended=ended, flags=flags)
        if hung:
            text = "found a tool that hangs in the kernel: nothing more is tried"
            raise MediumLost(f"{planned.name}: {text}")
        if not gone:
            raise MediumLost(f"{place}: {_STAYS}")
        if ended.how == "done":
            self.done[planned.number] = ended.seconds
        return ended.how

    def _execute(self, planned: Planned, place: Path, written: int | None) -> step.Outcome:
        """Run a step in a folder of its own, and tell how far it is."""
        seconds = self._expected(planned)
        left = sum(self._expected(entry) for entry in self.planned if entry.number > planned.number)
        return step.run(
            planned, place, self.folder.logs,
            started=lambda pid: self.folder.journal.add(
                "start", step=planned.number, pid=pid, began=began(pid), work=str(place)
            ),
            tick=lambda passed: self.tell(
                "tick", step=planned, of=len(self.planned), passed=passed, seconds=seconds,
                left=left, written=_difference(written, facts.count_written(self.target)),
            ),
        )  # fmt: skip

    def _conditions(self, when: str, planned: Planned) -> facts.Conditions:
        now = facts.conditions(self.target)
        self.folder.keep(f"{when}-{planned.number:02d}", now)
        return now

    def _check_medium(self, planned: Planned) -> None:
        """Check before a step that the medium is still there, and has room for its file."""
        mount, before = mount_of(self.target.folder), self.target.mount
        if (mount.number, mount.source) != (before.number, before.source):
            text = f"found {mount.source} there, expected {before.source}"
            raise MediumLost(f"{self.target.folder}: {text}: the medium is gone")
        free, total = space(self.target.folder)
        try:
            check_space(replace(self.target, free=free, total=total), planned.space)
        except Refused as full:
            raise StepFailed(str(full)) from full

    def _expected(self, planned: Planned) -> float:
        """Return the seconds that a step is likely to take: those of the last one like it."""
        alike = [entry.number for entry in self.planned if entry.arguments == planned.arguments]
        known = [self.done[number] for number in alike if number in self.done]
        return known[-1] if known else planned.seconds


def _difference(before: int | None, now: int | None) -> int | None:
    return None if before is None or now is None else now - before
