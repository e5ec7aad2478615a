"""`sdanalysis build`: data/raw -> measurements.csv, data/companions -> companions.csv."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis.cli.options import (
    add_command,
    add_data,
    add_output,
    add_raw,
    check_output,
    check_place,
    exit_codes,
)

if TYPE_CHECKING:
    import pandas as pd


def add(commands: argparse._SubParsersAction) -> None:
    """Add `build` to the commands."""
    command = add_command(
        commands, "build", "Build the tidy table from the raw files.",
        epilog="The same raw files give the same bytes. When anything cannot be read, "
        "the earlier tables\nstay as they are. Sources beyond the five, in "
        "companions/ of --data,\nbecome a table of their own, companions.csv beside the first.\n"
        "datapackage.json beside them says what the columns are (Frictionless Data Package).\n"
        "`sdanalysis new-source NAME --raw DIR` begins a folder of your own.\n"
        + exit_codes("built", "something cannot be read")
        + "examples:\n"
        "  sdanalysis build\n  sdanalysis build --raw mine -o mine.csv",
    )  # fmt: skip
    add_data(command)
    add_raw(command)
    usual = "processed/measurements.csv in --data, or measurements.csv in --raw"
    add_output(command, f"table to write (default: {usual})")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from sdanalysis import dataset

    usual = options.raw or options.data / "processed"
    output = options.output or usual / "measurements.csv"
    check_place(output, "-o FILE, or --data or --raw with a folder of your own")
    check_output(output, _inputs(options))
    measurements = dataset.build(options.data, raw=options.raw)
    whole = options.raw is None and options.output is None  # asked for one table, write one
    companions = dataset.build_companions(options.data) if whole else None
    _save(measurements, output)
    if companions is not None:
        _save(companions, output.with_name(dataset.COMPANIONS.name))
    if whole:
        dataset.describe(options.data)
    return 0


def _inputs(options: argparse.Namespace) -> list[Path]:
    """Return the files that a build may read."""
    folders = [options.raw or options.data / "raw", options.data / "companions"]
    catalogues = [path for folder in (options.data, *folders) for path in folder.glob("*.toml")]
    return [*catalogues, *(path for folder in folders for path in folder.glob("*/*"))]


def _save(measurements: pd.DataFrame, output: Path) -> None:
    """Write a table and say what each of its sources gave."""
    from sdanalysis import dataset

    dataset.save(measurements, output)
    for source, rows in measurements.groupby("source", sort=True):
        values, specimens = int(rows["value"].notna().sum()), rows["specimen"].nunique()
        figures = f"{len(rows):>4} figures, {values:>4} with a value"
        print(f"{source:<16} {figures}, {specimens:>3} specimens")
    print(f"{output}: {len(measurements)} rows")
