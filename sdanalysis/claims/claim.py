"""One checkable sentence: who says it where, and how it is to be tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdanalysis.errors import DeclarationError

Selection = Mapping[str, Any]  # column -> the value, or the list of values, that it may have
# Whose a sentence is: of the article's author (in the text, or answering below it), of a reader who
# commented, of ours (an article's sentence taken further than it says), or bookkeeping: a sentence
# that these figures could not refute.
WHOSE = ("article", "reader", "ours", "bookkeeping")
# What it speaks of: the cards that were measured, or a class or a name, which other cards have too.
CARDS, NAME = "cards", "name"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One entry of `claims.toml`: a class because reader, test and ledger pass it on whole.

    `whose` is one of `WHOSE`; only the sentences of an article are counted in a headline.
    `about` is `cards` or `name`; where it is not declared, a sentence speaks of the measured cards
    if each of its sides names some.
    `low` and `high` bound what the sentence's `word` allows ("about 2" is 1.6 to 2.5), in the unit
    of the test; `parameters` are the test's own keys; `lines` is the line of each key in the file.
    """

    id: str
    source: str
    line: int
    whose: str
    claim: str
    test: str
    word: str
    stated: float
    low: float
    high: float
    note: str
    about: str
    parameters: Mapping[str, Any]
    path: str
    lines: Mapping[str, int]

    @property
    def place(self) -> str:
        """Where the sentence stands in the captured text of its source."""
        return f"captured text line {self.line}"

    def error(self, key: str, problem: str) -> DeclarationError:
        """Return the error of a key: `path:line: claim id: key: found ..., expected ...`."""
        line = self.lines.get(key, self.lines["id"])
        return DeclarationError(f"{self.path}:{line}: claim {self.id}: {key}: {problem}")

    def selection(self, key: str) -> Selection:
        """Return the selection under a key, with what `where` shares among all of them."""
        return {**self.parameters.get("where", {}), **self.parameters[key]}

    def steps(self) -> list[Selection]:
        """Return the selections under `steps`, each with what `where` shares."""
        shared = self.parameters.get("where", {})
        return [{**shared, **step} for step in self.parameters["steps"]]
