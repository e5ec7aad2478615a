"""`sdanalysis mine`: logs of one card -> where it stands among the known ones."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis.cli.logs import named, read_all, report_problem
from sdanalysis.cli.options import (
    LIMIT,
    MANY,
    PATHS,
    add_command,
    check_page,
    data,
    exit_codes,
)
from sdanalysis.cli.write import encoded
from sdanalysis.my_card.logs import Logs, join_logs, read_file
from sdanalysis.paths import write_whole

if TYPE_CHECKING:
    from sdanalysis.dataset import Data


def add(commands: argparse._SubParsersAction) -> None:
    """Add `mine` to the commands."""
    host = "the computer: 'Raspberry Pi 4', pi4, ... (default: the one that the log names)"
    table = "measurements.csv of `build --raw`: its cards are known cards, too (repeatable)"
    kinds = {"choices": ("text", "json"), "default": "text"}
    options = {
        **PATHS,
        "--host HOST": host,
        "--reader READER": "what the card sat in (default: the host's slot)",
        "--label NAME": "maker, product and capacity as printed",
        **data("processed/, reference/"),
        "--table FILE": (table, {**MANY, "dest": "tables"}),
        "--companions": "take the cards of the companions as known cards, too",
        "--long": "print the notes and tables below the answer, too",
        "--format": ("of the output (default: text)", kinds),
        "-o/--output FILE": "write one HTML page there as well",
        "--show-serial": "print the card's serial number, which is withheld otherwise",
        **LIMIT,
    }
    add_command(
        commands,
        "mine",
        "Say where a card stands among the known ones, from the logs of its benchmarks.",
        options,
        epilog="All logs are taken as runs of one card on one host. Each test is compared only\n"
        "with the same test: tool, op, block size, queue depth; what cannot be compared is\n"
        "listed with the reason. Nothing leaves this computer.\n"
        + exit_codes("all read", "something was not, or no benchmark was found")
        + "examples:\n  sdanalysis mine card.log --host pi4 --label 'SanDisk Extreme 32 GB'\n"
        "  sdanalysis mine card.log --host pi-4b -o card.html\n"
        "  sudo sh Storage.sh | sdanalysis mine -\n"
        "  sdanalysis mine card.log --table my-cards/measurements.csv --companions",
        run=_run,
    )


def _run(options: argparse.Namespace) -> int:
    if options.output:
        check_page(options.output)
    read = partial(read_file, most=options.max_bytes)
    logs = join_logs(list(read_all(named(options), read)))
    if logs.rows:
        _show(logs, options)
        sys.stdout.flush()  # what is said of the log stands below the answer
    for path, problem in logs.problems:
        report_problem(path, problem)
    if not logs.rows:
        print("sdanalysis mine: found no benchmark, expected the output of iozone, fio, hdparm, "
              "dd or ddrescue", file=sys.stderr)  # fmt: skip
        return 1
    return int(any(problem.kind == "error" for _, problem in logs.problems))


def _show(logs: Logs, options: argparse.Namespace) -> None:
    from sdanalysis.my_card.answer import answer
    from sdanalysis.my_card.document import as_page, as_text, document

    asked = {"host": options.host, "reader": options.reader, "label": options.label}
    card = answer(logs, **asked, data=_data(options))
    content = document(card, show_serial=options.show_serial)
    if options.output:
        write_whole(options.output, encoded(as_page(content, card.points, options.data)))
        print(f"{options.output}: written", file=sys.stderr)
    if options.format == "json":
        print(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        sys.stdout.write(as_text(content, long=options.long, page=options.output))


def _data(options: argparse.Namespace) -> Data | Path:
    """Return what the card is compared with, where it is more than the five sources: read."""
    if not (options.tables or options.companions):
        return options.data
    from sdanalysis.dataset import load_data

    return load_data(options.data, companions=options.companions, tables=options.tables)
