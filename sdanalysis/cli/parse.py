"""`sdanalysis parse`: logs -> rows, and a word on everything that was not read."""

import argparse
import csv
import io
import json
from collections.abc import Iterable

from sdanalysis.cli.options import add_command, add_output, add_paths, write_output
from sdanalysis.cli.reading import read_all, report_problem
from sdanalysis.codebook.columns import LOG_COLUMNS, LOG_STATUSES
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.logs import read as logs

FORMATS = (".csv", ".json", ".parquet")


def add(commands: argparse._SubParsersAction) -> None:
    """Add `parse` to the commands."""
    command = add_command(
        commands, "parse", "Read benchmark logs and print their measurements as rows.",
        epilog="The output of iozone, fio, hdparm, dd and ddrescue, alone or mixed in a file, is\n"
        "found by its own words, and so are the summaries of PiBenchmarks, sdtest.sh, YABS,\n"
        "disk-benchmark.sh, KDiskMark and CrystalDiskMark (column `script`); text around them is\n"
        "skipped. Rows go to standard output, what\n"
        "was not read to standard error as path:line: what was found, what was expected.\n"
        "status of a row:\n"
        + "".join(f"  {name:<17} {meaning}\n" for name, meaning in LOG_STATUSES.items())
        + "exit code: 0 all read, 1 something was not, 2 wrong usage\n"
        "examples:\n  sdanalysis parse card.log\n  sdanalysis parse logs/ -o cards.csv\n"
        "  sudo hdparm -t /dev/mmcblk0 | sdanalysis parse -",
    )  # fmt: skip
    add_paths(command)
    add_output(command, "write there: .csv, .json (one object a line) or .parquet")
    text = "print no rows and write nothing unless everything was read"
    command.add_argument("--strict", action="store_true", help=text)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    kind = options.output.suffix.lower() if options.output else ".csv"
    if kind not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"{options.output}: found the ending {kind!r}, expected one of {known}")
    failed, rows = False, []
    for log in read_all(options.paths, logs.read_log):
        for problem in log.problems:
            report_problem(log.path, problem)
            failed |= problem.kind == "error"
        rows += map(logs.row_of, log.measurements)
    if not (options.strict and failed):
        content = _parquet(rows) if kind == ".parquet" else _text(rows, kind).encode()
        write_output(content, options.output, f"{len(rows)} rows")
    return 1 if failed else 0


def _text(rows: Iterable[dict[str, object]], kind: str) -> str:
    if kind == ".json":
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, LOG_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _parquet(rows: list[dict[str, object]]) -> bytes:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        expected = "expected it to be installed (`pip install pyarrow`), or .csv or .json"
        raise SdAnalysisError(f".parquet: found no pyarrow, {expected}") from error
    columns = {name: [row[name] for row in rows] for name in LOG_COLUMNS}
    buffer = io.BytesIO()
    parquet.write_table(arrow.table(columns), buffer)
    return buffer.getvalue()
