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

    `paths` are files, folders or globs, or `-`; below the project's folder where they are not here.
    `host` is any name of the computer (`pi-4b`, `Raspberry Pi 4`); by default the logs name it.
    `reader` is what the card sat in (by default the slot), `label` what is printed on it. A
    computer that is not in data/hosts.toml is none, and the answer says so. The card is compared
    with the committed table, or with a folder of data, or with what `sdanalysis.load_data` read:
    companions, tables of your own.

    Raises SdAnalysisError: a path names nothing, no log holds a benchmark, or the computer has no
    such reader.

    Examples
    --------
    >>> from sdanalysis import my_card
    >>> card = my_card.read("data/examples/card-image.log", host="pi-4b")
    >>> print(card.verdict)
    Your card is middling to good for a Pi 4, by its small writes.
    >>> print(card.tests[0].sentence)
    Small writes: 2.69 MB/s, faster than 14 of 24; the best 4.95.
    >>> card.places[["test", "rank", "n"]].head(3)
                              test  rank   n
    0  random write, 4 KiB, iozone    11  24
    1   random read, 4 KiB, iozone    15  24
    2  sequential write, 8 KiB, dd    11  16
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
