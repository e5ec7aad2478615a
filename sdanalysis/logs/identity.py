"""Lines of a log -> what they say of the card's identity, as the system or a script printed it.

Read are the attributes of `/sys/block/mmcblk*/device/` (as `grep .`, `head` and `cat` show them),
those that `udevadm info --attribute-walk` prints, lines such as `cid: 0353...`, the words of
PiBenchmarks' Storage.sh, and product and size as the kernel, fdisk, lsblk and inxi print them.
A serial number is private: a page that is shared withholds it.

Registers are read as the SD Association's "Physical Layer Simplified Specification", version 6.00,
lays them out: CID in section 5.2, CSD in 5.3, SD status (SSR) in 4.10.2 with its tables of codes,
CRC7 in 4.5. Bits are counted as there, the first printed digit holding the highest. A card that is
soldered in (eMMC) has registers of the same names with other layouts: they are not decoded.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from sdanalysis.codebook.measurement import Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.paths import PROJECT
from sdanalysis.toml import Kinds, check_keys, read_toml

MANUFACTURERS = PROJECT / "data" / "manufacturers.toml"  # facts, whatever data are read

# A line in which none of these stands says nothing of a card, or only to another above it.
_HINT = re.compile(r"cid|csd|ssr|manfid|oemid|mmc|MID:|Class:", re.IGNORECASE)
_LONGEST = 2000  # characters of a line that are looked at
_NAMES = "cid|csd|ssr|manfid|oemid|date|name|serial|type"
_PLACE = rf"/(?P<card>mmcblk\d+|mmc\d+:[0-9a-f]+)/(?:device/)?(?P<name>{_NAMES})"
_ASSIGNED = re.compile(rf"{_PLACE}\s*[:=]\s*(?P<value>\S.*?)\s*$")
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
# Of each family of classes: its highest and lowest bit in the SSR, and what its codes mean.
_CLASSES = {
    "speed class": (447, 440, {0: "", 1: "C2", 2: "C4", 3: "C6", 4: "C10"}),
    "UHS speed grade": (399, 396, {0: "", 1: "U1", 3: "U3"}),
    "video speed class": (391, 384, {0: "", 6: "V6", 10: "V10", 30: "V30", 60: "V60", 90: "V90"}),
    "application class": (339, 336, {0: "", 1: "A1", 2: "A2"}),
}
_MISFIT = "does not fit the other bytes: misread, or written by hand"
_FITS = {None: "not handed on by the host", True: "fits", False: _MISFIT}


class Fact(NamedTuple):
    """One thing that a log says of its card, printed or read; `number` is the capacity in bytes."""

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


def read_identity(lines: Sequence[str]) -> tuple[list[Fact], list[Problem]]:
    """Return the facts of all cards that a log names, and registers that are no good."""
    if not any(map(_HINT.search, lines)):
        return [], []
    printed = list(_attributes(lines))
    of_mmc = [item for item in printed if (item.name, item.value) == ("type", "MMC")]
    soldered = {item.card: item.line for item in reversed(of_mmc)}
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


def _attributes(lines: Sequence[str]) -> Iterator[Fact]:
    """Yield what lines say: several things each, a value beside or below its name, or as udev."""
    waiting: re.Match[str] | None = None
    device: list[Fact] = []
    for number, line in enumerate((*lines, ""), 1):
        text = line[:_LONGEST]
        for sentence in _SENTENCES if _HINT.search(text) else ():
            if found := sentence.search(text):
                facts = found.groupdict()
                card = facts.pop("card", "")
                yield from (Fact(name, value, card, number) for name, value in facts.items())
        if found := _UDEV.match(text):
            device.append(Fact(found["name"], found["value"], line=number))
            continue
        if not text.strip() or text.lstrip().startswith("looking at"):
            yield from device if any(item.name == "cid" for item in device) else ()
            device = []
        elif waiting:
            yield Fact(waiting["name"], text.strip(), waiting["card"], number)
            waiting = None
        elif found := _ASSIGNED.search(text) or _BARE.match(text):
            yield Fact(found["name"].lower(), found["value"], found["card"], number)
        else:
            waiting = _ABOVE.search(text)


def _facts(name: str, printed: str) -> Iterator[Fact]:
    if name in _WORDS:
        yield Fact(_WORDS[name], printed)
    elif name in _UNITS:
        number, (word, factor) = printed.replace(",", "."), _UNITS[name]
        size = int(float(number) * factor)
        yield Fact("capacity", f"{number} {word}, as the system has it", number=size)
    elif name == "date":
        if (date := _DATE.fullmatch(printed)) is None:
            raise SdAnalysisError(f"found the date {printed!r}, expected month/year")
        yield Fact("made", f"{date['year']}-{int(date['month']):02d}")
    elif name == "classes":
        if names := [name or f"C{speed}" for speed, name in _CLASS.findall(printed)]:
            yield Fact("classes", " ".join(names))
    elif name == "manfid":
        yield from _of_maker(printed)
    else:
        yield from _REGISTERS[name](printed)


def _of_maker(printed: str) -> Iterator[Fact]:
    try:
        number = int(printed, 16)
    except ValueError as error:
        raise SdAnalysisError(f"found the manfid {printed!r}, expected 0x...") from error
    yield Fact("manufacturer id", f"0x{number:02x}")
    yield Fact("manufacturer", manufacturer(number))


def read_cid(printed: str) -> Iterator[Fact]:
    """Yield what a CID says; no error repeats the digits, for they hold the serial number."""
    number = _number("cid", printed, 32)
    month = _bits(number, 11, 8)
    if not 1 <= month <= 12:
        raise SdAnalysisError(f"found the month {month} in a cid, expected 1 to 12")
    yield from _of_maker(f"{_bits(number, 127, 120):x}")
    yield Fact("OEM id", _text(_bits(number, 119, 104), 2))
    yield Fact("product name", _text(_bits(number, 103, 64), 5))
    yield Fact("revision", f"{_bits(number, 63, 60)}.{_bits(number, 59, 56)}")
    yield Fact("serial number", f"0x{_bits(number, 55, 24):08x}")
    yield Fact("made", f"{2000 + _bits(number, 19, 12)}-{month:02d}")
    yield _checksum("CID", number)


def read_csd(printed: str) -> Iterator[Fact]:
    """Yield capacity and version of a CSD: version 1 (to 2 GB), 2 (SDHC, SDXC) or 3 (SDUC)."""
    number = _number("csd", printed, 32)
    version = _bits(number, 127, 126) + 1
    if version == 4:
        raise SdAnalysisError("found a csd of version 4, expected 1, 2 or 3")
    if version == 1:
        exponent = _bits(number, 49, 47) + 2 + _bits(number, 83, 80)
        capacity = (_bits(number, 73, 62) + 1) * 2**exponent
    else:
        capacity = (_bits(number, 69 if version == 2 else 75, 48) + 1) * 2**19
    yield Fact("capacity", f"{capacity / 1e9:.2f} GB ({capacity} bytes)", number=capacity)
    yield Fact("CSD version", str(version))
    yield _checksum("CSD", number)


def read_ssr(printed: str) -> Iterator[Fact]:
    """Yield the classes that an SSR claims, as they are printed on cards."""
    number, found = _number("ssr", printed, 128), list[str]()
    for name, (high, low, codes) in _CLASSES.items():
        code = _bits(number, high, low)
        if code not in codes:
            known = ", ".join(map(str, codes))
            raise SdAnalysisError(f"found {code} as {name} in an ssr, expected one of {known}")
        found.append(codes[code])
    yield Fact("classes", " ".join(filter(None, found)) or "none")


_REGISTERS = {"cid": read_cid, "csd": read_csd, "ssr": read_ssr}


def _number(name: str, printed: str, length: int) -> int:
    digits = printed.strip().lower().removeprefix("0x")
    wrong = set(digits) - set("0123456789abcdef")
    if wrong or len(digits) != length:
        kinds = f"characters, {len(wrong)} kinds of them no" if wrong else "hexadecimal"
        found = f"found a {name} of {len(digits)} {kinds} digits"
        raise SdAnalysisError(f"{found}, expected {length} hexadecimal digits")
    if len(set(digits)) == 1 and digits[0] in "0f":
        raise SdAnalysisError(f"found a {name} of nothing but {digits[0]}, expected a register")
    return int(digits, 16)


def _bits(number: int, high: int, low: int) -> int:
    return number >> low & (1 << high - low + 1) - 1


def _text(number: int, length: int) -> str:
    """Return characters as printed; what is not printable ASCII as its code."""
    codes = number.to_bytes(length, "big")
    return "".join(chr(code) if 32 <= code < 127 else f"\\x{code:02x}" for code in codes).strip()


def crc7(content: bytes) -> int:
    """Return the cyclic redundancy check of a register: x^7 + x^3 + 1, from zero."""
    remainder = 0  # with an empty bit below
    for byte in content:
        remainder ^= byte
        for _ in range(8):
            remainder = remainder << 1 ^ (0x89 << 1 if remainder & 0x80 else 0)
    return remainder >> 1


def _checksum(name: str, number: int) -> Fact:
    """Tell whether the last byte (CRC7, then a one) fits; SDHCI hosts keep it and leave a 0."""
    *content, last = number.to_bytes(16, "big")
    fits = None if last == 0 else last == crc7(bytes(content)) << 1 | 1
    return Fact(f"{name} checksum", _FITS[fits], misfit=fits is False)


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
