"""`sdanalysis build`: raw files -> the tidy table."""

import argparse

from sdanalysis import dataset
from sdanalysis.cli.options import check_output, check_place


def run(options: argparse.Namespace) -> int:
    """Build the table and return its exit code."""
    usual = options.raw or options.data / "processed"
    output = options.output or usual / "measurements.csv"
    check_place(output, "-o FILE, or --data or --raw with a folder of your own")
    folders = [options.raw or options.data / "raw", options.data / "companions"]
    catalogues = [path for folder in (options.data, *folders) for path in folder.glob("*.toml")]
    check_output(
        output, [*catalogues, *(path for folder in folders for path in folder.glob("*/*"))]
    )
    tables = {output: dataset.build(options.data, raw=options.raw)}
    whole = options.raw is None and options.output is None  # asked for one table, write one
    companions = dataset.build_companions(options.data) if whole else None
    if companions is not None:
        tables[output.with_name(dataset.COMPANIONS.name)] = companions
    for path, measurements in tables.items():
        dataset.save(measurements, path)
        for source, rows in measurements.groupby("source", sort=True):
            values, specimens = int(rows["value"].notna().sum()), rows["specimen"].nunique()
            figures = f"{len(rows):>4} figures, {values:>4} with a value"
            print(f"{source:<16} {figures}, {specimens:>3} specimens")
        print(f"{path}: {len(measurements)} rows")
    if whole:
        dataset.describe(options.data)
    return 0
