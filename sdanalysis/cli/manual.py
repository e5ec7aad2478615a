"""The parser of the command line -> a manual page, and completion for a shell."""

import argparse
import re
from collections.abc import Iterator

_EXIT_CODES = """\
0    done
1    something was not read, was not there, or could not be written; a notebook failed
2    wrong usage
130  interrupted
Each command says below what they are for it."""
_WIDTH = 80  # of the lines that show how a command is called, whatever the terminal
_ROFF = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha",
                       "~": r"\(ti"})  # fmt: skip


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands of a parser by name."""
    kinds = (action for action in parser._actions if isinstance(action.choices, dict))
    return next((dict(action.choices or {}) for action in kinds), {})


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script that completes commands, options, choices and files in a shell."""
    import shtab

    files = {
        **dict.fromkeys(("FILE", "PATH", "BASE", "NEW", "NOTEBOOK"), shtab.FILE),
        **dict.fromkeys(("DIR", "FOLDER", "SESSION"), shtab.DIRECTORY),
    }
    for command in commands(parser).values():
        for action in command._actions:
            kind = files.get(str(action.metavar).partition("-")[0])
            if kind and not action.choices:
                action.complete = kind  # type: ignore[attr-defined] # where shtab looks for it
    return shtab.complete(parser, shell=shell) + "\n"


def page(parser: argparse.ArgumentParser, version: str) -> str:
    """Return the manual page of all commands, as troff."""
    return "".join(f"{line}\n" for line in _page(parser, version))


def _page(parser: argparse.ArgumentParser, version: str) -> Iterator[str]:
    yield f'.TH {parser.prog.upper()} 1 "" "{parser.prog} {version}" "User Commands"'
    yield from (".SH NAME", _escaped(f"{parser.prog} - {parser.description}").rstrip("."))
    yield ".SH SYNOPSIS"
    for name in commands(parser):
        yield from (f".B {parser.prog} {_escaped(name)}", "[options] ...", ".br")
    yield ".SH OPTIONS"
    yield from _options(parser)
    yield ".SH COMMANDS"
    for name, command in commands(parser).items():
        yield f".SS {_escaped(name)}"
        yield _escaped(command.description or "")
        yield from _verbatim(_usage(command))
        yield from _options(command)
        yield from _verbatim(command.epilog or "")
    yield ".SH EXIT STATUS"
    yield from _verbatim(_EXIT_CODES)


def _usage(command: argparse.ArgumentParser) -> str:
    formatter = argparse.HelpFormatter(command.prog, width=_WIDTH)
    formatter.add_usage(None, command._actions, command._mutually_exclusive_groups, prefix="")
    return formatter.format_help()


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield each argument with its help."""
    formatter = parser._get_formatter()
    for action in parser._actions:
        if not isinstance(action.choices, dict) and action.help:
            yield ".TP"
            yield f".B {_escaped(formatter._format_action_invocation(action))}"
            yield _escaped(" ".join(formatter._expand_help(action).split()))


def _verbatim(text: str) -> Iterator[str]:
    """Yield text whose lines stay as they are."""
    yield from (".PP", ".nf")
    yield from map(_escaped, text.rstrip().splitlines())
    yield ".fi"


def _escaped(text: str) -> str:
    """Return text in which troff finds no command."""
    return re.sub(r"^(?=\.)", r"\\&", text.translate(_ROFF))
