"""`sdanalysis build`: data/raw -> measurements.csv."""

from __future__ import annotations

import argparse
from pathlib import Path

from sdanalysis.cli.options import add_command, add_data


def add(commands: argparse._SubParsersAction) -> None:
    """Add `build` to the commands."""
    command = add_command(
        commands,
        "build",
        "Build the tidy table from the raw files.",
        epilog="The same raw files give the same bytes. When anything cannot be read, "
        "the earlier table\nstays as it is and the exit code is 1.",
    )
    add_data(command)
    command.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="table to write (default: DIR/processed/measurements.csv)",
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from sdanalysis import dataset

    output = options.output or options.data / "processed" / "measurements.csv"
    measurements = dataset.build(options.data)
    dataset.save(measurements, output)
    for source, rows in measurements.groupby("source", sort=True):
        values = int(rows["value"].notna().sum())
        print(
            f"{source:<16} {len(rows):>4} figures, {values:>4} with a value, "
            f"{rows['specimen'].nunique():>3} specimens"
        )
    print(f"{output}: {len(measurements)} rows")
    return 0
