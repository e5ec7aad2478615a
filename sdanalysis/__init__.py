"""Storage benchmarks of small computers as one tidy table with provenance.

`load()` returns the table; the modules `stats`, `plots` and `audit` work on it. Nothing heavy is
imported before it is needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from sdanalysis.claims import Claim

__version__ = "0.1.0"


def load(path: Path | str | None = None) -> pd.DataFrame:
    """Return the tidy table: one row a measurement, columns as in `schema.COLUMNS`.

    Reads the committed `data/processed/measurements.csv`, or the table at `path`.
    """
    from sdanalysis import dataset

    return dataset.load(Path(path) if path else dataset.MEASUREMENTS)


def parse(paths: Iterable[Path | str] | Path | str) -> pd.DataFrame:
    """Return what logs (files, folders, globs) hold: one row a measurement, typed as in `load`."""
    from sdanalysis import dataset

    return dataset.parse_logs(paths)


def load_media() -> pd.DataFrame:
    """Return the catalogue: one row a specimen, with its medium's maker, product, classes."""
    from sdanalysis import dataset

    return dataset.load_media()


def load_hosts() -> pd.DataFrame:
    """Return hosts and readers: one row a pair, with the bus and its limit in B/s."""
    from sdanalysis import dataset

    return dataset.load_hosts()


def load_claims(path: Path | str | None = None) -> tuple[Claim, ...]:
    """Return the checkable sentences of the sources, from `data/claims.toml` or `path`."""
    from sdanalysis import claims

    return claims.read(Path(path) if path else claims.CLAIMS)
