"""The command above a report -> direction, block size, count and flags of its run.

dd prints none of these. The k-th report below a command is that of its k-th dd, if it can have
copied so many bytes in such records; of several commands that stand together
above their reports nobody knows which is whose. All else is not known: op is `copy`.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sdanalysis.parsers.capture import Call, Capture

_TOO_MUCH = 10**18  # bytes: no device holds them, and a column no more
# dd's suffixes: alone of 1024, with B of 1000, with iB of 1024 (coreutils manual, dd invocation)
_FACTOR = re.compile(r"([0-9]{1,18})(?:([cwb])|([kKmMgGtT])(i?B|b)?)?")
_BLOCKS = {"c": 1, "w": 2, "b": 512}
_ENDLESS = re.compile(r"/dev/(?:zero|full|hwrng|\w{0,20}random)")  # as long as dd reads
_NO_MEDIUM = re.compile(rf"/dev/(?:null|std|fd/|console|tty|pts|shm)|/run/shm/|{_ENDLESS.pattern}")
# Character devices, whose operations go past the cache: macOS, OpenBSD and NetBSD have a cached one
# beside each, FreeBSD has no other
_RAW = re.compile(
    r"/dev/(?:(?:r(?:disk|sd|wd|ld)|a?da|nvd|nda|vtbd|mmcsd)[0-9]\w{0,8}|gpt/.{1,80})"
)
_LOOP = re.compile(r"\b(?:for\s+\w+\s+in|for\s*\(\(|while|until|watch|xargs|parallel|repeat)\b")


class Request(NamedTuple):
    """What a command says of its run; None is not said."""

    op: str
    block_size: int | None
    blocks: int | None
    is_endless: bool  # its source never ends: only `blocks`, an error or a signal ends it
    is_direct: bool
    is_flushed: bool  # it waited until the medium had what was written

    def fits(self, size: int, counts: tuple[int, int], begun: int) -> bool:
        """Tell whether a run can have copied so many bytes, in such full and partial records."""
        records = sum(counts)
        least, most = (count * (self.block_size or 0) for count in (counts[0], records + begun))
        if most and not least <= size <= most:
            return False
        return self.blocks is None or records <= self.blocks


class _Turn(NamedTuple):
    """The calls of a command in `line`; `is_stacked`: one without a report stands above it."""

    line: int
    calls: tuple[Call, ...] = ()
    text: str = ""
    is_stacked: bool = False


def requests(
    capture: Capture, places: Sequence[int], signals: Collection[int]
) -> Iterator[tuple[int, Request | None]]:
    """Yield for each report, by its place, the line of its command and what that asked for."""
    turns = _turns(capture, places, signals)
    for turn, below in zip(turns, (*turns[1:], None), strict=True):
        requests = [request_of(call) for call in turn.calls]
        last = below.line if below else len(capture.lines)
        count = bisect(places, last) - bisect(places, turn.line)
        are_all = count >= len(requests) or below is None  # more may follow
        is_beside = any(call.after in ("&", "|") for call in turn.calls[:-1])
        are_in_turn = not (turn.is_stacked or is_beside)
        is_known = len(set(requests)) == 1 or (are_all and are_in_turn)
        for number in range(count):
            is_own = number < len(requests) or (requests and _LOOP.search(turn.text))
            yield turn.line, requests[number % len(requests)] if is_known and is_own else None


def _turns(capture: Capture, places: Sequence[int], signals: Collection[int]) -> list[_Turn]:
    """Return the commands of dd, first an empty one for the reports above them."""
    # Other commands end a turn, but where a dd is under way: it has no report, or a signal asks.
    found = [_Turn(0)]
    for command in capture.commands if places else ():
        above, line = found[-1], command.line
        # that leave a report on the terminal
        calls = tuple(call for call in command.of("dd") if not call.files[2])
        calls = tuple(call for call in calls if call.value("status") not in ("none", "noxfer"))
        is_open = above.calls and bisect(places, above.line) == bisect(places, line)
        is_time = capture.lines[line - 1].endswith(" total")  # of zsh, behind the command
        if is_time or (not calls and (is_open or line in signals)):
            continue
        text = " ".join(capture.lines[max(line - 3, 0) : command.first - 1])
        if is_open:
            found[-1] = above._replace(calls=above.calls + calls, is_stacked=True)
        else:
            found.append(_Turn(line, calls, text))
    return found


@lru_cache(maxsize=512)
def request_of(call: Call) -> Request:
    """Return what a call of dd asks for."""
    operands = dict(word.partition("=")[::2] for word in call.words if "=" in word)
    of = (operands.get(name, "").split(",") for name in ("conv", "iflag", "oflag"))
    conv, reading, writing = of
    source, target = operands.get("if", call.files[0]), operands.get("of") or call.files[1]
    reading += ["direct"] * bool(_RAW.fullmatch(source))
    writing += ["direct"] * bool(_RAW.fullmatch(target))
    by_passed = {"read": "direct" in reading, "write": "direct" in writing}
    names = ("bs",) if "bs" in operands else ("ibs", "obs")
    sizes = {_size_of(operands.get(name, "512")) for name in names}
    op, count = _direction(source, target), operands.get("count", "")
    blocks = _size_of(count)
    is_open = any("$" in word and not word.startswith(("if", "of", "bs")) for word in call.words)
    is_flushed = is_open or not {"fsync", "fdatasync"}.isdisjoint(conv)
    # `count=1GB` may be bytes (coreutils 9.1), and what a variable holds is not known
    may_be_bytes = blocks is None or count[-1] == "B" or "count_bytes" in reading
    is_counted = not (count and may_be_bytes)
    return Request(
        op=op,
        block_size=sizes.pop() if len(sizes) == 1 else None,
        blocks=blocks if is_counted else None,
        is_endless=bool(_ENDLESS.fullmatch(source)) and is_counted,
        is_direct=by_passed.get(op, any(by_passed.values())),
        is_flushed=is_flushed or not {"direct", "sync", "dsync"}.isdisjoint(writing),
    )


def _direction(source: str, target: str) -> str:
    """Return read or write where one side is the medium and the other costs nothing, else copy."""
    # An image on a device counts as written: the device is what such a command measures.
    if target in ("/dev/null", "/dev/zero"):
        return "read" if source and not _NO_MEDIUM.match(source) else "copy"
    if not target or _NO_MEDIUM.match(target):
        return "copy"
    is_image = target.startswith("/dev/") and not source.startswith("/dev/")
    return "write" if _ENDLESS.fullmatch(source) or is_image else "copy"


def _size_of(text: str) -> int | None:
    """Return dd's `4k`, `1MB` or `2x512` as a number; None: it is none."""
    product = 1
    for factor in text.split("x"):
        match = _FACTOR.fullmatch(factor)
        if match is None:
            return None
        base = 1000 if match[4] == "B" else 1024
        product *= int(match[1]) * _BLOCKS.get(match[2], 1)
        product *= base ** (" kmgt".index((match[3] or " ").lower()))
    return product if 0 < product < _TOO_MUCH else None
