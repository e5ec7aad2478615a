"""A printed number of a table -> the same with a point: what its commas and points mean.

Nothing is guessed. Marks of thousands are declared; a decimal comma is, too. `2,310` beside `44.1`
is 2310, whatever else is declared of the table, or it is refused.
"""

import re
from collections.abc import Iterable

from sdanalysis.errors import SdAnalysisError

THOUSANDS = (",", ".", "'", "’", " ", "_")
_OTHER = {",": ".", ".": ","}
# What pages of any language write behind a command, none of which a shell's word holds
CLOSERS = "，；。：、！？」』）】》»”"


def plain_number(
    printed: str, others: Iterable[str], *, decimal_comma: bool = False, thousands: str = ""
) -> str:
    """Return a number without marks of thousands; `others` are all the values of its table.

    A comma that is declared as nothing stays in it.

    Examples
    --------
    >>> plain_number("2,310", ["2,310", "44.1"], thousands=",")
    '2310'
    >>> plain_number("2,310", ["2,310", "44.1"], decimal_comma=True)
    Traceback (most recent call last):
    sdanalysis.errors.SdAnalysisError: found '2,310' beside '44.1', expected to know whether \
its comma parts thousands: declare `thousands = ","`, without decimal_comma
    """
    if thousands:
        return _without(thousands, "," if decimal_comma else ".", printed)
    for mark, decimal in _OTHER.items():
        if mark not in printed or not _parts_thousands(printed, mark):
            continue
        beside = next((cell for cell in others if _is_decimal(cell, decimal)), None)
        text = f"found {printed!r}{f' beside {beside!r}' if beside else ''}, expected "
        if printed.count(mark) > 1 or decimal in printed:
            raise SdAnalysisError(f"{text}to be told of its thousands: {_advice(mark)}")
        if beside and decimal_comma:
            raise SdAnalysisError(
                f"{text}to know whether its {_word(mark)} parts thousands: {_advice(mark)}"
            )
        if mark == "," and not decimal_comma:
            raise SdAnalysisError(f"{text}{_what(printed, others, beside)}")
    return printed


def _what(printed: str, others: Iterable[str], beside: str | None) -> str:
    """Return what to declare of a comma before three digits, as far as the table tells."""
    if beside:
        return f"a decimal point, as there: {_advice(',')}"
    if any(_is_decimal(cell, ",") for cell in others):
        return "a decimal point: declare `decimal_comma = true`, as other values of the table have"
    number, fraction = printed.replace(",", ""), printed.replace(",", ".")
    return (
        'one of two declarations, for nothing in the table tells: `thousands = ","` '
        f"(it is {number}), or `decimal_comma = true` (it is {fraction})"
    )


def _advice(mark: str) -> str:
    comma = "without decimal_comma" if mark == "," else "with `decimal_comma = true`"
    return f'declare `thousands = "{mark}"`, {comma}'


def _word(mark: str) -> str:
    return "comma" if mark == "," else "point"


def _parts_thousands(printed: str, mark: str) -> bool:
    """Tell whether a mark may part thousands: three digits follow each."""
    begin = rf"[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})+"
    return bool(re.fullmatch(rf"{begin}(?:{re.escape(_OTHER[mark])}[0-9]+)?", printed))


def _is_decimal(printed: str, mark: str) -> bool:
    """Tell whether a mark can only be a decimal one: it stands once, and no three digits follow."""
    digits = re.fullmatch(rf"[0-9]+{re.escape(mark)}([0-9]+)", printed)
    return bool(digits) and not _parts_thousands(printed, mark)


def _without(thousands: str, decimal: str, printed: str) -> str:
    mark = re.escape(thousands)
    number = rf"(?:[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+|[0-9]+)(?:{re.escape(decimal)}[0-9]+)?"
    if re.search(r"[0-9]", printed) and not re.fullmatch(number, printed):
        text = f"groups of three digits parted by {thousands!r}, and {decimal!r} before decimals"
        raise SdAnalysisError(f"found {printed!r}, expected {text}, as is declared")
    return printed.replace(thousands, "").replace(decimal, ".")
