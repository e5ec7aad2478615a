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
from sdanalysis.bench.plan import Plan, Planned
from sdanalysis.bench.protocols import PACKAGES, PROTOCOLS, steps_of
from sdanalysis.bench.session import Request, Tell, look, run, would_lie_on
from sdanalysis.bench.steps import Ended
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
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="on the medium")
    text = "whose commands: " + ", ".join(PROTOCOLS) + " (default: geerling-2019); may be repeated"
    named = {"action": "append", "choices": list(PROTOCOLS), "metavar": "NAME", "help": text}
    parser.add_argument("--protocol", **named)
    text = "how often each step runs (default: 5; 10 tell random writes apart that differ by 10 %%)"
    parser.add_argument("--runs", type=_count, metavar="N", help=text)
    text = "folder of the session, not on the medium; an unfinished one is continued, as it began"
    parser.add_argument("-o", "--output", type=Path, metavar="SESSION", help=text)
    parser.add_argument("--label", metavar="TEXT", help="what stands on the card")
    text = "the computer, as in data/hosts.toml: pi-4b, ..."
    parser.add_argument("--host", metavar="HOST", help=text)
    text = "what the card sits in, as in data/hosts.toml: slot, usb, ..."
    parser.add_argument("--reader", metavar="READER", help=text)
    text = "say what would run and be written, and do nothing"
    parser.add_argument("--dry-run", action="store_true", help=text)
    text = "list the steps of the protocols and the tools that are missing here"
    parser.add_argument("--steps", action="store_true", help=text)
    text = "also on a network, in user space, on loop or mapped devices; the session says so"
    parser.add_argument("--any-medium", action="store_true", help=text)
    text = "where iozone is not to be had: the equivalent jobs of fio, which stay fio's"
    parser.add_argument("--with-fio-for-iozone", action="store_true", help=text)
    text = "of what is printed (default: text; json: an object a line)"
    parser.add_argument("--format", choices=("text", "json"), default="text", help=text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= 100):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number from 1 to 100")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command alone, without the rest of the package."""
    alone = Path(sys.argv[0]).name  # of the zipped file, which stands for the command
    parser = argparse.ArgumentParser(
        prog=f"python3 {alone}" if alone.endswith(".pyz") else PROGRAM,
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

    `program` is what the user calls, `figures` says in few words what a log holds, and `complete`
    is called with the folder of a session all of whose steps are done, and what tells of it.
    """
    try:
        if options.steps:
            return _list_steps(options)
        if options.folder is None:
            raise Ending("found no FOLDER, expected one on the medium (or --steps)")
        if options.dry_run:
            return _rehearse(options)
        return _run(options, program, figures, complete)
    except Ending as end:
        print(f"sdanalysis bench: {end}", file=sys.stderr)
        return end.code
    except Stopped as end:
        print("sdanalysis bench: stopped", file=sys.stderr)
        return end.code
    except OSError as error:
        name = error.filename or "the system"
        print(f"sdanalysis bench: {name}: found {error.strerror}", file=sys.stderr)
        return WRONG_INPUT


def _request(options: argparse.Namespace) -> Request:
    """Return what is asked for; what is not given is as the session began, if there is one."""
    session = options.output
    if session is None:
        session = _place(options.folder, f"bench-{time.strftime('%Y-%m-%d-%H%M%S')}")
    begun = Folder(session).about()
    given = {name: getattr(options, name) for name in ("label", "host", "reader")}
    return Request(
        folder=options.folder,
        protocols=list(
            dict.fromkeys(options.protocol or begun.get("protocols") or ["geerling-2019"])
        ),
        runs=options.runs or begun.get("runs") or 5,
        session=session.absolute(),
        any_medium=options.any_medium or begun.get("medium") == "indirect",
        given={name: begun.get(name, "") if text is None else text for name, text in given.items()},
        fio_for_iozone=options.with_fio_for_iozone,
    )


def _place(folder: Path, name: str) -> Path:
    """Return the place of a session that was given none: here, or in memory if that is it."""
    if not would_lie_on(folder, Path(name)):
        return Path(name)
    memory = Path(os.environ.get("XDG_RUNTIME_DIR") or "/dev/shm")
    return memory / name


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
        shown = [step.as_json() for step in made.steps]
        left_out = [vars(one) for one in made.left_out]
        print(json.dumps({"folder": str(target.folder), "device": target.device, "steps": shown,
                          "left_out": left_out, "written": made.written,
                          "seconds": made.seconds}))  # fmt: skip
        return 0
    _say(target, made, request)
    print("the commands of a run:")
    for command in words.to_paste(made, target.folder):
        print(f"  {command}")
    return 0


def _say(target: Target, made: Plan, request: Request) -> None:
    for line in (*words.of_target(target), *words.of_plan(made, request.protocols, request.runs)):
        _print(f"{line}\n")


def _run(
    options: argparse.Namespace,
    program: str,
    figures: Callable[[Path], str],
    complete: Callable[[Path, Tell], None],
) -> int:
    request = _request(options)
    told: Tell = _as_json if options.format == "json" else _Teller(figures)
    target, made = look(request)
    if options.format == "text":
        _say(target, made, request)
        _print(f"session: {request.session}{_lost_in_memory(request.session)}\n")
    try:
        code = run(request, target, told)
    except BaseException as end:
        if not isinstance(end, Refused) and Folder(request.session).exists():
            again = f"{program} {shlex.join([str(request.folder), '-o', str(request.session)])}"
            print(f"\nwhat was measured is kept; go on with: {again}", file=sys.stderr)
        raise
    if code == DONE:
        complete(request.session, told)
    return code


def _lost_in_memory(session: Path) -> str:
    place = str(session)
    in_memory = place.startswith(("/dev/shm/", "/run/"))
    return " (in memory: copy it before you switch off)" if in_memory else ""


def _as_json(event: str, **known: Any) -> None:
    shown = {name: _plain(value) for name, value in known.items()}
    _print(json.dumps({"event": event, **shown}) + "\n")


def _print(text: str) -> None:
    """Print; a session goes on when nobody reads it any more (`| head`, a terminal that closed)."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _plain(value: Any) -> Any:
    if isinstance(value, Planned):
        return value.as_json()
    if isinstance(value, Ended):
        return vars(value) | {"log": str(value.log)}
    return value


class _Teller:
    """Prints events as lines; on a terminal the line of the step that runs is drawn anew."""

    def __init__(self, figures: Callable[[Path], str]) -> None:
        self.terminal, self.figures = sys.stdout.isatty(), figures

    def __call__(self, event: str, **known: Any) -> None:
        """Print an event."""
        line = getattr(self, f"_{event.replace('-', '_')}", lambda **_: None)(**known)
        if line:
            _print(f"\r\x1b[K{line}\n" if self.terminal else f"{line}\n")

    def _left_over(self, path: str, removed: bool) -> str:
        return f"left over from a run that was cut: {path}{': removed' if removed else ''}"

    def _begin(self, session: str, steps: int, done: list[int]) -> str:
        return f"going on: {len(done)} of {steps} steps are done" if done else ""

    def _tick(self, step: Planned, of: int, passed: float, **known: Any) -> None:
        if self.terminal:
            line = words.progress(step, of, passed, **known)
            _print(f"\r\x1b[K{line}")

    def _end(self, step: Planned, of: int, ended: Ended, flags: list[str]) -> str:
        said = self.figures(ended.log) if ended.how == "done" else ""
        line = words.ended(step, of, ended.how, ended.seconds, said)
        notes = [f"      note: {flag}" for flag in flags]
        failed = [f"      {ended.log}"] if ended.how != "done" else []
        return "\n".join([line, *notes, *failed])

    def _ended(self, failed: dict[str, str]) -> str:
        names = ", ".join(f"{name} ({how})" for name, how in failed.items())
        return f"not all steps ended well: {names}; the same command runs them again"

    def _complete(self, steps: int) -> str:
        return "the one step is done" if steps == 1 else f"all {steps} steps are done"
