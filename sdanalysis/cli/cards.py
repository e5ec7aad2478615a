"""`sdanalysis cards`: every card and stick as one page, with where each number was printed."""

import argparse
import sys
from pathlib import Path

from sdanalysis.cli.options import add_command, add_data, add_output, encoded, exit_codes
from sdanalysis.errors import UsageError
from sdanalysis.paths import write_whole


def add(commands: argparse._SubParsersAction) -> None:
    """Add `cards` to the commands."""
    summary = "Write the page of all cards: what each reached, and where that was printed."
    epilog = "`sdanalysis report` writes the same page beside the reports.\n"
    epilog += exit_codes("written", "the table or a file was not to be had")
    epilog += "examples:\n  sdanalysis cards\n  sdanalysis cards --companions -o all.html"
    command = add_command(commands, "cards", summary, epilog=epilog)
    add_output(command, "page to write (default: cards.html)")
    text = "with the cards beyond the five sources, marked as such"
    command.add_argument("--companions", action="store_true", help=text)
    add_data(command)
    command.set_defaults(run=_run, output=Path("cards.html"))


def _run(options: argparse.Namespace) -> int:
    from sdanalysis import cards

    if options.output.suffix.lower() not in (".html", ".htm"):
        found = f"found the ending {options.output.suffix!r}"
        raise UsageError(f"{options.output}: {found}, expected .html")
    page = cards.render(options.data, companions=options.companions)
    write_whole(options.output, encoded(page))
    print(f"{options.output}: written", file=sys.stderr)
    return 0
