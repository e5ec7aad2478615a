"""Lines of a log -> what they say of the card's identity, as the system or a script printed it.

Read are the attributes of `/sys/block/mmcblk*/device/` (as `grep .`, `head` and `cat` show them),
those that `udevadm info --attribute-walk` prints, lines such as `cid: 0353...`, and the words of
PiBenchmarks' Storage.sh. A serial number is marked private: a page that is shared withholds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.registers import read_cid, read_csd, read_ssr
from sdanalysis.paths import DATA
from sdanalysis.toml import check_keys, read_toml

MANUFACTURERS = DATA / "manufacturers.toml"

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
    r"PRV: (?P<revision>[0-9a-f]+\.[0-9a-f]+) MDATE: (?P<month>\d{1,2})/(?P<year>\d{4})"
)
_CLASSES = re.compile(r"(?:^MicroSD information:.* - |^)Class: (?P<classes>[AVU\d][\w ]*?)\s*$")
_HINT = re.compile(r"cid|csd|ssr|manfid|oemid|mmc|MID:|Class:", re.IGNORECASE)
_CLASS = re.compile(r"\b(?:Class (\d+)|([AUV]\d+))\b")


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One thing that a log says of its card; `private` facts are shown only when asked for."""

    card: str
    name: str
    value: str
    line: int
    private: bool = False


def read_identity(lines: Sequence[Line]) -> tuple[list[Fact], list[Problem]]:
    """Return the facts of all cards that a log names, in the order of the lines, and problems.

    A register that cannot be read, and one whose checksum does not fit, is a problem.
    """
    lines = [Line(line.number, line.text[:2000]) for line in lines]
    if not any(_HINT.search(line.text) for line in lines):
        return [], []
    facts: list[Fact] = []
    problems: list[Problem] = []
    printed = list(_attributes(lines))
    soldered = {card for card, name, value, _ in printed if name == "type" and value == "MMC"}
    for card, name, value, line in printed:
        if card in soldered and name in _READERS:
            continue
        try:
            found = list(_READERS.get(name, _plain)(name, value))
        except SdAnalysisError as error:
            problems.append(Problem(line=line, text=str(error)))
            continue
        for key, text, private in found:
            facts.append(Fact(card=card, name=key, value=text, line=line, private=private))
            if text.startswith("does not fit"):
                problems.append(Problem(line=line, text=f"found a {name} whose {key} {text}"))
    facts += _of_scripts(lines)
    facts += [_soldered(card, printed) for card in sorted(soldered)]
    return sorted(facts, key=lambda one: one.line), [*problems, *_contradictions(facts)]


def manufacturer(number: int) -> str:
    """Return the maker behind a manufacturer id, or that it is not known."""
    return _manufacturers().get(number, f"unknown (id 0x{number:02x} is not in our table)")


@cache
def _manufacturers() -> Mapping[int, str]:
    content = read_toml(MANUFACTURERS)
    for entry in content["manufacturer"]:
        keys = {"id": int, "name": str, "evidence": list[str]}
        check_keys(f"{MANUFACTURERS}: {entry.get('name', '?')}", entry, keys, {})
    return {entry["id"]: entry["name"] for entry in content["manufacturer"]}


def _attributes(lines: Sequence[Line]) -> Iterator[tuple[str, str, str, int]]:
    """Yield card, name, value and line of each attribute."""
    waiting: re.Match[str] | None = None
    walk: list[tuple[str, str, str, int]] = []
    for number, text in lines:
        if found := _UDEV.match(text):
            walk.append(("", found["name"], found["value"], number))
            continue
        if not text.strip() or text.lstrip().startswith("looking at"):
            yield from _of_a_card(walk)
            walk = []
        if waiting and text.strip():
            yield waiting["device"], waiting["name"], text.strip(), number
            waiting = None
        elif found := _BESIDE.search(text):
            yield found["device"], found["name"], found["value"], number
        elif found := _ABOVE.search(text):
            waiting = found
        elif found := _BARE.match(text):
            yield "", *_named(found), number
    yield from _of_a_card(walk)


def _named(found: re.Match[str]) -> tuple[str, str]:
    name, value = found["name"] or found["id"], found["value"] or found["number"]
    return name.lower(), value


def _of_a_card(walk: list[tuple[str, str, str, int]]) -> Iterator[tuple[str, str, str, int]]:
    """Yield the attributes of a device, if it has a CID: others have names and dates as well."""
    if any(name == "cid" for _, name, _, _ in walk):
        yield from walk


_Found = Iterator[tuple[str, str, bool]]


def _of_cid(_: str, printed: str) -> _Found:
    cid = read_cid(printed)
    yield "manufacturer id", f"0x{cid.manufacturer:02x}", False
    yield "manufacturer", manufacturer(cid.manufacturer), False
    yield "OEM id", cid.oem, False
    yield "product name", cid.product, False
    yield "revision", cid.revision, False
    yield "serial number", f"0x{cid.serial:08x}", True
    yield "made", f"{cid.year}-{cid.month:02d}", False
    yield "CID checksum", _checked(cid.checksum), False


def _of_csd(_: str, printed: str) -> _Found:
    csd = read_csd(printed)
    yield "capacity", f"{csd.capacity / 1e9:.2f} GB ({csd.capacity} bytes)", False
    yield "CSD version", str(csd.version), False
    yield "CSD checksum", _checked(csd.checksum), False


def _of_ssr(_: str, printed: str) -> _Found:
    yield "classes", " ".join(read_ssr(printed)) or "none", False


def _checked(fits: bool | None) -> str:
    if fits is None:
        return "not handed on by the host"
    return "fits" if fits else "does not fit the other bytes: misread, or written by hand"


_PLAIN = {"oemid": "OEM id as printed", "name": "product name", "type": "type"}


def _plain(name: str, value: str) -> _Found:
    if name == "serial":
        yield "serial number", value, True
    elif name == "date":
        month, _, year = value.partition("/")
        if not (month.isdigit() and year.isdigit() and 1 <= int(month) <= 12):
            raise SdAnalysisError(f"found the date {value!r}, expected month/year")
        yield "made", f"{year}-{int(month):02d}", False
    elif name == "manfid":
        number = _hexadecimal(name, value)
        yield "manufacturer id", f"0x{number:02x}", False
        yield "manufacturer", manufacturer(number), False
    elif name in _PLAIN:
        yield _PLAIN[name], value, False


def _hexadecimal(name: str, value: str) -> int:
    try:
        return int(value, 16)
    except ValueError as error:
        raise SdAnalysisError(f"found the {name} {value!r}, expected 0x...") from error


_READERS: Mapping[str, Callable[[str, str], _Found]] = {
    "cid": _of_cid,
    "csd": _of_csd,
    "ssr": _of_ssr,
}


def _of_scripts(lines: Sequence[Line]) -> Iterator[Fact]:
    """Yield what PiBenchmarks says in its own words: `MID: 3 OID: SD ...`, `Class: A1 ...`."""
    for number, text in lines:
        if found := _SCRIPT.search(text):
            of = {
                "manufacturer id": f"0x{int(found['mid'], 16):02x}",
                "manufacturer": manufacturer(int(found["mid"], 16)),
                "OEM id": found["oem"],
                "product name": found["product"],
                "revision": found["revision"],
                "made": f"{found['year']}-{int(found['month']):02d}",
            }
            for name, value in of.items():
                yield Fact(card="", name=name, value=value, line=number)
        if found := _CLASSES.search(text):
            names = [one or f"C{number}" for number, one in _CLASS.findall(found["classes"])]
            if names:
                yield Fact(card="", name="classes", value=" ".join(names), line=number)


def _soldered(card: str, printed: Sequence[tuple[str, str, str, int]]) -> Fact:
    line = next(line for one, name, _, line in printed if one == card and name == "type")
    text = "not decoded: an eMMC chip, whose registers have another layout"
    return Fact(card=card, name="registers", value=text, line=line)


def _contradictions(facts: Sequence[Fact]) -> Iterator[Problem]:
    """Yield the facts of one card that say different things."""
    for name in ("manufacturer id", "made", "product name", "serial number"):
        for card in {one.card for one in facts}:
            same = [one for one in facts if (one.card, one.name) == (card, name)]
            other = next((one for one in same if one.value != same[0].value), None)
            if other:
                values = "" if other.private else f" ({same[0].value} and {other.value})"
                text = f"found another {name} than in line {same[0].line}{values}, expected one"
                yield Problem(line=other.line, text=text, kind="doubt")
