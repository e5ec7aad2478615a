"""A store of very many logs: each is read once, and what it held is kept as parquet.

`update` brings a store up to date with folders of logs, `load` reads it, `problems` lists what was
not read. Below the folder of a store lie

    measurements/PART.parquet   rows as of `parse`, with the sha256 of their log
    problems/PART.parquet       what was not read of these logs; written last
    manifest.parquet            a row a log: path, size, time, sha256, part, name there
    lock                        held by the command that writes

A part is some hundred logs. It is named by their number and content, and never changed. A row of it
is shown where the manifest has its part, sha256 and name. Where an eighth of a part is shown no
more, and where many parts are small, what is shown of these becomes a new part.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdanalysis.archive.reading import load, problems
    from sdanalysis.archive.updating import Way, update

__all__ = ["Way", "load", "problems", "update"]


def __getattr__(name: str) -> object:
    """Import what holds a function when it is first used: pandas takes time, pyarrow may lack."""
    from importlib import import_module, util

    from sdanalysis.errors import missing_extra

    if name not in __all__:
        raise AttributeError(f"module 'sdanalysis.archive' has no attribute {name!r}")
    is_reading = name in ("load", "problems")
    if util.find_spec("pyarrow") is None:
        user = "a store" if is_reading else "`sdanalysis archive`"
        raise missing_extra("parquet", "pyarrow", user)
    return getattr(import_module(f"{__name__}.{'reading' if is_reading else 'updating'}"), name)
