"""A store of very many logs: each is read once, and what it held is kept as parquet.

`update` brings a store up to date with folders of logs, `load` reads it, `problems` lists what was
not read. Below the folder of a store lie

    measurements/tool=fio/hash=x0/PART.parquet   rows as of `parse`, with the sha256 of the log
    problems/hash=x0/PART.parquet                what was not read of these logs
    gone.parquet                                 name and sha256 of logs whose rows are not shown
    manifest.sqlite                              path, size, time, sha256 of each log, and its part
    lock.sqlite                                  held by the command that writes

A part is some hundred logs whose sha256 begin alike. It is named by what is in it, and written
whole, its problems last. No part is ever changed: the rows of a log that is gone or has another
name stay in it, are named in a table, and are shown no more. Where they are an eighth of a part,
and where many parts are small, what stays of these becomes a new part. After each finished run
the parts hold what the manifest names, one log for each content, and what that table names.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdanalysis.archive.reading import load, problems
    from sdanalysis.archive.updating import update

__all__ = ["load", "problems", "update"]


def __getattr__(name: str) -> object:
    """Import the module that holds a function when it is first used: `update` needs no pandas."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'sdanalysis.archive' has no attribute {name!r}")
    module = "updating" if name == "update" else "reading"
    return getattr(import_module(f"{__name__}.{module}"), name)
