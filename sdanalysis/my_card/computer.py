"""Find the computer that a name and the logs mean in our table of hosts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches
from typing import NamedTuple

import pandas as pd

from sdanalysis.errors import UsageError

_ALIKE = 0.75  # share of equal letters from which a name may be another one, typed otherwise
_BOARD = re.compile(r"(?P<model>Raspberry Pi .+?)(?P<revision> Rev \d[\d.]*)?(?: details:.*)?")


class Board(NamedTuple):
    """A computer that a log names: the log's words, their place, the host that it is of ours."""

    words: str
    at: str
    host: str | None


class Computer(NamedTuple):
    """The computer that is meant: `host` of our table, or None.

    `typed` is what the user asked for, `meant` the hosts that it may mean where it names none of
    ours. The logs name the `boards`; the host was taken from `found`, one of them.
    """

    host: str | None
    typed: str | None = None
    meant: tuple[str, ...] = ()
    boards: tuple[Board, ...] = ()
    found: Board | None = None

    @property
    def unknown(self) -> bool:
        """Whether what was typed names no host of our table."""
        return bool(self.typed) and (self.host is None or self.found is not None)

    @property
    def other(self) -> Board | None:
        """The first board of the logs that is not the host that was asked for."""
        named = self.host is not None and self.found is None
        if not named or any(board.host == self.host for board in self.boards):
            return None
        return next(iter(self.boards), None)


class Setting(NamedTuple):
    """Where a card was measured: host and reader of our table with their words, or neither.

    `limit` is the most that the bus can carry (B/s), `bus` whose limit it is. Without a host both
    are of the fastest slot or reader in the table, as a bound. `others` are the readers of the
    host, id and words, that differ from this one in the command queue, where none was named.
    """

    limit: float
    bus: str
    host: str | None = None
    reader: str | None = None
    host_name: str = ""
    reader_name: str = ""
    others: tuple[tuple[str, str], ...] = ()


def computer_of(
    typed: str | None, boards: Iterable[tuple[str, str]], hosts: pd.DataFrame
) -> Computer:
    """Return the computer that a name and the logs mean.

    A name that is an id, a name or an alias of one host is that host. Otherwise the host is that
    of the one board that the logs name, and none where they name several or none of ours.
    """
    named, names = _boards(boards, hosts), _names(hosts)
    rows = hosts.drop_duplicates("host")[["host", "host_name", "aliases"]].itertuples(index=False)
    spellings = {
        host: {spelled(name) for name in (host, words, *others)} for host, words, others in rows
    }
    found = [host for host, own in spellings.items() if spelled(typed) in own]
    if typed and len(found) == 1:
        board_name = names[found[0]].partition(",")[0]  # of an overclocked one: its slot is faster
        same = [
            board._replace(host=found[0])
            if board.host and names[board.host] == board_name
            else board
            for board in named
        ]
        return Computer(found[0], typed, boards=tuple(same))
    meant = found or _alike(spelled(typed), spellings)
    ours = {board.host: board for board in reversed(named)}
    board = next(iter(ours.values())) if len(ours) == 1 and None not in ours else None
    host = board.host if board else None
    return Computer(host, typed or None, tuple(meant), named, board)


def spelled(name: str | None) -> str:
    """Return a name of a computer without what people spell as they like.

    Examples
    --------
    >>> spelled("Raspberry Pi 4 Model B"), spelled("rpi4b"), spelled("pi-4b")
    ('pi4b', 'pi4b', 'pi4b')
    >>> spelled("Raspberry Pi 3 Model B+"), spelled("Zero 2 W")
    ('pi3bplus', 'zero2w')
    """
    words = (name or "").casefold().replace("+", " plus ").partition("(")[0].partition(" rev ")[0]
    letters = re.sub(r"[^a-z0-9]|\bmodel\b", "", words)
    return re.sub(r"^(?:raspberrypi|raspi|rpi)", "pi", letters)


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
        return Setting(float(fastest["limit"]), bus)
    rows = hosts[hosts["host"] == host].set_index("reader", drop=False)
    listed = ", ".join(rows.index)
    if not reader and "slot" not in rows.index and len(rows) > 1:
        several = f"found several readers, expected --reader with one of {listed}"
        raise UsageError(f"--host {host}: {several}")
    name = reader or ("slot" if "slot" in rows.index else rows.index[0])
    if name not in rows.index:
        near = get_close_matches(name, rows.index, 1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        unknown = f"found no such reader of {host}, expected one of {listed}{meant}"
        raise UsageError(f"--reader {reader}: {unknown}")
    row = rows.loc[name]
    other_queue = rows[(rows["command_queue"] != row["command_queue"]).fillna(False)]
    pairs = other_queue[["reader", "reader_name"]].itertuples(index=False, name=None)
    return Setting(
        limit=float(row["limit"]),
        bus=row["bus"],
        host=host,
        reader=name,
        host_name=row["host_name"],
        reader_name=row["reader_name"],
        others=() if reader else tuple(pairs),
    )


def hosts_in_words(ids: Iterable[str], hosts: pd.DataFrame) -> str:
    """Return hosts as `Pi 4 (--host pi-4b)`, listed."""
    names = _names(hosts)
    return " or ".join(f"{names[host]} (--host {host})" for host in ids)


def _names(hosts: pd.DataFrame) -> Mapping[str, str]:
    return dict(zip(hosts["host"], hosts["host_name"], strict=True))


def _boards(boards: Iterable[tuple[str, str]], hosts: pd.DataFrame) -> tuple[Board, ...]:
    """Return the computers that logs name, each once.

    One that is not ours is taken for one only with its revision: prose names computers, too. The
    first alias of a host is its model, as the board itself prints it.
    """
    rows = hosts[["host", "host_name", "aliases"]].itertuples(index=False)
    ids = {spelled((*aliases, name)[0]): host for host, name, aliases in rows}
    found: dict[str, Board] = {}
    for at, words in boards:
        match = _BOARD.fullmatch(words)
        if match and (spelled(match["model"]) in ids or match["revision"]):
            model = match["model"] + (match["revision"] or "")
            found.setdefault(match["model"], Board(model, at, ids.get(spelled(match["model"]))))
    return tuple(found.values())


def _alike(name: str, spellings: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the hosts with a spelling nearly as this name, and with the same numbers in it.

    `raspberry` may be misspelt or left out.
    """
    alike = {
        host: max(
            (
                SequenceMatcher(None, name, begin + other).ratio()
                for other in others
                if re.findall(r"\d+", other) == re.findall(r"\d+", name)
                for begin in ("", "raspberry")
            ),
            default=0.0,
        )
        for host, others in spellings.items()
        if len(name) > 2
    }
    likely = [host for host, ratio in alike.items() if ratio >= _ALIKE]
    return sorted(likely, key=lambda host: -alike[host])[:3]
