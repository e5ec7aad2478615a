"""A capture -> measurements, by the readers of the tools that wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from operator import attrgetter

from sdanalysis.codebook.measurement import Item, Measurement
from sdanalysis.errors import ParseError, check_known
from sdanalysis.parsers.capture import Capture

# Every output of a tool holds one of these words, so that the other readers need not be loaded.
WORDS: dict[str, tuple[str, ...]] = {
    # `5120+0 records out`, and the end of `..., 13.5 MB/s`, whose words may be translated
    "dd": ("+", "copied", "transferred", "/s\n", "dd: "),
    "ddrescue": ("ddrescue", "average rate:"),
    "fio": ('"fio version"', '"jobname', "(g", "IOPS=", "runt=", "%=", "aggrb=", ": bw=", "fio"),
    "hdparm": ("Timing",),
    "iozone": ("reclen", "ozone:", "Command line used:", "see throughput", "report"),
    "scripts": ("iozone 4K ", "HDParm", "seq-write;", "rand-4k-", "(target ", "RandWrite: "),
}
PLACE = attrgetter("line", "column")


def reader(tool: str) -> Callable[..., Iterable[Item]]:
    """Return the reader of a tool, imported when it is needed: most logs are of one tool."""
    parse: Callable[..., Iterable[Item]] = import_module(f"{__name__}.{tool}").parse
    return parse


def tools_in(capture: Capture) -> list[str]:
    """Return the tools whose words stand in a capture; fio's side logs begin with a digit."""
    found = [tool for tool, words in WORDS.items() if any(map(capture.holds, words))]
    if "dd" not in found and capture.text.endswith("/s"):  # a line that was cut before its end
        found.append("dd")
    begin = capture.text[:1000].lstrip()[:1]
    return found or (["fio"] if begin in set("0123456789") or not capture.text.strip() else [])


def parse(capture: Capture, tools: Iterable[str]) -> list[Measurement]:
    """Return what the named tools' readers find, in the order of the lines.

    Raises ParseError: A line announces a result that its reader cannot read.
    """
    found: list[Measurement] = []
    plain = capture.without_prefix()
    for tool in tools:
        check_known("parser", tool, sorted(WORDS))
        for item in reader(tool)(plain):
            if isinstance(item, Measurement):
                found.append(item)
            elif item.kind != "note":
                raise ParseError(item.line, item.text)
    return sorted(found, key=PLACE)
