"""Sets of results beside each other: what the command `compare` shows, for Python.

`read` reads sets of logs or of the table, `history` the runs below a folder. `compare` compares
them with the first; `rendered` gives text, Markdown, CSV or JSON. `limit` and `findings` check it
against limits. It prints nothing.
"""

from sdanalysis.comparing.comparison import compare
from sdanalysis.comparing.limits import findings, limit
from sdanalysis.comparing.sets import history, read
from sdanalysis.comparing.text import rendered

__all__ = ["compare", "findings", "history", "limit", "read", "rendered"]


def __dir__() -> list[str]:
    """Return what users call, and nothing else."""
    return __all__
