"""A session from its beginning, or from where it was cut, to its end on every way out."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sdanalysis.bench import facts, steps, work
from sdanalysis.bench.children import SIGNALS, began
from sdanalysis.bench.endings import (
    DONE,
    STEP_FAILED,
    MediumLost,
    Refused,
    StepFailed,
    Stopped,
)
from sdanalysis.bench.folder import About, Folder, about
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
    made = plan(
        request.protocols, request.runs, target, request.session,
        fio_for_iozone=request.fio_for_iozone,
    )  # fmt: skip
    if made.steps:
        check_space(target, made.space)
    return target, made


def run(request: Request, target: Target, tell: Tell) -> int:
    """Run a session on what `look` found, or go on with it; return the exit code."""
    if would_lie_on(request.folder, request.session):
        text = f"found it on {target.device or target.mount.source}, which is measured"
        raise Refused(f"{request.session}: {text}: expected another medium (-o)")
    with _signals():
        _remove_left_over(target.folder, tell)
        direct = _probe(target, request.session)
        return _Session(request, target, direct, tell).run()


def would_lie_on(folder: Path, session: Path) -> bool:
    """Tell whether a session's folder lies, or would lie, on the medium that holds a folder."""
    place = session.absolute()
    while not place.is_dir():
        place = place.parent
    here, there = mount_of(place), mount_of(folder)
    return here.number == there.number or (disk_of(here) or "here") == disk_of(there)


@contextmanager
def _signals() -> Iterator[None]:
    """Turn signals into an exception, so that every way out cleans up."""

    def stop(number: int, _: object) -> None:
        for each in SIGNALS:  # the end is on its way: a second Ctrl-C must not cut it short
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _remove_left_over(folder: Path, tell: Tell) -> None:
    for left, owner in work.left_over(folder):
        if work.is_at_work(owner):
            text = f"found another session at work ({owner['session']}, process {owner['pid']})"
            raise Refused(f"{folder}: {text}, expected one at a time")
        gone = work.remove(left)
        tell("left-over", path=str(left), removed=gone)
        if not gone:
            raise MediumLost(f"{left}: {_STAYS}")


def _probe(target: Target, session: Path) -> bool:
    """Tell whether files can be opened with O_DIRECT where they will be made."""
    place = work.create(target.folder, session)
    try:
        return takes_direct(place)
    finally:
        work.remove(place)


class _Session:
    """A session at work."""

    def __init__(self, request: Request, target: Target, direct: bool, tell: Tell) -> None:
        self.request, self.target, self.tell = request, target, tell
        self.plan = plan(
            request.protocols, request.runs, target, request.session,
            direct=direct, fio_for_iozone=request.fio_for_iozone,
        )  # fmt: skip
        self.folder = Folder(request.session)
        self.known = {
            "card": facts.card(target),
            "host": facts.host(),
            "mount": facts.mount(target),
        }

    def about(self, tools: set[str]) -> About:
        """Return what the session is about, with the versions of these tools."""
        request = self.request
        return about(
            self.target, self.known["card"], self.known["host"], tools,
            protocols=request.protocols, runs=request.runs, given=request.given,
        )  # fmt: skip

    def run(self) -> int:
        """Run what is not done yet."""
        if self.folder.exists():
            planned = self.folder.stored_steps()
            self.folder.go_on(self.about({step.tool for step in planned}))
        else:
            planned = list(self.plan.steps)
            if not planned:
                reasons = "; ".join(f"{one.tool}: {one.why}" for one in self.plan.left_out)
                raise Refused(f"found no step that can run here ({reasons}), expected one")
            about = self.about({step.tool for step in planned})
            self.folder.begin(about, self.plan, self.known)
        done = self.folder.finished()
        self._wait_for_none()
        self.folder.journal.add("begin", pid=os.getpid(), began=began(os.getpid()), done=len(done))
        self.tell("begin", session=str(self.folder.path), steps=len(planned), done=sorted(done))
        return self._run_all(planned, done)

    def _wait_for_none(self) -> None:
        """Refuse to begin while a tool that an earlier run started still works on the medium."""
        for event in self.folder.journal.events():
            if event["event"] == "start" and began(event["pid"]) == event["began"] is not None:
                text = f"found a tool of an earlier run at work (process {event['pid']})"
                raise Refused(f"{self.folder.path}: {text}, expected its end")

    def _run_all(self, planned: list[Planned], done: dict[int, float]) -> int:
        failed: dict[str, str] = {}
        try:
            for step in planned:
                if step.number in done:
                    self.tell("before", step=step, of=len(planned), seconds=done[step.number])
                    continue
                ended = self._run_step(step, planned, done)
                if ended.how != "done":
                    failed[step.name] = ended.how
        except BaseException as end:
            code = getattr(end, "code", 1)
            self.folder.journal.add("stopped", why=str(end) or type(end).__name__, code=code)
            raise
        if failed:
            self.folder.journal.add("ended", failed=failed)
            self.tell("ended", failed=failed)
            return STEP_FAILED
        self.folder.complete(len(planned))
        self.folder.journal.add("complete", steps=len(planned))
        self.tell("complete", steps=len(planned))
        return DONE

    def _run_step(
        self, step: Planned, planned: list[Planned], done: dict[int, float]
    ) -> steps.Ended:
        self._check_medium(step)
        before = self._conditions("before", step)
        place = work.create(self.target.folder, self.folder.path)
        hung = False
        try:
            ended = self._at_work(step, place, planned, done, before.written)
            hung = ended.how == "hung"
        finally:
            gone = not hung and work.remove(place)
        self._tell_end(step, len(planned), ended, before, self._conditions("after", step))
        if hung:
            raise MediumLost(
                f"{step.name}: found a tool that hangs in the kernel: nothing more is tried"
            )
        if not gone:
            raise MediumLost(f"{place}: {_STAYS}")
        if ended.how == "done":
            done[step.number] = ended.seconds
        return ended

    def _at_work(
        self, step: Planned, place: Path, planned: list[Planned], done: dict[int, float],
        written: int | None,
    ) -> steps.Ended:  # fmt: skip
        """Run a step in a folder of its own, and tell how far it is."""
        rest = [one for one in planned if one.number > step.number]
        expected, later = (
            sum(self._expected(one, planned, done) for one in some) for some in ([step], rest)
        )
        return steps.run(
            step, place, self.folder.logs,
            started=lambda pid: self.folder.journal.add(
                "start", step=step.number, pid=pid, began=began(pid), work=str(place)
            ),
            tick=lambda passed: self.tell(
                "tick", step=step, of=len(planned), passed=passed, seconds=expected, left=later,
                written=_since(written, facts.written(self.target)),
            ),
        )  # fmt: skip

    def _conditions(self, when: str, step: Planned) -> facts.Conditions:
        now = facts.conditions(self.target)
        self.folder.keep(f"{when}-{step.number:02d}", now)
        return now

    def _check_medium(self, step: Planned) -> None:
        """Check before a step that the medium is still there, and has room for its file."""
        mount, before = mount_of(self.target.folder), self.target.mount
        if (mount.number, mount.source) != (before.number, before.source):
            text = f"found {mount.source} there, expected {before.source}"
            raise MediumLost(f"{self.target.folder}: {text}: the medium is gone")
        free, total = space(self.target.folder)
        try:
            check_space(replace(self.target, free=free, total=total), step.space)
        except Refused as full:
            raise StepFailed(str(full)) from full

    def _expected(self, step: Planned, planned: list[Planned], done: dict[int, float]) -> float:
        """Return the seconds that a step is likely to take: those of the last one like it."""
        alike = [one.number for one in planned if one.arguments == step.arguments]
        known = [done[number] for number in alike if number in done]
        return known[-1] if known else step.seconds

    def _tell_end(
        self, step: Planned, of: int, ended: steps.Ended,
        before: facts.Conditions, after: facts.Conditions,
    ) -> None:  # fmt: skip
        flags = facts.changes(before, after, step.written)
        self.folder.journal.add(
            ended.how, step=step.number, run=step.run, tool=step.tool, exit=ended.exit,
            seconds=ended.seconds, log=ended.log.name, flags=flags,
            written=_since(before.written, after.written),
        )  # fmt: skip
        self.tell("end", step=step, of=of, ended=ended, flags=flags)


def _since(before: int | None, now: int | None) -> int | None:
    return None if before is None or now is None else now - before
