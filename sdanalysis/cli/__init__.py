"""The commands: the only place that prints and that decides about exit codes.

0: done. 1: something is wrong with the input, an output could not be written, or a notebook failed.
2: wrong usage. 130: interrupted. Whatever happens is said in one line, never with a traceback; that
nobody reads the output any more (`| head`) is 1 without a word.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any

from sdanalysis import __version__
from sdanalysis.cli.options import add_command
from sdanalysis.errors import SdAnalysisError, UsageError, suggestion

COMMANDS = (
    *("bench", "parse", "archive", "mine", "compare", "cards"),
    *("new-source", "build", "check", "explain", "report"),
)
# What may happen to any command: by the system, by what is read, by the user.
_ENDS = (SdAnalysisError, OSError, UnicodeError, MemoryError, RecursionError, KeyboardInterrupt)
_WORDS = {
    KeyboardInterrupt: "interrupted",
    MemoryError: "found no memory left, expected less to read at once (--max-bytes limits a log)",
    RecursionError: "found something that is nested too deeply, expected a benchmark's output",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    _prepare_streams()
    given = sys.argv[1:] if arguments is None else arguments
    # to import the other commands would cost a small log a third of its time
    named = [name for name in given[:1] if name in COMMANDS]
    # for matrices of these sizes further threads only wait, on a busy computer for minutes
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        try:
            options = _parsed(_parser(named or COMMANDS), given)
            return options.run(options)
        finally:
            sys.stdout.flush()  # here, for at the exit of Python it would be too late for a word
    except BrokenPipeError:  # `| head` has read enough
        _drop_streams()
        return 1
    except _ENDS as error:
        _drop_streams()
        with suppress(OSError):  # standard error is full or gone
            text = f"{' '.join(['sdanalysis', *named])}: {_in_words(error)}"
            print(text, file=sys.stderr, flush=True)
        interrupted = isinstance(error, KeyboardInterrupt)
        return 130 if interrupted else 2 if isinstance(error, UsageError) else 1


def _in_words(error: BaseException) -> str:
    """Return an error in one line: what was found, what was expected."""
    for kind, text in _WORDS.items():
        if isinstance(error, kind):
            return text
    if isinstance(error, OSError):
        name = "standard output" if error.filename is None else error.filename
        return f"{name}: found {error.strerror or error}, expected to read or write it"
    return str(error)


# --- the parser ----------------------------------------------------------------------------------


class _Printed(argparse.Action):
    """What is made from the parser of all commands, and printed in place of running one."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: object, values: Any, *_: object
    ) -> None:
        """Print it and end."""
        from sdanalysis.cli import manual

        shell = self.dest == "print_completion"
        text = manual.completion(parser, values) if shell else manual.page(parser, __version__)
        sys.stdout.write(text)
        parser.exit()


class _Parser(argparse.ArgumentParser):
    """A parser that suggests the command, or the value of an option, that may be meant."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += suggestion(value, action.choices or ())
            raise


def _parsed(parser: argparse.ArgumentParser, given: Sequence[str]) -> argparse.Namespace:
    """Return the options that are given; an unknown one ends with the one that may be meant."""
    options, others = parser.parse_known_args(given)
    if others:
        from sdanalysis.cli import manual

        command = manual.commands(parser)[options.command]
        known = [name for action in command._actions for name in action.option_strings]
        parser.error(f"unrecognized arguments: {' '.join(others)}{suggestion(others[0], known)}")
    return options


def _parser(names: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="sdanalysis",
        description="Storage benchmarks of small computers as one tidy table with provenance.",
        epilog="`sdanalysis COMMAND --help` says more about a command.",
    )
    parser.add_argument("--version", action="version", version=f"sdanalysis {__version__}")
    text = "print the script that completes commands and options in a shell, and end"
    shells = {"choices": ("bash", "zsh", "fish"), "help": text}
    parser.add_argument("--print-completion", action=_Printed, **shells)
    text = "print the manual page, for `man -l -`, and end"
    parser.add_argument("--man", action=_Printed, nargs=0, help=text)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in names:
        if name == "bench":
            import_module(f"{__name__}.bench").add(commands)
        else:
            add_command(commands, name, partial(_run, name))
    return parser


def _run(name: str, options: argparse.Namespace) -> int:
    """Run a command, whose module nobody else needs."""
    return import_module(f"{__name__}.{name.replace('-', '_')}").run(options)


# --- the standard streams: what a shell may have closed or filled --------------------------------


def _prepare_streams() -> None:
    """Let each stream take any text, and stand in for those that are closed.

    Reading a closed input and writing to a closed output fail with an error. Messages to a closed
    standard error are lost: Python would print them among the results. Each number is taken, lest a
    file that is opened later gets it.
    """
    modes = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)
    for number, (name, mode) in enumerate(zip(("stdin", "stdout", "stderr"), modes, strict=True)):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                opened = os.open(os.devnull, mode)
                if opened == number:
                    os.set_inheritable(number, True)  # the kernel of a notebook needs it, too
                else:
                    os.dup2(opened, number)
                    os.close(opened)
            text = os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False)
            setattr(sys, name, text)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_streams() -> None:
    """Forget what no stream took: at its end Python would try again, and report it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with suppress(OSError):  # a stream of a test has no number
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
                stream.flush()
