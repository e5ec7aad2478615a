"""CSV for a spreadsheet: no cell of text is one that it would execute as a formula."""

import csv
import io
import re

_BEGINS = tuple("=+-@\t\r\n＝＋－＠")  # as OWASP's page on CSV injection lists them
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def defused_table(text: str) -> str:
    r"""Return CSV in which an apostrophe stands before each text that may be taken for a formula.

    Numbers stay as they are, the negative too.

    Examples
    --------
    >>> print(defused_table("file,value\n=cmd|x.log,-1.5\n"), end="")
    file,value
    '=cmd|x.log,-1.5
    """
    found = io.StringIO()
    writer = csv.writer(found, lineterminator="\n")
    for row in csv.reader(io.StringIO(text, newline="")):
        writer.writerow(map(defused, row))
    return found.getvalue()


def defused(cell: str) -> str:
    """Return one cell so."""
    executed = cell.startswith(_BEGINS) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if executed else cell
