"""`sdanalysis cards`: every card and stick as one page, with where each number was printed."""

import argparse
import sys
from pathlib import Path

from sdanalysis.cli.options import add_command, check_page, data, exit_codes
from sdanalysis.cli.write import encoded
from sdanalysis.paths import write_whole


def add(commands: argparse._SubParsersAction) -> None:
    """Add `cards` to the commands."""
    summary = "Write the page of all cards: what each reached, and where that was printed."
    epilog = "`sdanalysis report` writes the same page beside the reports.\n"
    epilog += exit_codes("written", "the table or a file was not to be had")
    epilog += "examples:\n  sdanalysis cards\n  sdanalysis cards --companions -o all.html"
    options = {
        "-o/--output FILE": (
            "page to write (default: cards.html)",
            {"default": Path("cards.html")},
        ),
        "--companions": "with the cards beyond the five sources, marked as such",
        **data(),
    }
    add_command(commands, "cards", summary, options, epilog=epilog, run=_run)


def _run(options: argparse.Namespace) -> int:
    from sdanalysis import cards

    check_page(options.output)
    page = cards.render(options.data, companions=options.companions)
    write_whole(options.output, encoded(page))
    print(f"{options.output}: written", file=sys.stderr)
    return 0
