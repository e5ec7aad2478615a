"""Registers of an SD card (CID, CSD, SSR) as hexadecimal digits -> what they say.

The layout is that of the SD Association's "Physical Layer Simplified Specification", version 6.00:
CID in section 5.2, CSD in 5.3, SD status (SSR) in 4.10.2 with its tables of codes, CRC7 in 4.5.
Bits are counted as there, the first printed digit holding the highest. A card that is soldered in
(eMMC) has registers of the same names with other layouts: they are not for these functions.
"""

from typing import NamedTuple

from sdanalysis.errors import SdAnalysisError

# Of each family of classes: its highest and lowest bit in the SSR, and what its codes mean.
_CLASSES = {
    "speed class": (447, 440, {0: "", 1: "C2", 2: "C4", 3: "C6", 4: "C10"}),
    "UHS speed grade": (399, 396, {0: "", 1: "U1", 3: "U3"}),
    "video speed class": (391, 384, {0: "", 6: "V6", 10: "V10", 30: "V30", 60: "V60", 90: "V90"}),
    "application class": (339, 336, {0: "", 1: "A1", 2: "A2"}),
}
_HALF_MEGABYTE = 512 * 1024


class Cid(NamedTuple):
    """What identifies a card; `checksum` is missing where the host did not hand it on."""

    manufacturer: int
    oem: str
    product: str
    revision: str
    serial: int
    year: int
    month: int
    checksum: bool | None


class Csd(NamedTuple):
    """The structure's version and the capacity in bytes."""

    version: int
    capacity: int
    checksum: bool | None


def crc7(content: bytes) -> int:
    """Return the cyclic redundancy check of a register: x^7 + x^3 + 1, from zero."""
    remainder = 0  # with an empty bit below
    for byte in content:
        remainder ^= byte
        for _ in range(8):
            remainder = remainder << 1 ^ (0x89 << 1 if remainder & 0x80 else 0)
    return remainder >> 1


def read_cid(printed: str) -> Cid:
    """Return the fields of a CID; no error repeats the digits, for they hold the serial number."""
    number = _number("cid", printed, 32)
    month = _bits(number, 11, 8)
    if not 1 <= month <= 12:
        raise SdAnalysisError(f"found the month {month} in a cid, expected 1 to 12")
    return Cid(
        manufacturer=_bits(number, 127, 120),
        oem=_text(_bits(number, 119, 104), 2),
        product=_text(_bits(number, 103, 64), 5),
        revision=f"{_bits(number, 63, 60)}.{_bits(number, 59, 56)}",
        serial=_bits(number, 55, 24),
        year=2000 + _bits(number, 19, 12),
        month=month,
        checksum=_checksum(number),
    )


def read_csd(printed: str) -> Csd:
    """Return version and capacity of a CSD: version 1 (to 2 GB), 2 (SDHC, SDXC) or 3 (SDUC)."""
    number = _number("csd", printed, 32)
    version = _bits(number, 127, 126) + 1
    if version == 4:
        raise SdAnalysisError("found a csd of version 4, expected 1, 2 or 3")
    if version == 1:
        exponent = _bits(number, 49, 47) + 2 + _bits(number, 83, 80)
        capacity = (_bits(number, 73, 62) + 1) * 2**exponent
    else:
        capacity = (_bits(number, 69 if version == 2 else 75, 48) + 1) * _HALF_MEGABYTE
    return Csd(version, capacity, _checksum(number))


def read_ssr(printed: str) -> tuple[str, ...]:
    """Return the classes that an SSR claims, as they are printed on cards."""
    number = _number("ssr", printed, 128)
    found = []
    for name, (high, low, codes) in _CLASSES.items():
        code = _bits(number, high, low)
        if code not in codes:
            known = ", ".join(map(str, codes))
            raise SdAnalysisError(f"found {code} as {name} in an ssr, expected one of {known}")
        found.append(codes[code])
    return tuple(filter(None, found))


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


def _checksum(number: int) -> bool | None:
    """Tell whether the last byte (CRC7, then a one) fits; SDHCI hosts keep it and leave a 0."""
    *content, last = number.to_bytes(16, "big")
    return None if last == 0 else last == crc7(bytes(content)) << 1 | 1
