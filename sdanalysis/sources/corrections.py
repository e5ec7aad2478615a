"""Declared corrections and remarks on figures; what is printed never changes."""

from collections.abc import Iterable, Sequence
from itertools import takewhile

from sdanalysis.codebook.measurement import Measurement
from sdanalysis.errors import ParseError
from sdanalysis.sources.declaration import Correction, Remark

CORRECTED = "corrected"


def corrected(
    found: list[Measurement], correction: Correction, lines: Sequence[str], *, as_published: bool
) -> list[Measurement]:
    """Return the measurements with one declared correction applied to the figures of its row.

    The row begins with the first figure at or after the line (a label may stand above its
    figures) and goes on as long as the label is the same. With `as_published` only the label's
    place in the catalogue is corrected.
    """
    line, printed = correction.line, correction.printed
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if not printed or printed not in text:
        raise ParseError(line, f"found {text!r}, expected {printed!r} as the correction says")
    rows = [item for item in found if item.line >= line]
    row = list(takewhile(lambda item: item.label == rows[0].label, rows))
    if not row:
        raise ParseError(line, "found no figure that the correction could change")
    changed = {item.id: item for item in _change(row, correction, as_published=as_published)}
    return [changed.get(item.id, item) for item in found]


def _change(
    row: list[Measurement], correction: Correction, *, as_published: bool
) -> list[Measurement]:
    """Return the figures of a row with their label, their host or their headings corrected."""
    step, means = f"corrected {correction.field}: {correction.why}", correction.means
    if correction.field == "label":
        return [item._replace(looked_up=str(means), steps=(*item.steps, step)) for item in row]
    if as_published:
        return row
    if correction.field == "host":
        return [_mark(item._replace(host=str(means)), CORRECTED, step) for item in row]
    row = [item for item in row if item.line == correction.line]
    names = {item.name: item for item in row}
    printed = " ".join(item.raw or "" for item in row)
    if printed != correction.printed or sorted(means) != sorted(names):
        expected = f"expected {correction.printed!r} and a reordering of these names"
        text = f"found the figures {printed!r} of {sorted(names)}, {expected}"
        raise ParseError(correction.line, text)
    return [
        _mark(_in_place_of(item, names[name]), CORRECTED, f"{step} (was {item.name}, is {name})")
        for item, name in zip(row, means, strict=True)
    ]


def _in_place_of(item: Measurement, other: Measurement) -> Measurement:
    """Return the printed figure of `item` under the heading of `other`."""
    if (item.raw_unit, item.metric, item.tool) != (other.raw_unit, other.metric, other.tool):
        text = f"found {item.name} and {other.name} in different units or of different tools"
        raise ParseError(item.line, f"{text}, expected columns that can be exchanged")
    return item._replace(name=other.name, op=other.op, block_size=other.block_size, stat=other.stat)


def _mark(item: Measurement, word: str, step: str) -> Measurement:
    return item._replace(remarks=(*item.remarks, word), steps=(*item.steps, step))


def remarked(found: list[Measurement], remarks: Iterable[Remark]) -> list[Measurement]:
    """Return the measurements with the declared remarks on the figures that they name."""
    for remark in remarks:
        marked = {
            item.id: _mark(item, remark.word, f"remark {remark.word}: {remark.why}")
            for item in found
            if item.line in remark.lines and (not remark.values or item.name in remark.values)
        }
        lines, values = ({getattr(item, of) for item in marked.values()} for of in ("line", "name"))
        idle = [line for line in remark.lines if line not in lines]
        unknown = [value for value in remark.values if value not in values]
        if idle or unknown or not lines:
            line = idle[0] if idle else next(iter(remark.lines), 0)
            of = f" of {', '.join(map(str, unknown))}" if unknown else ""
            text = f"found no figure{of} that the remark {remark.word!r} could mark"
            raise ParseError(line, text)
        found = [marked.get(item.id, item) for item in found]
    return found
