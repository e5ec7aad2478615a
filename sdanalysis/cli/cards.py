"""`sdanalysis cards`: every card and stick as one page, with where each number was printed."""

import argparse
import sys

from sdanalysis import cards
from sdanalysis.cli.options import check_page
from sdanalysis.cli.write import encoded
from sdanalysis.paths import write_whole


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    check_page(options.output)
    page = cards.render(options.data, companions=options.companions)
    write_whole(options.output, encoded(page))
    print(f"{options.output}: written", file=sys.stderr)
    return 0
