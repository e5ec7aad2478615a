"""Storage benchmarks of small computers as one tidy table with provenance.

`load()` returns the table; the modules `stats`, `plots` and `audit` work on it. Nothing heavy is
imported before it is needed: neither pandas, nor one of these modules before its name is used.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    import pandas as pd

    from sdanalysis.claims import Claim

__all__ = ["load", "load_claims", "load_hosts", "load_media", "parse"]
__version__ = "0.2.0"


def __getattr__(name: str) -> ModuleType:
    """Import a module of analyses when `sdanalysis.stats` and the like are first named."""
    if name in ("audit", "claims", "plots", "reference", "stats"):
        return import_module(f"sdanalysis.{name}")
    raise AttributeError(f"module 'sdanalysis' has no attribute {name!r}")


def load(path: Path | str | None = None) -> pd.DataFrame:
    """Return the tidy table: one row a measurement, columns as in `schema.COLUMNS`.

    Reads the committed `data/processed/measurements.csv`, or the table at `path`.

    Examples
    --------
    >>> import sdanalysis
    >>> measurements = sdanalysis.load()
    >>> measurements["measured_by"].value_counts().head(2)
    measured_by
    geerling    203
    perrin      155
    Name: count, dtype: int64
    """
    from sdanalysis import dataset

    return dataset.load(Path(path) if path else dataset.MEASUREMENTS)


def parse(paths: Iterable[Path | str] | Path | str) -> pd.DataFrame:
    r"""Return what logs (files, folders, globs) hold: one row a measurement, typed as in `load`.

    Examples
    --------
    >>> import sdanalysis
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> printed = "67108864 bytes (67 MB, 64 MiB) copied, 0.529978 s, 127 MB/s"
    >>> with TemporaryDirectory() as folder:
    ...     log = Path(folder) / "card.log"
    ...     _ = log.write_text(f"64+0 records in\n64+0 records out\n{printed}\n")
    ...     rows = sdanalysis.parse(log)
    >>> rows[["tool", "op", "raw", "raw_unit", "value"]].round(0)
      tool    op  raw raw_unit        value
    0   dd  copy  127     MB/s  126625754.0
    """
    from sdanalysis import dataset

    return dataset.parse_logs(paths)


def load_media() -> pd.DataFrame:
    """Return the catalogue: one row a specimen, with its medium's maker, product, classes.

    Examples
    --------
    >>> import sdanalysis
    >>> media = sdanalysis.load_media()
    >>> media["form"].value_counts()
    form
    microSD      60
    USB stick     8
    CF            3
    SSD           1
    SD            1
    Name: count, dtype: int64
    """
    from sdanalysis import dataset

    return dataset.load_media()


def load_hosts() -> pd.DataFrame:
    """Return hosts and readers: one row a pair, with the bus and its limit in B/s.

    Examples
    --------
    >>> import sdanalysis
    >>> hosts = sdanalysis.load_hosts()
    >>> hosts[["host", "reader", "limit"]].head(3)
        host reader       limit
    0   pi-b   slot  25000000.0
    1  pi-2b   slot  25000000.0
    2  pi-2b    usb  60000000.0
    """
    from sdanalysis import dataset

    return dataset.load_hosts()


def load_claims(path: Path | str | None = None) -> tuple[Claim, ...]:
    """Return the checkable sentences of the sources, from `data/claims.toml` or `path`.

    Examples
    --------
    >>> import sdanalysis
    >>> claim = sdanalysis.load_claims()[0]
    >>> claim.id, claim.source, claim.test
    ('geerling-a2-no-better-reading', 'geerling-2019', 'order')
    """
    from sdanalysis import claims

    return claims.read(Path(path) if path else claims.CLAIMS)
