"""What a reader of ours types (host, reader, label) -> the entries of our tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import pandas as pd

from sdanalysis.errors import UsageError
from sdanalysis.stats import names

_SIZE = re.compile(r"\b0*([1-9]\d*)\s*(mb|gb|tb)\b", re.IGNORECASE)
_BYTES = {"mb": 1e6, "gb": 1e9, "tb": 1e12}
# Words on every card, which name no product.
_COMMON = re.compile(
    r"(?:micro)?sd(?:hc|xc)?|micro|tf|card|memory|class|c?10|c4|c6|uhs|i|ii|u1|u3|v\d+|flash|"
    r"the|hc|xc|mb|s|\d+mb|a1|a2"
)
_ALIKE = 0.8  # share of equal letters from which two words are one word typed otherwise
Board = tuple[str, str, str]  # a host of our table that a log names, the log's words, their place


class Setting(NamedTuple):
    """Where a card was measured: host and reader of our table with their words, or neither.

    `limit` is the most that the bus can carry (B/s), `bus` whose limit it is: without a host that
    of the fastest slot or card reader in the table, a bound. `others` are the readers of the host,
    id and words, that differ from this one in the command queue, where none was named.
    """

    host: str | None
    reader: str | None
    name: str | None
    limit: float
    bus: str
    reader_name: str = ""
    others: tuple[tuple[str, str], ...] = ()


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
        several = f"found several readers, expected --reader with one of {listed}"
        raise UsageError(f"--host {host}: {several}")
    taken = reader or own
    if taken not in readers:
        unknown = f"found no such reader of {host}, expected one of {listed}"
        raise UsageError(f"--reader {reader}: {unknown}")
    here = hosts[hosts["host"] == host]
    row = here[here["reader"] == taken].iloc[0]
    differing = here[(here["command_queue"] != row["command_queue"]).fillna(False)]
    pairs = differing[["reader", "reader_name"]].itertuples(index=False, name=None)
    return Setting(
        host,
        taken,
        f"{row['host_name']}, {row['reader_name']}",
        float(row["limit"]),
        str(row["bus"]),
        str(row["reader_name"]),
        () if reader else tuple(pairs),
    )


def named_board(boards: Iterable[tuple[str, str]], hosts: pd.DataFrame) -> Board | None:
    """Return the first board of a log that is a host of our table; `Plus` is another host."""
    names = dict(zip(hosts["host_name"], hosts["host"], strict=True))
    for at, words in boards:
        model = words.partition(" Rev ")[0].strip()
        if model in names:
            return names[model], words, at
    return None


def card_in_words(row: Any) -> str:
    """Return a card as `Samsung Evo+ 32 GB, DA (geerling)`: maker to vintage, and whose it is."""
    vintage = f", {row.vintage}" if row.vintage in ("DA", "GA") else ""
    return f"{names.card_in_words(row)}{vintage} ({str(row.specimen).partition('/')[0]})"


def match_label(label: str, media: pd.DataFrame) -> pd.DataFrame:
    """Return the media that a name may mean: `medium`, `name`, `part_number`, `specimens`.

    A part number decides. Otherwise all words of maker and product have to be in the name (a
    letter may be wrong), the capacity and a printed A1 or A2 must not contradict, and no word of
    the name may be left over: `SanDisk Extreme Pro` is not the `SanDisk Extreme`. Several rows:
    the name does not tell them apart.
    """
    entries = media.drop_duplicates("medium")
    wanted = [
        pd.notna(part) and _letters(part) in _letters(label) for part in entries["part_number"]
    ]
    if not any(wanted):
        wanted = [_means(label, row) for row in entries.itertuples()]
    found = entries[wanted].reset_index(drop=True)
    words = [card_in_words(row).rpartition(" (")[0] for row in found.itertuples()]
    count = found["medium"].map(media["medium"].value_counts()).astype("Int64")
    found = found.assign(name=words, specimens=count)
    return found[["medium", "name", "part_number", "specimens"]]


def printed_size(label: str) -> tuple[str, float] | None:
    """Return the first capacity that a label names: as it is printed, and in bytes."""
    size = _SIZE.search(label)
    return (size[0], int(size[1]) * _BYTES[size[2].lower()]) if size else None


def _means(label: str, row: Any) -> bool:
    """Tell whether a label may mean a medium: same capacity, same class, all words used."""
    size = printed_size(label)
    if size and pd.notna(row.capacity) and size[1] != row.capacity:
        return False
    words = _words(_SIZE.sub(" ", label))
    classes = {"a1", "a2"} & set(words)
    own_class = {"a1", "a2"} & {str(row.application_class).lower()}
    if classes and own_class and classes != own_class:
        return False
    own = [text for text in (row.maker, row.product) if text != "unknown"]
    for wanted in _words(" ".join(own)):
        match = next((word for word in words if _alike(wanted, word)), None)
        if match is None:
            return False
        words.remove(match)
    words = [word for word in words if not _COMMON.fullmatch(word) and word != row.vintage.lower()]
    return bool(own) and not words


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _words(text: str) -> list[str]:
    spelled = text.lower().replace("+", " plus ").replace("san disk", "sandisk")
    return re.findall(r"[a-z0-9]+", spelled)


def _alike(word: str, other: str) -> bool:
    long = min(len(word), len(other)) >= 5
    return word == other or (long and SequenceMatcher(None, word, other).ratio() >= _ALIKE)
