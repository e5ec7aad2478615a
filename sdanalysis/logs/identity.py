"""Lines of a log -> what they say of the card's identity, as the system or a script printed it.

Read are the attributes of `/sys/block/mmcblk*/device/` (as `grep .`, `head` and `cat` show them),
those that `udevadm info --attribute-walk` prints, lines such as `cid: 0353...`, the words of
PiBenchmarks' Storage.sh, and product and size as the kernel, fdisk, lsblk and inxi print them.
A serial number is private: a page that is shared withholds it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from sdanalysis.codebook.measurement import Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.registers import read_cid, read_csd, read_ssr
from sdanalysis.paths import PROJECT
from sdanalysis.toml import Kinds, check_keys, read_toml

MANUFACTURERS = PROJECT / "data" / "manufacturers.toml"  # facts, whatever data are read

# A line in which none of these stands says nothing of a card, or only to another above it.
_HINT = re.compile(r"cid|csd|ssr|manfid|oemid|mmc|MID:|Class:", re.IGNORECASE)
_LONGEST = 2000  # characters of a line that are looked at
_NAMES = "cid|csd|ssr|manfid|oemid|date|name|serial|type"
_PLACE = rf"/(?P<card>mmcblk\d+|mmc\d+:[0-9a-f]+)/(?:device/)?(?P<name>{_NAMES})"
_BESIDE = re.compile(rf"{_PLACE}\s*[:=]\s*(?P<value>\S.*?)\s*$")
_ABOVE = re.compile(rf"(?:^\s*|^==> |\bcat\s+|^.*[$#] )\S*{_PLACE}(?: <==)?\s*$")
_UDEV = re.compile(rf'^\s*ATTRS?\{{(?P<name>{_NAMES})\}}=="(?P<value>[^"]*)"')
_BARE = re.compile(
    r"^(?P<card>)\s*(?P<name>(?P<register>cid|csd|ssr)|manfid|oemid)\s*[:=\s]\s*"
    r"(?P<value>(?(register)(?:0x)?[0-9a-f]{16,}|0x[0-9a-f]+))\s*$",
    re.IGNORECASE,
)
# Lines that say several things: each group is an attribute, but for the card that they are of.
_SENTENCES = [
    re.compile(pattern, re.ASCII)
    for pattern in (
        # PiBenchmarks
        r"MID: (?P<manfid>[0-9a-fA-F]{1,2}) OID: (?P<oem>.{0,2}?) PNM: (?P<name>.{1,5}?) "
        r"PRV: (?P<revision>[0-9a-f]+\.[0-9a-f]+) MDATE: (?P<date>\d{1,2}/\d{4})",
        r"(?:^MicroSD information:.* - |^)Class: (?P<classes>[AVU\d][\w ]*?)\s*$",
        # fdisk, lsblk, the kernel, inxi
        r"^\s*Disk /dev/(?P<card>mmcblk\d+): .*?(?P<bytes>\d{9,}) bytes",
        r"^(?P<card>mmcblk\d+)\s+\d+:\d+\s+\d\s+(?P<gib>\d+(?:[.,]\d+)?)G\s+\d\s+disk\b",
        r"\b(?P<card>mmcblk\d+): mmc\d+:[0-9a-f]{4} (?P<name>\S{1,6}) (?P<gib>\d+(?:\.\d+)?) GiB",
        r"/dev/(?P<card>mmcblk\d+) (?:.*? )?model: (?P<name>\S{1,6}) "
        r".*?size: (?P<gib>\d+(?:\.\d+)?) GiB",
    )
]
_SOLDERED = "not decoded: an eMMC chip, whose registers have another layout"
_CLASS = re.compile(r"\b(?:Class (\d+)|([AUV]\d+))\b", re.ASCII)
_DATE = re.compile(r"(?P<month>0?[1-9]|1[0-2])/(?P<year>\d{4})", re.ASCII)
_WORDS = {"oem": "OEM id", "oemid": "OEM id as printed", "name": "product name"}
_WORDS |= {"revision": "revision", "serial": "serial number", "type": "type"}
_UNITS = {"bytes": ("bytes", 1), "gib": ("GiB", 2**30)}
_REGISTERS = ("cid", "csd", "ssr")
_MISFIT = "does not fit the other bytes: misread, or written by hand"
_FITS = {None: "not handed on by the host", True: "fits", False: _MISFIT}


class Fact(NamedTuple):
    """One thing that a log says of its card; `number` is the capacity in bytes."""

    name: str
    value: str
    card: str = ""
    line: int = 1
    number: int | None = None
    misfit: bool = False

    @property
    def private(self) -> bool:
        """Tell whether it is shown only when asked for."""
        return self.name == "serial number"


class _Attribute(NamedTuple):
    """One attribute as it is printed."""

    card: str
    name: str
    value: str
    line: int


def read_identity(lines: Sequence[str]) -> tuple[list[Fact], list[Problem]]:
    """Return the facts of all cards that a log names, and registers that are no good."""
    if not any(map(_HINT.search, lines)):
        return [], []
    printed = list(_attributes(lines))
    types = [item for item in reversed(printed) if item.name == "type"]
    soldered = {item.card: item.line for item in types if item.value == "MMC"}
    facts: list[Fact] = []
    problems: list[Problem] = []
    for item in printed:
        if item.card in soldered and item.name in _REGISTERS:
            continue
        try:
            found = [*_facts(item.name, item.value)]
        except SdAnalysisError as error:
            problems.append(Problem(item.line, str(error)))
            continue
        facts += [fact._replace(card=item.card, line=item.line) for fact in found]
        misfits = [f"{fact.name} {fact.value}" for fact in found if fact.misfit]
        problems += [Problem(item.line, f"found a {item.name} whose {what}") for what in misfits]
    facts += [Fact("registers", _SOLDERED, card, line) for card, line in soldered.items()]
    facts.sort(key=attrgetter("line"))
    return facts, [*problems, *_contradictions(facts)]


def _attributes(lines: Sequence[str]) -> Iterator[_Attribute]:
    """Yield what lines say: several things each, a value beside or below its name, or as udev."""
    waiting: re.Match[str] | None = None
    device: list[_Attribute] = []
    for number, line in enumerate((*lines, ""), 1):
        text = line[:_LONGEST]
        for sentence in _SENTENCES if _HINT.search(text) else ():
            if found := sentence.search(text):
                said = found.groupdict()
                card = said.pop("card", "")
                yield from (_Attribute(card, name, value, number) for name, value in said.items())
        if found := _UDEV.match(text):
            device.append(_Attribute("", found["name"], found["value"], number))
            continue
        if not text.strip() or text.lstrip().startswith("looking at"):
            yield from device if any(item.name == "cid" for item in device) else ()
            device = []
        elif waiting:
            yield _Attribute(waiting["card"], waiting["name"], text.strip(), number)
            waiting = None
        elif found := _BESIDE.search(text) or _BARE.match(text):
            yield _Attribute(found["card"], found["name"].lower(), found["value"], number)
        else:
            waiting = _ABOVE.search(text)


def _facts(name: str, printed: str) -> Iterator[Fact]:
    if name in _WORDS:
        yield Fact(_WORDS[name], printed)
    elif name == "manfid":
        yield from _of_maker(printed)
    elif name == "date":
        if (date := _DATE.fullmatch(printed)) is None:
            raise SdAnalysisError(f"found the date {printed!r}, expected month/year")
        yield Fact("made", f"{date['year']}-{int(date['month']):02d}")
    elif name == "classes":
        if names := [name or f"C{speed}" for speed, name in _CLASS.findall(printed)]:
            yield Fact("classes", " ".join(names))
    elif name in _UNITS:
        number, (word, factor) = printed.replace(",", "."), _UNITS[name]
        size = int(float(number) * factor)
        yield Fact("capacity", f"{number} {word}, as the system has it", number=size)
    else:
        yield from _of_register(name, printed)


def _of_register(name: str, printed: str) -> Iterator[Fact]:
    if name == "ssr":
        yield Fact("classes", " ".join(read_ssr(printed)) or "none")
        return
    if name == "csd":
        csd = read_csd(printed)
        words = f"{csd.capacity / 1e9:.2f} GB ({csd.capacity} bytes)"
        yield Fact("capacity", words, number=csd.capacity)
        yield Fact("CSD version", str(csd.version))
        fits = csd.checksum
    else:
        cid = read_cid(printed)
        yield from _of_maker(f"{cid.manufacturer:x}")
        yield Fact("OEM id", cid.oem)
        yield Fact("product name", cid.product)
        yield Fact("revision", cid.revision)
        yield Fact("serial number", f"0x{cid.serial:08x}")
        yield Fact("made", f"{cid.year}-{cid.month:02d}")
        fits = cid.checksum
    yield Fact(f"{name.upper()} checksum", _FITS[fits], misfit=fits is False)


def _of_maker(printed: str) -> Iterator[Fact]:
    try:
        number = int(printed, 16)
    except ValueError as error:
        raise SdAnalysisError(f"found the manfid {printed!r}, expected 0x...") from error
    yield Fact("manufacturer id", f"0x{number:02x}")
    yield Fact("manufacturer", manufacturer(number))


def _contradictions(facts: Sequence[Fact]) -> Iterator[Problem]:
    """Yield the first fact of a card that says another thing than one above it."""
    for name in ("manufacturer id", "made", "product name", "serial number"):
        for card in dict.fromkeys(fact.card for fact in facts):
            same = [fact for fact in facts if (fact.card, fact.name) == (card, name)]
            other = next((fact for fact in same if fact.value != same[0].value), None)
            if other:
                values = "" if other.private else f" ({same[0].value} and {other.value})"
                text = f"found another {name} than in line {same[0].line}{values}, expected one"
                yield Problem(other.line, text, "doubt")


class Manufacturer(NamedTuple):
    """Whose a manufacturer id is: `brands` sell nothing but cards with it, `oem` stands beside."""

    id: int
    name: str
    evidence: Sequence[str]
    brands: Sequence[str] = ()
    oem: str | None = None


def manufacturer(number: int) -> str:
    """Return the maker behind a manufacturer id, or that it is not known."""
    known = manufacturers().get(number)
    return known.name if known else f"unknown (id 0x{number:02x} is not in our table)"


@cache
def manufacturers() -> Mapping[int, Manufacturer]:
    """Return what is known of manufacturer ids, by id."""
    content = read_toml(MANUFACTURERS)
    check_keys(str(MANUFACTURERS), content, {"manufacturer": list[dict]}, {})
    keys: Kinds = {"id": int, "name": str, "evidence": list[str]}
    for entry in content["manufacturer"]:
        where = f"{MANUFACTURERS}: {entry.get('name', '?')}"
        check_keys(where, entry, keys, {"brands": list[str], "oem": str})
    return {entry["id"]: Manufacturer(**entry) for entry in content["manufacturer"]}
