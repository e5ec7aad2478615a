"""A pasted dd command -> direction, block size, direct I/O: dd's own output says none of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

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
_SIZE = re.compile(r"([0-9]{1,18})(?:([cwb])|([kKmMgGtT])(i?B|b)?)?")
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
        match = _SIZE.fullmatch(factor)
        if match is None:
            return None
        base = 1000 if match[4] == "B" else 1024
        product *= int(match[1]) * _BLOCKS.get(match[2], 1)
        product *= base ** (" kmgt".index((match[3] or " ").lower()))
    return product or None
