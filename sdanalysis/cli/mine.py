"""`sdanalysis mine`: logs of one card -> where it stands among the known ones."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial

from sdanalysis.cli.logs import named, read_all, report_problem
from sdanalysis.cli.options import check_page
from sdanalysis.cli.write import encoded
from sdanalysis.my_card.logs import Logs, join_logs, read_file
from sdanalysis.paths import write_whole


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
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
    from sdanalysis.dataset import load_data
    from sdanalysis.my_card.answer import answer
    from sdanalysis.my_card.document import as_page, as_text, document

    setting = {"host": options.host, "reader": options.reader, "label": options.label}
    data = options.data
    if options.tables or options.companions:  # more than the five sources
        data = load_data(data, companions=options.companions, tables=options.tables)
    card = answer(logs, **setting, data=data)
    content = document(card, show_serial=options.show_serial)
    if options.output:
        write_whole(options.output, encoded(as_page(content, card.points, options.data)))
        print(f"{options.output}: written", file=sys.stderr)
    if options.format == "json":
        print(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        sys.stdout.write(as_text(content, long=options.long, page=options.output))
