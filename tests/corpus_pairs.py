"""Write what is read of new logs of the corpus beside them: `python tests/corpus_pairs.py LOG...`.

A log lies in tests/corpus/<tool>/valid or invalid and is named <what>--<version>.log. Beside a
valid one goes its table (.csv), beside an invalid one its errors (.error). A file that is there is
never written again, it is what the parser has to give: read what was written before you commit it.
"""

import csv
import io
import sys
from pathlib import Path

from corpus_logs import beside, cells, first_error, log_name, read

from sdanalysis.parsers import PARSERS

COLUMNS = (
    *("line", "column", "op", "metric", "stat", "value", "raw", "raw_unit", "block_size"),
    *("file_size", "numjobs", "iodepth", "read_mix", "direct", "tool_version", "run", "status"),
)
# of the summaries of scripts, which print figures of several tools
SCRIPTS = (*COLUMNS, "tool", "script", "value_low", "value_high")


class RefusedError(Exception):
    """A log for which nothing is written: it has its partner, or the parser does not fit it."""


def table(tool, log):
    """The text of the table beside a valid log."""
    measurements, problems = read(tool, log.read_bytes(), log_name(log))
    if wrong := [one for one in problems if one.kind == "error"]:
        raise RefusedError(f"{log}:{wrong[0].line}: {wrong[0].text}: not a valid log")
    text = io.StringIO()
    columns = SCRIPTS if tool == "scripts" else COLUMNS
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(cells(measurements, columns))
    return text.getvalue()


def complaint(tool, log):
    """The text beside an invalid log, in the form that the tool's tests read."""
    content = log.read_bytes()
    if tool in ("fio", "iozone"):
        errors = [one for one in read(tool, content, log_name(log))[1] if one.kind == "error"]
        told = [f"{one.line}: {one.text}" for one in errors]
        told = told[:1] if tool == "fio" else told
    else:
        error = first_error(tool, content)
        told = [error] if error else []
    if not told:
        raise RefusedError(f"{log}: found no error, expected one in an invalid log")
    return "\n".join(told) + "\n"


def write_pair(log):
    """Write the partner of a log and return its path; refused where there is one."""
    tool, kind = log.parent.parent.name, log.parent.name
    if tool not in PARSERS or kind not in ("valid", "invalid") or log.suffix != ".log":
        raise RefusedError(f"{log}: expected <tool>/valid/*.log or <tool>/invalid/*.log")
    partner = beside(log, ".csv" if kind == "valid" else ".error")
    if partner.exists():
        raise RefusedError(f"{partner} is there: it is not written again")
    text = table(tool, log) if kind == "valid" else complaint(tool, log)
    with partner.open("x", encoding="utf-8", newline="") as file:
        file.write(text)
    return partner


def main(names):
    """Write the partners of the named logs; 1 where one was refused."""
    code = 0 if names else 2
    if not names:
        print(__doc__, file=sys.stderr)
    for name in names:
        try:
            print(f"{write_pair(Path(name).resolve())}: read it before you commit it")
        except (RefusedError, OSError) as error:
            print(error, file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
