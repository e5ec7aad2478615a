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
    """Return a host and reader of the table; without a reader its slot, or its only one.

    Raises UsageError: The table has no such pair, or a reader comes without a host.
    """
    if not host:
        if reader:
            raise UsageError(f"--reader {reader}: found no --host, expected one with it")
        slots = hosts[hosts["reader"] != "usb"]
        fastest = slots.iloc[slots["limit"].argmax()]
        bus = f"{fastest['bus']}, the fastest in our table of hosts"
        return Setting(None, None, None, float(fastest["limit"]), bus)
    readers = list(hosts.loc[hosts["host"] == host, "reader"])
    if not readers:
        names = ", ".join(sorted(set(hosts["host"])))
        raise UsageError(f"--host {host}: found no such host, expected one of {names}")
    own, listed = "slot" if "slot" in readers else readers[0], ", ".join(readers)
    if not reader and own != "slot" and len(readers) > 1:
        raise UsageError(
            f"--host {host}: found several readers, expected --reader with one of {listed}"
        )
    reader = reader or own
    if reader not in readers:
        raise UsageError(
            f"--reader {reader}: found no such reader of {host}, expected one of {listed}"
        )
    row = hosts[(hosts["host"] == host) & (hosts["reader"] == reader)].iloc[0]
    name = f"{row['host_name']}, {row['reader_name']}"
    return Setting(host, reader, name, float(row["limit"]), str(row["bus"]))


def named_board(
    boards: Iterable[tuple[str, str]], hosts: pd.DataFrame
) -> tuple[str, str, str] | None:
    """Return the host of our table that a log names first, the log's words, and their place.

    `Plus` is another host.
    """
    names = dict(zip(hosts["host_name"], hosts["host"], strict=True))
    for at, words in boards:
        model = words.partition(" Rev ")[0].strip()
        if model in names:
            return names[model], words, at
    return None
