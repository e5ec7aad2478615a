"""Lines of a log -> what they say of the card's identity, as the system or a script printed it.

Read are the attributes of `/sys/block/mmcblk*/device/` (as `grep .`, `head` and `cat` show them),
those that `udevadm info --attribute-walk` prints, lines such as `cid: 0353...`, the words of
PiBenchmarks' Storage.sh, and product and size as the kernel, fdisk, lsblk and inxi print them.
A serial number is marked private: a page that is shared withholds it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from typing import NamedTuple

from sdanalysis.codebook.measurement import Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.registers import read_cid, read_csd, read_ssr
from sdanalysis.paths import PROJECT
from sdanalysis.toml import Kinds, check_keys, read_toml

MANUFACTURERS = PROJECT / "data" / "manufacturers.toml"  # facts, whatever data are read

_NAMES = "cid|csd|ssr|manfid|oemid|date|name|serial|hwrev|fwrev|type"
_WHERE = rf"/(?P<device>mmcblk\d+|mmc\d+:[0-9a-f]+)/(?:device/)?(?P<name>{_NAMES})"
_BESIDE = re.compile(rf"{_WHERE}\s*[:=]\s*(?P<value>\S.*?)\s*$")
_ABOVE = re.compile(rf"(?:^\s*|^==> |\bcat\s+|^.*[$#] )\S*{_WHERE}(?: <==)?\s*$")
_UDEV = re.compile(rf'^\s*ATTRS?\{{(?P<name>{_NAMES})\}}=="(?P<value>[^"]*)"')
_BARE = re.compile(
    r"^\s*(?P<name>cid|csd|ssr)\s*(?:[:=]|\s)\s*(?P<value>(?:0x)?[0-9a-f]{16,})\s*$"
    r"|^\s*(?P<id>manfid|oemid)\s*(?:[:=]|\s)\s*(?P<number>0x[0-9a-f]+)\s*$",
    re.IGNORECASE,
)
_SCRIPT = re.compile(
    r"MID: (?P<mid>[0-9a-fA-F]{1,2}) OID: (?P<oem>.{0,2}?) PNM: (?P<product>.{1,5}?) "
    r"PRV: (?P<revision>[0-9a-f]+\.[0-9a-f]+) MDATE: (?P<month>\d{1,2})/(?P<year>\d{4})",
    re.ASCII,
)
_DATE = re.compile(r"(?P<month>0?[1-9]|1[0-2])/(?P<year>\d{4})", re.ASCII)
_CLASSES = re.compile(
    r"(?:^MicroSD information:.* - |^)Class: (?P<classes>[AVU\d][\w ]*?)\s*$", re.ASCII
)
_SIZES = re.compile(
    r"^\s*Disk /dev/(?P<fdisk>mmcblk\d+): .*?(?P<bytes>\d{9,}) bytes"
    r"|^(?P<lsblk>mmcblk\d+)\s+\d+:\d+\s+\d\s+(?P<size>\d+(?:[.,]\d+)?)G\s+\d\s+disk\b"
    r"|\b(?P<kernel>mmcblk\d+): mmc\d+:[0-9a-f]{4} (?P<product>\S{1,6}) (?P<gib>\d+(?:\.\d+)?) GiB"
    r"|/dev/(?P<inxi>mmcblk\d+) (?:.*? )?model: (?P<model>\S{1,6}) "
    r".*?size: (?P<large>\d+(?:\.\d+)?) GiB",
    re.ASCII,
)
_HINT = re.compile(r"cid|csd|ssr|manfid|oemid|mmc|MID:|Class:", re.IGNORECASE)
Numbered = Sequence[tuple[int, str]]
_CLASS = re.compile(r"\b(?:Class (\d+)|([AUV]\d+))\b", re.ASCII)


class Fact(NamedTuple):
    """One thing that a log says of its card; `private` facts are shown only when asked for.

    `number` is the capacity in bytes; `misfit` tells of a checksum that does not fit.
    """

    card: str
    name: str
    value: str
    line: int
    private: bool = False
    number: int | None = None
    misfit: bool = False


class Attribute(NamedTuple):
    """One attribute as it is printed; `card` is the device, empty where that is not stated."""

    card: str
    name: str
    value: str
    line: int


def read_identity(lines: Sequence[str]) -> tuple[list[Fact], list[Problem]]:
    """Return the facts of all cards that a log names, in the order of the lines, and problems.

    A register that cannot be read, and one whose checksum does not fit, is a problem.
    """
    told = [(number, text[:2000]) for number, text in enumerate(lines, 1) if _HINT.search(text)]
    if not told:
        return [], []
    shown = [(number, text[:2000]) for number, text in enumerate(lines, 1)]
    facts: list[Fact] = []
    problems: list[Problem] = []
    printed = list(_attributes(shown))
    soldered = {
        item.card: item.line
        for item in reversed(printed)
        if (item.name, item.value) == ("type", "MMC")
    }
    for item in printed:
        if item.card in soldered and item.name in _REGISTERS:
            continue
        try:
            found = list(_REGISTERS.get(item.name, _plain)(item))
        except SdAnalysisError as error:
            problems.append(Problem(line=item.line, text=str(error)))
            continue
        facts += found
        problems += [
            Problem(line=item.line, text=f"found a {item.name} whose {fact.name} {fact.value}")
            for fact in found
            if fact.misfit
        ]
    facts += _of_scripts(told)
    facts += _of_the_system(told)
    text = "not decoded: an eMMC chip, whose registers have another layout"
    for card, line in sorted(soldered.items()):
        facts.append(Fact(card=card, name="registers", value=text, line=line))
    return sorted(facts, key=attrgetter("line")), [*problems, *_contradictions(facts)]


class Manufacturer(NamedTuple):
    """Whose a manufacturer id is: `brands` sell nothing but cards with it, `oem` stands beside."""

    number: int
    name: str
    brands: tuple[str, ...] = ()
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
    found = {}
    for entry in content["manufacturer"]:
        keys: Kinds = {"id": int, "name": str, "evidence": list[str]}
        optional: Kinds = {"brands": list[str], "oem": str}
        check_keys(f"{MANUFACTURERS}: {entry.get('name', '?')}", entry, keys, optional)
        brands = tuple(entry.get("brands", ()))
        found[entry["id"]] = Manufacturer(entry["id"], entry["name"], brands, entry.get("oem"))
    return found


def _attributes(lines: Numbered) -> Iterator[Attribute]:
    waiting: re.Match[str] | None = None
    walk: list[Attribute] = []
    for number, text in lines:
        if found := _UDEV.match(text):
            walk.append(Attribute("", found["name"], found["value"], number))
            continue
        if not text.strip() or text.lstrip().startswith("looking at"):
            yield from _of_a_card(walk)
            walk = []
        if waiting and text.strip():
            yield Attribute(waiting["device"], waiting["name"], text.strip(), number)
            waiting = None
        elif found := _BESIDE.search(text):
            yield Attribute(found["device"], found["name"], found["value"], number)
        elif found := _ABOVE.search(text):
            waiting = found
        elif found := _BARE.match(text):
            name, value = found["name"] or found["id"], found["value"] or found["number"]
            yield Attribute("", name.lower(), value, number)
    yield from _of_a_card(walk)


def _of_a_card(walk: Sequence[Attribute]) -> Iterator[Attribute]:
    """Yield the attributes of a device, if it has a CID: others have names and dates as well."""
    if any(item.name == "cid" for item in walk):
        yield from walk


def _of_cid(item: Attribute) -> Iterator[Fact]:
    cid = read_cid(item.value)
    fact = partial(Fact, card=item.card, line=item.line)
    yield from _of_maker(fact, cid.manufacturer)
    yield fact(name="OEM id", value=cid.oem)
    yield fact(name="product name", value=cid.product)
    yield fact(name="revision", value=cid.revision)
    yield fact(name="serial number", value=f"0x{cid.serial:08x}", private=True)
    yield fact(name="made", value=f"{cid.year}-{cid.month:02d}")
    yield _checksum(item, cid.checksum)


def _of_maker(fact: Callable[..., Fact], number: int) -> Iterator[Fact]:
    yield fact(name="manufacturer id", value=f"0x{number:02x}")
    yield fact(name="manufacturer", value=manufacturer(number))


def _of_csd(item: Attribute) -> Iterator[Fact]:
    csd = read_csd(item.value)
    fact = partial(Fact, card=item.card, line=item.line)
    words = f"{csd.capacity / 1e9:.2f} GB ({csd.capacity} bytes)"
    yield fact(name="capacity", value=words, number=csd.capacity)
    yield fact(name="CSD version", value=str(csd.version))
    yield _checksum(item, csd.checksum)


def _of_ssr(item: Attribute) -> Iterator[Fact]:
    classes = " ".join(read_ssr(item.value)) or "none"
    yield Fact(card=item.card, name="classes", value=classes, line=item.line)


def _checksum(item: Attribute, fits: bool | None) -> Fact:
    words = {
        None: "not handed on by the host",
        True: "fits",
        False: "does not fit the other bytes: misread, or written by hand",
    }
    name = f"{item.name.upper()} checksum"
    return Fact(card=item.card, name=name, value=words[fits], line=item.line, misfit=fits is False)


_REGISTERS = {"cid": _of_cid, "csd": _of_csd, "ssr": _of_ssr}
_PLAIN = {"oemid": "OEM id as printed", "name": "product name", "type": "type"}


def _plain(item: Attribute) -> Iterator[Fact]:
    """Yield what an attribute says that the system has read already."""
    fact = partial(Fact, card=item.card, line=item.line)
    if item.name == "serial":
        yield fact(name="serial number", value=item.value, private=True)
    elif item.name == "date":
        date = _DATE.fullmatch(item.value)
        if date is None:
            raise SdAnalysisError(f"found the date {item.value!r}, expected month/year")
        yield fact(name="made", value=f"{date['year']}-{int(date['month']):02d}")
    elif item.name == "manfid":
        yield from _of_maker(fact, _hexadecimal(item))
    elif item.name in _PLAIN:
        yield fact(name=_PLAIN[item.name], value=item.value)


def _hexadecimal(item: Attribute) -> int:
    try:
        return int(item.value, 16)
    except ValueError as error:
        raise SdAnalysisError(f"found the {item.name} {item.value!r}, expected 0x...") from error


def _of_scripts(lines: Numbered) -> Iterator[Fact]:
    """Yield what PiBenchmarks says in its own words: `MID: 3 OID: SD ...`, `Class: A1 ...`."""
    for number, text in lines:
        fact = partial(Fact, card="", line=number)
        if found := _SCRIPT.search(text):
            yield from _of_maker(fact, int(found["mid"], 16))
            yield fact(name="OEM id", value=found["oem"])
            yield fact(name="product name", value=found["product"])
            yield fact(name="revision", value=found["revision"])
            yield fact(name="made", value=f"{found['year']}-{int(found['month']):02d}")
        if found := _CLASSES.search(text):
            pairs = _CLASS.findall(found["classes"])
            if names := [name or f"C{speed}" for speed, name in pairs]:
                yield fact(name="classes", value=" ".join(names))


def _of_the_system(lines: Numbered) -> Iterator[Fact]:
    """Yield size and product of a card as the kernel and the tools of the system print them."""
    for number, text in lines:
        if "mmcblk" not in text or not (found := _SIZES.search(text)):
            continue
        device = found["fdisk"] or found["lsblk"] or found["kernel"] or found["inxi"]
        fact = partial(Fact, card=device, line=number)
        if product := found["product"] or found["model"]:
            yield fact(name="product name", value=product)
        if found["bytes"]:
            size, words = int(found["bytes"]), f"{found['bytes']} bytes"
        else:
            printed = (found["size"] or found["gib"] or found["large"]).replace(",", ".")
            size, words = int(float(printed) * 2**30), f"{printed} GiB"
        yield fact(name="capacity", value=f"{words}, as the system has it", number=size)


def _contradictions(facts: Sequence[Fact]) -> Iterator[Problem]:
    """Yield the facts of one card that say different things."""
    for name in ("manufacturer id", "made", "product name", "serial number"):
        for card in {fact.card for fact in facts}:
            same = [fact for fact in facts if (fact.card, fact.name) == (card, name)]
            other = next((fact for fact in same if fact.value != same[0].value), None)
            if other:
                values = "" if other.private else f" ({same[0].value} and {other.value})"
                text = f"found another {name} than in line {same[0].line}{values}, expected one"
                yield Problem(line=other.line, text=text, kind="doubt")
