"""The layout of fio's JSON at first sight: what the text shows, where the JSON library confirms it.

Damage that changes what a key belongs to (a brace, a blank, a line that stands twice) may leave the
figures where they were; what they mean is another thing then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from sdanalysis.parsers import tools_in
from sdanalysis.parsers.fio.json_layout import TIME, Layout, layout_of
from sdanalysis.parsers.fio.json_objects import LATENCIES, is_synced, used
from sdanalysis.parsers.fio.options import DIRECTIONS

_TIME = re.compile(f'"time" : {TIME}')
_SAID = re.compile(r': "([^" \n]* [^"\n]*)"')  # a text with blanks


def confirmed(content: bytes) -> tuple[str, Layout, list[str]] | None:
    """Return the text, layout and words of a sound JSON object, None for any other content.

    None, too, where a line was drawn over: `parse` reads what was drawn last.
    """
    if not content.isascii() or b"\r" in content:
        return None
    text = content.decode("ascii")
    layout = layout_of(text)
    if layout is None or (document := _document(text)) is None:
        return None
    words = [text[start:stop] for start, stop in layout.words]
    is_plain = _confirms(document, layout, words) and not _has_line_of_others(text)
    return (text, layout, words) if is_plain else None


def _document(text: str) -> dict[str, Any] | None:
    """Return a JSON object; None where it is damaged or a key stands twice in an object of it."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _has_line_of_others(text: str) -> bool:
    """Tell whether a text in the object may be what another tool prints; all of that has blanks."""
    said = [text] if "\\" in text else _SAID.findall(_TIME.sub("", text, count=1))
    return any(tool != "fio" for part in said for tool in tools_in(part))


def _confirms(document: dict[str, Any], layout: Layout, words: list[str]) -> bool:
    """Tell whether the words that stand in the text are those of the object."""
    try:
        expected = list(_expected(document, layout))
        return json.loads(f"[{','.join([word or 'null' for word in words])}]") == expected
    except (ValueError, KeyError, TypeError, AttributeError):  # an object of another shape
        return False


def _expected(document: dict[str, Any], layout: Layout) -> Iterator[object]:
    """Yield the values of the words of a layout."""
    yield from (document["fio version"], document.get("global options"))
    for entry, parts in zip(document["jobs"], layout.jobs, strict=True):
        if used(entry) != [DIRECTIONS[part.direction] for part in parts] or is_synced(entry):
            raise ValueError("other figures than those of the layout")
        yield from (entry["jobname"], entry["error"], entry.get("job options"))
        for part in parts:
            figures = entry[DIRECTIONS[part.direction]]
            yield from [figures[key] for key in ("io_bytes", "bw_bytes", "iops", "runtime")]
            yield from [figures["lat_ns"][key] or None for key in LATENCIES]
            yield from (figures.get("bw_agg"), figures.get("bw_mean"))
        yield entry.get("job_runtime")
