"""Facts from outside the five sources: run noise, same-model specimens, class minimums.

The tables are in `data/reference`; each row names where it was published. They are yardsticks:
none of their rows enters the table of measurements.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from sdanalysis.errors import SdAnalysisError
from sdanalysis.paths import DATA

__all__ = ["classes", "noise", "specimens"]

REFERENCE = DATA / "reference"
_TYPES = {
    "noise": {"block_size": "Int64", "runs": "Int64", "sd_log": "float64"},
    "specimens": {"repeat": "Int64", "value": "float64"},
    "classes": {"write": "float64", "randread": "float64", "randwrite": "float64"},
}


def noise(folder: Path = REFERENCE) -> pd.DataFrame:
    """Return how far five runs of one test differ, medium by medium, on one Raspberry Pi 4.

    Returns
    -------
    DataFrame
        One row a medium and test: `medium, tool, op, metric, block_size` (B), `runs`, `minimum`,
        `median`, `maximum` (B/s or 1/s), `sd_log` (standard deviation of the natural logarithms),
        `source`.

    Examples
    --------
    >>> from sdanalysis import reference
    >>> noise = reference.noise()
    >>> noise.loc[noise["op"] == "randwrite", ["medium", "tool", "runs", "sd_log"]].head(2)
         medium    tool  runs   sd_log
    3   SD card     fio     5  0.06547
    10  SD card  iozone     5  0.06661
    """
    return _table(folder, "noise")


def specimens(folder: Path = REFERENCE) -> pd.DataFrame:
    """Return what several specimens of one model gave in the same test, three times each.

    Returns
    -------
    DataFrame
        `model` (missing where the publication does not print it), `specimen`, `tool`, `op`,
        `repeat`, `value` (B/s), `source`.

    Examples
    --------
    >>> from sdanalysis import reference
    >>> reference.specimens()[["specimen", "op", "repeat", "value"]].head(2)
      specimen     op  repeat       value
    0     rpi1  write       1  18700000.0
    1     rpi1   read       1  45600000.0
    """
    return _table(folder, "specimens")


def classes(folder: Path = REFERENCE) -> pd.DataFrame:
    """Return what the classes printed on cards promise at least.

    Returns
    -------
    DataFrame
        `family`, `class`, `write` (sequential, B/s), `randread` and `randwrite` (4 KiB, 1/s;
        missing where the class says nothing), `source`.

    Examples
    --------
    >>> from sdanalysis import reference
    >>> classes = reference.classes()
    >>> application = classes["family"] == "Application Performance Class"
    >>> classes.loc[application, ["class", "write", "randread", "randwrite"]]
       class       write  randread  randwrite
    11    A1  10000000.0    1500.0      500.0
    12    A2  10000000.0    4000.0     2000.0
    """
    return _table(folder, "classes")


def _table(folder: Path, name: str) -> pd.DataFrame:
    path = folder / f"{name}.csv"
    try:
        return pd.read_csv(path, dtype=_TYPES[name])
    except OSError as error:
        raise SdAnalysisError(f"{path}: found {error.strerror}, expected a table") from error
