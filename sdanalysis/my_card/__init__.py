"""Where does my card stand among the known ones? `read` answers, from the logs of a benchmark.

Nothing is sent anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis.paths import DATA

if TYPE_CHECKING:
    from sdanalysis.dataset import Data
    from sdanalysis.my_card.card import Card

__all__ = ["read"]


def read(
    paths: Sequence[str | Path] | str | Path,
    *,
    host: str | None = None,
    reader: str | None = None,
    label: str | None = None,
    data: Data | Path | str = DATA,
) -> Card:
    """Return where the card stands whose logs are named; all of them count as runs of one card.

    Parameters
    ----------
    paths
        Files, folders or globs, or `-`; below the project's folder where they are not here.
    host, reader : str
        The computer in any of its names (`pi-4b`, `Raspberry Pi 4`; by default the one that the
        logs name), and what the card sat in (by default its slot). A computer that is not in
        data/hosts.toml is none, and the answer says so.
    label : str
        What is printed on the card.
    data : Data, or a folder of data
        What the card is compared with: by default the committed table; `sdanalysis.load_data` adds
        companions and tables of your own.

    Raises
    ------
    SdAnalysisError
        A path names nothing, no log holds a benchmark, or the computer has no such reader.

    Examples
    --------
    >>> from sdanalysis import my_card
    >>> card = my_card.read("data/examples/card-image.log")
    >>> print(card.verdict)
    Your card is middling to good among cards of all boards, by its small writes.
    >>> print(card.tests[0].sentence)
    Small writes: 2.66 MB/s, faster than 34 of 52; the best 4.89 *.
    >>> card.places[["test", "rank", "n"]]
                              test  rank   n
    0  random write, 4 KiB, iozone    19  52
    1   random read, 4 KiB, iozone    17  52
    >>> card.table("nearest")
    nothing to show: no known card is near in a test that a source ran with the same tool
    """
    from sdanalysis.errors import SdAnalysisError
    from sdanalysis.my_card.answer import answer
    from sdanalysis.my_card.logs import read_logs

    named = [paths] if isinstance(paths, str | Path) else paths
    logs = read_logs(map(str, named))
    if not logs.rows:
        problems = "; ".join(problem.text for _, problem in logs.problems)
        raise SdAnalysisError(f"{', '.join(map(str, named))}: {problems}")
    known = Path(data) if isinstance(data, str) else data
    return answer(logs, host=host, reader=reader, label=label, data=known)


def __dir__() -> list[str]:
    """Return what users call, and nothing else."""
    return __all__
