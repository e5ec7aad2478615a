"""What a session tells its user: the target, the plan, how far it is, what a tool said."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from sdanalysis.bench.plan import MB, PROTOCOLS, Plan, Planned
from sdanalysis.bench.target import Target

_RATE = re.compile(r"[0-9]+(?:[.,][0-9]+)? ?(?:[kKMG]i?B|MB)/s(?:ec)?\b")


def duration(seconds: float) -> str:
    """Return a time as people say it: `7 s`, `1 min 15 s`, `1 h 2 min`."""
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    if rounded < 3600:
        return f"{rounded // 60} min {rounded % 60} s" if rounded % 60 else f"{rounded // 60} min"
    minutes = round(rounded / 60)
    return f"{minutes // 60} h {minutes % 60} min"


def amount(count: float) -> str:
    """Return bytes as people say them, in powers of ten as cards are sold: `31.9 GB`."""
    return f"{count / MB / 1000:.1f} GB" if count >= 1000 * MB else f"{count / MB:.0f} MB"


def describe_target(target: Target) -> Iterator[str]:
    """Yield what the folder lies on."""
    device = target.device or target.mount.source
    size = f", {amount(target.size)}" if target.size else ""
    yield f"{target.folder} is {target.mount.kind} on {device}{size}, {amount(target.free)} free"
    if target.indirect:
        yield f"indirect: {target.indirect}"
    yield from (f"note: {flag}" for flag in target.flags)


def describe_plan(plan: Plan, protocols: Sequence[str], runs: int) -> Iterator[str]:
    """Yield how much is written, how long it takes, what is left out."""
    names, times = " and ".join(protocols), "1 run" if runs == 1 else f"{runs} runs"
    written, time = amount(plan.written), duration(plan.seconds)
    yield f"{names}, {times}: writes {written}, about {time} with a card of middling speed"
    yield from (f"{name}: comparable with {PROTOCOLS[name].comparable}" for name in protocols)
    for row in plan.left_out:
        yield f"left out: {row.tool}: {row.why}"
        if row.by_hand:
            yield f"  by hand, when the session has ended, and as often as you like:  {row.by_hand}"


def shell_commands(plan: Plan, folder: Path) -> Iterator[str]:
    """Yield the commands of one run as a shell takes them, with a file of a name of its own."""
    file = folder / "sdanalysis-bench-test"
    yield from (shlex.join(step.command(file)) for step in plan.steps if step.run == 1)
    if any("{file}" in word for step in plan.steps for word in step.arguments):
        yield shlex.join(["rm", str(file)])


def progress(
    step: Planned, of: int, passed: float, seconds: float, left: float, written: int | None
) -> str:
    """Return the line of a step that runs: its time, its bytes, and the time of all that is left.

    `seconds` are expected of the step and `left` of those behind it; both are guesses in the first
    run, and later what the first run took.
    """
    count = ""
    if written is not None and step.written:
        count = f", {amount(min(written, step.written))} of {amount(step.written)} written"
    rest = duration(max(seconds - passed, 0) + left)
    return (
        f"{_begin(step, of)} {duration(passed)} of about {duration(seconds)}{count}"
        f"; all done in about {rest}"
    )


def describe_end(step: Planned, of: int, how: str, seconds: float, figures: str) -> str:
    """Return the line of a step that ended."""
    what = figures if how == "done" else how.upper()
    return f"{_begin(step, of)} {duration(seconds):<12} {what}".rstrip()


def _begin(step: Planned, of: int) -> str:
    return f"{step.number:>2}/{of}  run {step.run}  {step.tool:<7}"


def last_rate(log: Path) -> str:
    """Return the last rate that a tool printed, as it printed it; empty where it printed none."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    rates = [match[0] for match in _RATE.finditer(text)]
    return rates[-1] if rates else ""
