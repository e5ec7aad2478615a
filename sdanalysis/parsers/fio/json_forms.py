"""The forms of JSON that a folder of fio's logs repeats: a pattern that matches them as a whole.

The text of a sound object, with any other figures and words in it, is a sound object with the same
layout. A pattern made of it checks each character of the next log and finds the figures in one go,
in a quarter of the time that a JSON library takes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from heapq import merge
from typing import NamedTuple

from sdanalysis.parsers.fio.json_confirmed import confirmed
from sdanalysis.parsers.fio.json_layout import DECIMAL, TIME, WHOLE, Layout

_MOST, _MOST_KINDS = 8, 1000  # that are kept: forms, and kinds of logs without one
_LONGEST = 50_000  # bytes of a log of which a form is learned
_TOKEN = re.compile(r'(?P<key>"[^"]*" : )|(?P<text>"[^"]*")|(?P<whole>[0-9]+)(?P<part>\.[0-9]+)?')
_TEXT = r'"[!#-\[\]-~]*+"'  # without blanks, for these may be a line of another tool, and escapes
_TIME = re.compile(TIME)


class Form(NamedTuple):
    """A layout, and the pattern of the logs that have it, with a group for each of its words."""

    layout: Layout
    pattern: re.Pattern[bytes]


class Forms:
    """The forms that were learned, the one that matched last first.

    To learn one takes as long as to read 100 logs: it is done when there were `first` logs of a
    kind without a form, when there were twice as many, and so on. Of a kind are those with as many
    lines, and the figures in the same ones.
    """

    def __init__(self, first: int = 64) -> None:
        self.known: tuple[Form, ...] = ()
        self._first = first
        self._without: Counter[tuple[object, int]] = Counter()

    def read(self, content: bytes) -> tuple[Layout, Sequence[str]] | None:
        """Return layout and words of a log that is a sound JSON object as fio lays it out."""
        for form in self.known:
            if match := form.pattern.fullmatch(content):
                if form is not self.known[0]:
                    self._put_first(form)
                return form.layout, b"\0".join(match.groups()).decode("ascii").split("\0")
        found = confirmed(content)
        if found is None:
            return None
        text, layout, words = found
        self._count(text, layout)
        return layout, words

    def _count(self, text: str, layout: Layout) -> None:
        """Count a log without a form, and learn its form where it is time."""
        if len(text) > _LONGEST or "\\" in text:
            return
        if len(self._without) > _MOST_KINDS:
            self._without.clear()
        kind = layout.jobs, text.count("\n")
        self._without[kind] += 1
        times, rest = divmod(self._without[kind], self._first)
        if rest == 0 and times.bit_count() == 1:  # 1, 2, 4, 8 ...
            self._put_first(Form(layout, _pattern(text, layout)))

    def _put_first(self, form: Form) -> None:
        others = [known for known in self.known if known is not form]
        self.known = (form, *others[: _MOST - 1])


FORMS = Forms()


def _pattern(text: str, layout: Layout) -> re.Pattern[bytes]:
    """Return the pattern of the logs with the layout of this one: all of it but texts and numbers.

    Figures have as many digits as in `json_layout`, and are zero only where they were.
    """
    words = ((*span, True) for span in layout.words)
    fixed = ((*span, False) for span in sorted(layout.fixed))
    pieces, at = [], 0
    for start, stop, is_word in merge(words, fixed):
        piece = text[start:stop]
        pieces.append(_loose(text[at:start], _number))
        pieces.append(f"({_loose(piece, _figure)})" if is_word else re.escape(piece))
        at = stop
    pieces.append(_loose(text[at:], _number))
    return re.compile("".join(pieces).encode("ascii"))


def _loose(text: str, number: Callable[[re.Match[str]], str]) -> str:
    """Return the pattern of a text with its keys, other texts as values, and other numbers."""
    pieces, at = [], 0
    for token in _TOKEN.finditer(text):
        pieces.append(re.escape(text[at : token.start()]))
        if token["whole"]:
            pieces.append(number(token))
        else:
            pieces.append(_text(token["text"]) if token["text"] else re.escape(token[0]))
        at = token.end()
    return "".join([*pieces, re.escape(text[at:])])


def _text(text: str) -> str:
    if _TIME.fullmatch(text):
        return TIME
    return re.escape(text) if " " in text else _TEXT


def _number(token: re.Match[str]) -> str:
    return r"(?:0|[1-9][0-9]*+)\.[0-9]++" if token["part"] else r"(?:0|[1-9][0-9]*+)"


def _figure(token: re.Match[str]) -> str:
    if token["part"]:
        return DECIMAL
    return "0" if token[0] == "0" else WHOLE
