"""The command line: what is asked for, what is printed, the exit code."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sdanalysis.bench import words
from sdanalysis.bench.endings import DONE, WRONG_INPUT, Ending, Refused, Stopped
from sdanalysis.bench.folder import Folder
from sdanalysis.bench.plan import PACKAGES, PROTOCOLS, Plan, Planned, steps_of
from sdanalysis.bench.session import Request, Tell, look, run, would_lie_on
from sdanalysis.bench.step import Outcome
from sdanalysis.bench.target import Target

PROGRAM = "sdanalysis bench"
SUMMARY = "Run the sources' own benchmarks on the medium that holds a folder."
EPILOG = """\
Only a new folder is written below FOLDER; it is removed at every end. The medium is written to, and
wears a little: --dry-run says how much. Nothing runs with sudo: what needs root is printed as a
command to run by hand. The session's logs are read by `sdanalysis parse`, `mine` and `compare`.
exit code: 0 all steps, 1 wrong input, 2 wrong usage, or refused, 3 a step failed, 4 the medium
hangs or is gone, 130 interrupted, 143 terminated; the same command with -o goes on
examples:
  sdanalysis bench /media/pi/card --dry-run
  sdanalysis bench /media/pi/card --label "SanDisk Extreme 32 GB" -o extreme
  sdanalysis bench ~ --protocol a1 --protocol geerling-2019 --runs 3
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser what a session can be asked for."""
    protocols, formats = tuple(PROTOCOLS), ("text", "json")
    names = ", ".join(protocols)
    flag: dict[str, Any] = {"action": "store_true"}
    for option, text, settings in (
        ("folder", "on the medium", {"nargs": "?", "type": Path, "metavar": "FOLDER"}),
        ("--protocol", f"whose commands: {names} (default: geerling-2019); may be repeated",
         {"action": "append", "choices": protocols, "metavar": "NAME"}),
        ("--runs", "how often each step runs (default: 5; 10 tell random writes apart that differ "
         "by 10 %%)", {"type": _count, "metavar": "N"}),
        ("-o/--output", "folder of the session, not on the medium; an unfinished one is continued, "
         "as it began", {"type": Path, "metavar": "SESSION"}),
        ("--label", "what stands on the card", {"metavar": "TEXT"}),
        ("--host", "the computer, as in data/hosts.toml: pi-4b, ...", {"metavar": "HOST"}),
        ("--reader", "what the card sits in, as in data/hosts.toml: slot, usb, ...",
         {"metavar": "READER"}),
        ("--dry-run", "say what would run and be written, and do nothing", flag),
        ("--steps", "list the steps of the protocols and the tools that are missing here", flag),
        ("--any-medium", "also on a network, in user space, on loop or mapped devices; the session "
         "says so", flag),
        ("--with-fio-for-iozone", "where iozone is not to be had: the equivalent jobs of fio, "
         "which stay fio's", flag),
        ("--format", "of what is printed (default: text; json: an object a line)",
         {"choices": formats, "default": "text"}),
    ):  # fmt: skip
        parser.add_argument(*option.split("/"), help=text, **settings)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= 100):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number from 1 to 100")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command alone, without the rest of the package."""
    name = Path(sys.argv[0]).name  # of the zipped file, which stands for the command
    parser = argparse.ArgumentParser(
        prog=f"python3 {name}" if name.endswith(".pyz") else PROGRAM,
        description=SUMMARY, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_arguments(parser)
    return execute(parser.parse_args(arguments), program=parser.prog)


def execute(
    options: argparse.Namespace,
    *,
    program: str = PROGRAM,
    figures: Callable[[Path], str] = words.last_rate,
    complete: Callable[[Path, Tell], None] = lambda session, tell: None,
) -> int:
    """Do what the options ask for; return the exit code.

    The user calls `program`; `figures` says in few words what a log holds. When all steps are done,
    `complete` gets the session's folder and the function that prints events.
    """
    try:
        if options.steps:
            return _list_steps(options)
        if options.folder is None:
            raise Ending("found no FOLDER, expected one on the medium (or --steps)")
        if options.dry_run:
            return _rehearse(options)
        return _run(options, program, figures, complete)
    except (Ending, Stopped) as end:
        text = "stopped" if isinstance(end, Stopped) else end
        print(f"sdanalysis bench: {text}", file=sys.stderr)
        return end.code
    except OSError as error:
        name = error.filename or "the system"
        print(f"sdanalysis bench: {name}: found {error.strerror}", file=sys.stderr)
        return WRONG_INPUT


def _request(options: argparse.Namespace) -> Request:
    """Return what is asked for; what is not given is as the session began, if there is one."""
    session = options.output
    if session is None:
        session = Path(f"bench-{time.strftime('%Y-%m-%d-%H%M%S')}")
        if would_lie_on(options.folder, session):  # then in memory
            session = Path(os.environ.get("XDG_RUNTIME_DIR") or "/dev/shm") / session
    about = Folder(session).about()
    given = {name: getattr(options, name) for name in ("label", "host", "reader")}
    protocols = options.protocol or about.get("protocols") or ["geerling-2019"]
    return Request(
        folder=options.folder,
        protocols=list(dict.fromkeys(protocols)),
        runs=options.runs or about.get("runs") or 5,
        session=session.absolute(),
        any_medium=options.any_medium or about.get("medium") == "indirect",
        given={name: about.get(name, "") if text is None else text for name, text in given.items()},
        fio_for_iozone=options.with_fio_for_iozone,
    )


def _list_steps(options: argparse.Namespace) -> int:
    for name in dict.fromkeys(options.protocol or PROTOCOLS):
        print(f"{name}: comparable with {PROTOCOLS[name].comparable}")
        for _, step in steps_of([name], fio_for_iozone=options.with_fio_for_iozone):
            print(f"  {' '.join(step.command)}")
            if shutil.which(step.tool) is None:
                print(f"    missing: {step.tool}, package {PACKAGES[step.tool]}")
    return 0


def _rehearse(options: argparse.Namespace) -> int:
    request = _request(options)
    target, made = look(request)
    if options.format == "json":
        steps = [step.as_json() for step in made.steps]
        left_out = [vars(reason) for reason in made.left_out]
        print(json.dumps({"folder": str(target.folder), "device": target.device, "steps": steps,
                          "left_out": left_out, "written": made.written,
                          "seconds": made.seconds}))  # fmt: skip
        return 0
    _print_plan(target, made, request)
    print("the commands of a run:")
    for command in words.shell_commands(made, target.folder):
        print(f"  {command}")
    return 0


def _print_plan(target: Target, made: Plan, request: Request) -> None:
    for line in (
        *words.describe_target(target),
        *words.describe_plan(made, request.protocols, request.runs),
    ):
        _print(f"{line}\n")


def _run(
    options: argparse.Namespace, program: str, figures: Callable[[Path], str],
    complete: Callable[[Path, Tell], None],
) -> int:  # fmt: skip
    request = _request(options)
    tell: Tell = _print_json if options.format == "json" else _Teller(figures)
    target, made = look(request)
    if options.format == "text":
        _print_plan(target, made, request)
        in_memory = str(request.session).startswith(("/dev/shm/", "/run/"))
        note = " (in memory: copy it before you switch off)" if in_memory else ""
        _print(f"session: {request.session}{note}\n")
    try:
        code = run(request, target, tell)
    except BaseException as end:
        if not isinstance(end, Refused) and Folder(request.session).exists():
            again = f"{program} {shlex.join([str(request.folder), '-o', str(request.session)])}"
            print(f"\nwhat was measured is kept; go on with: {again}", file=sys.stderr)
        raise
    if code == DONE:
        complete(request.session, tell)
    return code


def _print(text: str) -> None:
    """Print; a session goes on when nobody reads it any more (`| head`, a terminal that closed)."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_json(event: str, **details: Any) -> None:
    for name, value in details.items():
        if isinstance(value, Planned):
            details[name] = value.as_json()
        elif isinstance(value, Outcome):
            details[name] = vars(value) | {"log": str(value.log)}
    _print(json.dumps({"event": event, **details}) + "\n")


class _Teller:
    """Prints events as lines; on a terminal the line of the step that runs is drawn anew."""

    def __init__(self, figures: Callable[[Path], str]) -> None:
        self.terminal, self.figures = sys.stdout.isatty(), figures

    def __call__(self, event: str, **known: Any) -> None:
        """Print an event."""
        if event == "tick":
            if self.terminal:
                _print(f"\r\x1b[K{words.progress(**known)}")
        elif line := self._line(event, **known):
            _print(f"\r\x1b[K{line}\n" if self.terminal else f"{line}\n")

    def _line(self, event: str, **known: Any) -> str:
        match event:
            case "left-over":
                removed = ": removed" if known["removed"] else ""
                return f"left over from a run that was cut: {known['path']}{removed}"
            case "begin" if known["done"]:
                return f"going on: {len(known['done'])} of {known['steps']} steps are done"
            case "end":
                return self._end(**known)
            case "ended":
                names = ", ".join(f"{name} ({how})" for name, how in known["failed"].items())
                return f"not all steps ended well: {names}; the same command runs them again"
            case "complete":
                steps = known["steps"]
                return "the one step is done" if steps == 1 else f"all {steps} steps are done"
        return ""

    def _end(self, step: Planned, of: int, ended: Outcome, flags: list[str]) -> str:
        is_done = ended.how == "done"
        figures = self.figures(ended.log) if is_done else ""
        line = words.describe_end(step, of, ended.how, ended.seconds, figures)
        notes = [f"      note: {flag}" for flag in flags]
        return "\n".join([line, *notes, *([] if is_done else [f"      {ended.log}"])])
