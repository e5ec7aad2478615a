"""`sdanalysis explain`: the id of a figure -> the printed line it came from."""

import argparse

from sdanalysis.sources import explain


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    print(explain.explain(options.id, options.data, options.raw))
    return 0
