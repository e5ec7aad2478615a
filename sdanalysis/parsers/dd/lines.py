"""A line of dd -> what it says: bytes, seconds and rate, or a pasted command's operands.

Grammars: GNU dd 5.3 to 9.x and its translations, uutils, BusyBox (no blank before its unit, which
is of 1024), and BSD (`bytes transferred in`). Sources: dd.c (coreutils 9.1), libbb/dd.c, dd/misc.c.
dd's own output says neither direction nor block size nor direct I/O: the command does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from math import inf
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.codebook.units import Number, Unit, check_reach, interval, number_of, unit_of
from sdanalysis.errors import SdAnalysisError

Interval = tuple[float, float, float]  # value, low, high in B/s

_NUMBER = r"[0-9]{1,20}(?:[.,][0-9]{1,12})?(?:e[+-]?[0-9]{1,3})?"
_WORD = r"[^\W\d_]{1,9}"
# The end of a GNU line. The words for second are not translated today, but were in some releases
# (`7.35 秒、 73.0 MB/秒`), so any word will do where the figures bear it out.
TAIL = re.compile(
    rf"[,，、]\s{{0,3}}(?P<seconds>{_NUMBER})\s(?P<second>{_WORD})[,，、]\s{{0,3}}"
    rf"(?P<rate>{_NUMBER})(?P<gap>\s?)(?P<unit>[kKMGT]?B)/(?P<per>{_WORD})(?![\w/])"
)
# Its beginning: an integer, perhaps grouped, and a word, then sizes; other words on either side.
_HEAD = re.compile(
    r"(?P<bytes>(?<![0-9])[0-9]{1,3}(?:[ .,'’][0-9]{3})+(?![0-9])|[0-9]{1,30})\s?"
    r"(?P<word>[^\W\d_]+)\s?(?:[(（](?P<sizes>[^()（）]*)[)）])?[^0-9()（）]*$"
)
_BSD = re.compile(
    rf"(?<![0-9.,])(?P<bytes>[0-9]{{1,30}}) bytes? transferred in "
    rf"(?P<seconds>{_NUMBER}) (?:secs?|seconds?) "
    r"\((?P<rate>[0-9]{1,20}(?:\.[0-9]{1,12})?) (?P<unit>bytes/sec)\)"
)
_ANNOUNCED = re.compile(r"(?<![\w.])[0-9]+ bytes? (?:(?:\([^)]{0,80}\) )?copied|transferred in)\b")
_SIZE = re.compile(r"\s*([0-9]+(?:[.,][0-9]+)?)\s?([kKMGTPE]?)(i?)B")
_SECOND = frozenset({"s", "second", "seconds"})
_TENTH = Decimal("0.1")
_HEAD_LENGTH = 200  # a real one has 80; longer lines hold something else


class Transfer(NamedTuple):
    """What one transfer line says; its run decides later what it counts for."""

    line: Line
    column: int
    size: int
    seconds: str
    time: Number
    rate: str
    raw_unit: str
    value: Interval
    step: str
    doubt: str = ""


def is_announced(text: str) -> bool:
    """Tell whether an English line begins as a transfer line does."""
    return ("copied" in text or "transferred" in text) and bool(_ANNOUNCED.search(text))


def read(line: Line) -> Transfer | None:
    """Return what the line says; None when it is no transfer line.

    Raises SdAnalysisError: The line is one, and its figures can be no measurement.
    """
    text = line.text
    if "bytes/sec" in text and (match := _BSD.search(text)):
        return _transfer(line, match, int(match["bytes"]), unit_of("dd", match["unit"]), "")
    if "B/" not in text or (tail := TAIL.search(text)) is None:
        return None
    head = _HEAD.search(text, max(tail.start() - _HEAD_LENGTH, 0), tail.start())
    if head is None:
        return None
    owner = "dd" if tail["gap"] else "busybox dd"
    size = int(re.sub(r"[ .,'’]", "", head["bytes"]))
    transfer = _transfer(line, tail, size, unit_of(owner, f"{tail['unit']}/s"), head["sizes"] or "")
    if transfer.doubt and (tail["second"] not in _SECOND or tail["per"] != "s"):
        raise SdAnalysisError(transfer.doubt)
    return transfer


def _transfer(line: Line, match: re.Match[str], size: int, unit: Unit, sizes: str) -> Transfer:
    seconds = number_of(match["seconds"], decimal_comma=True)
    printed = interval(number_of(match["rate"], decimal_comma=True), unit)
    # uutils prints one decimal, so that 0.0 may be any time below 0.05 s; but it counts whole
    # milliseconds, at least one, and a rate of one is none (0.0.17, as run)
    no_time = seconds.value == 0 and (seconds.step != _TENTH or printed[2] >= size * 1000)
    if size == 0 or no_time:
        raise SdAnalysisError("found 0 bytes or 0 s, expected a transfer that took time")
    copied = _copied(size, seconds)
    words = match.groupdict()
    raw_unit = f"{match['unit']}/{words['per']}" if words.get("per") else match["unit"]
    rate = f"{match['rate']} {raw_unit}"
    step = f"{size} B / {match['seconds']} s, more digits than the {rate} beside them ({unit.why})"
    value, used = copied, "the bytes and seconds are used"
    if printed[2] - printed[1] < copied[2] - copied[1]:
        value, used = printed, "the rate is used"
        step = f"{rate} x {unit.factor:,.0f} B ({unit.why}), more digits than {match['seconds']} s"
    if not value[0]:
        raise SdAnalysisError(f"found the rate {rate}, expected one above zero")
    check_reach("bandwidth", value[0], f"the rate {rate}")
    doubt = _disagreement(rate, printed, copied) or _size_disagreement(size, sizes)
    doubt = f"{doubt}; {used}" if doubt else ""
    return Transfer(
        line=line,
        column=match.start("rate") + 1,
        size=size,
        seconds=match["seconds"],
        time=seconds,
        rate=match["rate"],
        raw_unit=raw_unit,
        value=value,
        step=step,
        doubt=doubt,
    )


def _copied(size: int, seconds: Number) -> Interval:
    """Return the rate that bytes and seconds leave open: (value, low, high) in B/s."""
    shortest = seconds.value - seconds.step / 2
    return (
        float(size / seconds.value) if seconds.value else inf,
        float(size / (seconds.value + seconds.step / 2)),
        float(size / shortest) if shortest > 0 else inf,
    )


def _disagreement(rate: str, printed: Interval, copied: Interval) -> str:
    """Say that a rate is not that of the bytes and seconds beside it; empty when it is."""
    if copied[2] >= printed[1] * 0.999 and copied[1] <= printed[2] * 1.001:
        return ""
    expected = f"{copied[0] / 1e6:.4g} MB/s from the bytes and seconds beside it"
    return f"found the rate {rate}, expected {expected}"


def _size_disagreement(size: int, sizes: str) -> str:
    """Say that the size in the parenthesis is not that of the bytes; empty when it may be.

    GNU's first size is of 1000, BusyBox's of 1024; the same words may be either.
    """
    match = _SIZE.match(sizes)
    if match is None:
        return ""
    number = number_of(match[1], decimal_comma=True)
    power = " KMGTPE".index(match[2].upper() or " ")
    bases = (1024,) if match[3] else (1000, 1024)
    if any(abs(Decimal(size) / base**power - number.value) <= number.step for base in bases):
        return ""
    return f"found {size} bytes beside ({sizes}), expected the same size twice"


_COMMAND = re.compile(
    r"(?<![\w.-])dd(?P<operands>(?:\s+[a-z]{2,9}=(?:\"[^\"]*\"|'[^']*'|[^\s;|&`)]*))+)"
)
_OPERAND = re.compile(r"\b([a-z]{2,9})=(\"[^\"]*\"|'[^']*'|[^\s;|&`)]*)")
_FLUSHING = frozenset({"fsync", "fdatasync"})
_SYNCHRONOUS = frozenset({"direct", "sync", "dsync"})
_LOOP = re.compile(r"\b(?:for|while|until|watch|xargs|parallel|repeat)\b")
_SYNTHETIC = frozenset({"/dev/zero", "/dev/urandom", "/dev/random"})
_STREAMS = ("/dev/stdout", "/dev/fd/", "/dev/shm/")
# dd's suffixes: alone of 1024, with B of 1000, with iB of 1024 (coreutils manual, dd invocation)
_FACTOR = re.compile(r"([0-9]{1,18})(?:([cwb])|([kKmMgGtT])(i?B|b)?)?")
_BLOCKS = {"c": 1, "w": 2, "b": 512}
DEFAULT_BLOCK = 512


class Command(NamedTuple):
    """What a dd command line says of its run; None is not said.

    `flushed`: it waited until the medium had what was written, so that its time holds all of it.
    """

    op: str
    block_size: int | None
    blocks: int | None
    direct: bool
    flushed: bool
    repeats: bool

    def fits(self, size: int, counts: tuple[int, int] | None) -> bool:
        """Tell whether a run can have copied so many bytes, in so many full and partial records."""
        block = self.block_size
        if block and counts:
            full, partial = counts
            if not full * block <= size <= (full + partial) * block:
                return False
        return not (block and self.blocks) or size <= block * self.blocks


def commands_in(text: str) -> list[Command]:
    """Return the dd commands of a line, in their order."""
    if "dd" not in text or "f=" not in text:
        return []
    repeats = bool(_LOOP.search(text))
    return [
        _command(dict(_OPERAND.findall(match["operands"])), repeats=repeats)
        for match in _COMMAND.finditer(text)
        if "if=" in match["operands"] or "of=" in match["operands"]
    ]


def _command(operands: Mapping[str, str], *, repeats: bool) -> Command:
    operands = {name: text.strip("\"'") for name, text in operands.items()}
    words = {name: set(operands.get(name, "").split(",")) for name in ("conv", "iflag", "oflag")}
    op = _direction(operands.get("if"), operands.get("of"))
    flags = {"read": words["iflag"], "write": words["oflag"]}
    return Command(
        op=op,
        block_size=_block_size(operands),
        blocks=_size(operands.get("count")),
        direct="direct" in flags.get(op, words["iflag"] | words["oflag"]),
        flushed=bool(_FLUSHING & words["conv"] or _SYNCHRONOUS & words["oflag"]),
        repeats=repeats,
    )


def _direction(source: str | None, target: str | None) -> str:
    """Return read or write where one side is the medium and the other costs nothing, else copy.

    An image on a device counts as written: the device is what such a command measures.
    """
    if target is None or (source is not None and source == target):
        return "copy"
    if target == "/dev/null":
        return "copy" if source is None or source in _SYNTHETIC else "read"
    if source in _SYNTHETIC:
        return "write"
    to_device = target.startswith("/dev/") and not target.startswith(_STREAMS)
    return "write" if to_device and not (source or "").startswith("/dev/") else "copy"


def _block_size(operands: Mapping[str, str]) -> int | None:
    if "bs" in operands:
        return _size(operands["bs"])
    if "ibs" not in operands and "obs" not in operands:
        return DEFAULT_BLOCK
    sizes = {_size(operands.get(name, str(DEFAULT_BLOCK))) for name in ("ibs", "obs")}
    return sizes.pop() if len(sizes) == 1 else None


def _size(text: str | None) -> int | None:
    """Return dd's `4k`, `1MB` or `2x512` as a number; None when it is none."""
    if not text:
        return None
    product = 1
    for factor in text.split("x"):
        match = _FACTOR.fullmatch(factor)
        if match is None:
            return None
        base = 1000 if match[4] == "B" else 1024
        product *= int(match[1]) * _BLOCKS.get(match[2], 1)
        product *= base ** (" kmgt".index((match[3] or " ").lower()))
    return product or None
