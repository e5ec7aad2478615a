"""Host and reader as a reader of ours names them -> where a card was measured, and on which bus."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from sdanalysis.errors import UsageError


class Setting(NamedTuple):
    """Where a card was measured: host and reader of our table with their words, or neither.

    `limit` is the most that the bus can carry (B/s), `bus` whose limit it is: without a host that
    of the fastest slot or card reader in the table, a bound.
    """

    host: str | None
    reader: str | None
    name: str | None
    limit: float
    bus: str


def setting_of(hosts: pd.DataFrame, host: str | None, reader: str | None) -> Setting:
    """Return a host and reader of the table: the slot where no reader is given.

    Raises
    ------
    UsageError
        The table has no such pair, or a reader comes without a host.
    """
    if not host:
        if reader:
            raise UsageError(f"--reader {reader}: found no --host, expected one with it")
        slots = hosts[hosts["reader"] != "usb"]
        fastest = slots.iloc[slots["limit"].argmax()]
        bus = f"{fastest['bus']}, the fastest in our table of hosts"
        return Setting(None, None, None, float(fastest["limit"]), bus)
    reader = reader_of(hosts, host, reader or None)
    row = hosts[(hosts["host"] == host) & (hosts["reader"] == reader)].iloc[0]
    name = f"{row['host_name']}, {row['reader_name']}"
    return Setting(host, reader, name, float(row["limit"]), str(row["bus"]))


def reader_of(hosts: pd.DataFrame, host: str, reader: str | None) -> str:
    """Return the reader of a host: the one that is named, or its slot, or its only one."""
    readers = list(hosts.loc[hosts["host"] == host, "reader"])
    if not readers:
        names = ", ".join(sorted(set(hosts["host"])))
        raise UsageError(f"--host {host}: found no such host, expected one of {names}")
    if reader is None:
        if "slot" not in readers and len(readers) > 1:
            raise UsageError(f"--host {host}: found several readers, expected --reader with one "
                             f"of {', '.join(readers)}")  # fmt: skip
        return "slot" if "slot" in readers else readers[0]
    if reader not in readers:
        raise UsageError(f"--reader {reader}: found no such reader of {host}, "
                         f"expected one of {', '.join(readers)}")  # fmt: skip
    return reader


class Board(NamedTuple):
    """A computer that a log names: its host in our table, the log's words and where they stand."""

    host: str
    words: str
    at: str


def named_board(boards: Iterable[tuple[str, str]], hosts: pd.DataFrame) -> Board | None:
    """Return the first board of a log that is a host of our table; `Plus` is another host."""
    names = dict(zip(hosts["host_name"], hosts["host"], strict=True))
    known = ((at, words, words.partition(" Rev ")[0].strip()) for at, words in boards)
    found = (Board(names[model], words, at) for at, words, model in known if model in names)
    return next(found, None)
