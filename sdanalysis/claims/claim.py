"""One checkable sentence: who says it where, and how it is to be tested; read from claims.toml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sdanalysis.codebook import schema
from sdanalysis.errors import DeclarationError
from sdanalysis.paths import DATA, check_data
from sdanalysis.sources.catalogue import APPLICATION_CLASSES, FORMS
from sdanalysis.stats.same_test import columns
from sdanalysis.toml import Kinds, check_keys, check_word, read_toml

Selection = Mapping[str, Any]  # column -> the value, or the list of values, that it may have
CLAIMS = DATA / "claims.toml"
# Whose a sentence is: of the article's author (in the text, or answering below it), of a reader who
# commented, of ours (an article's sentence taken further than it says), or bookkeeping: a sentence
# that these figures could not refute.
WHOSE = ("article", "reader", "ours", "bookkeeping")
# What it speaks of: the cards that were measured, or a class or a name, which other cards have too.
CARDS, NAME = "cards", "name"
# What a figure is chosen by; not what it turned out to be.
_RESULTS = ("id", "column", "raw", "raw_unit", "value", "value_low", "value_high", "run")
MEDIA = (
    *("maker", "product", "part_number", "vintage", "capacity", "form", "speed_class"),
    "application_class",
)
_COLUMNS = (*(name for name in schema.COLUMNS if name not in _RESULTS), *MEDIA)
_WORDS = {name: column.words for name, column in schema.COLUMNS.items() if column.words}
_WORDS |= {"form": FORMS, "application_class": APPLICATION_CLASSES}
CONDITIONS = columns("place", "quantity", "test")

_CLAIM: Kinds = dict.fromkeys(("id", "source", "whose", "claim", "test"), str) | {"line": int}
_OPTIONAL: Kinds = {"note": str, "about": str, "where": dict}
_NUMBER = (float, int)
_WORD: Kinds = {"low": _NUMBER, "high": _NUMBER, "why": str}
_TEXT: Kinds = {"lines": int, "sha256": str}


class Kind(NamedTuple):
    """A kind of test: what it asks, the keys of its claims, and what `summary` may be."""

    meaning: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()


_EACH = ("every", "some")
KINDS = {
    "ratio": Kind(
        "one selection over another: card by card, or between groups of cards",
        ("of", "to"), ("pair_by", "summary"), ("mean", *_EACH),
    ),
    "order": Kind(
        "each figure of a step against each of the next: who is fastest, what falls",
        ("steps",), ("within", "rising", "summary"), _EACH,
    ),
    "bound": Kind(
        "each figure against a limit, or against the share of the bus limit",
        ("of",), ("share_of", "summary"), _EACH,
    ),
    "class": Kind(
        "each figure against the minimum of a class, as in notebook 06", ("of", "rating")
    ),
    "spread": Kind("the greatest figure over the least", ("of",), ("across",)),
    "association": Kind(
        "do two selections put the same cards into the same order (Spearman's rho)?", ("of", "to")
    ),
    "untestable": Kind("the rows that it would need do not exist", ("needs", "reason")),
}  # fmt: skip
_TYPES: Kinds = {
    **dict.fromkeys(("of", "to", "needs"), dict),
    **dict.fromkeys(("rating", "share_of", "summary", "across", "reason"), str),
    **dict.fromkeys(("pair_by", "within"), list[str]),
    **{"steps": list[dict], "rising": bool},
}
_CHOICES = {
    **{"whose": WHOSE, "about": (CARDS, NAME), "share_of": ("bus",)},
    **dict.fromkeys(("pair_by", "within", "across"), ("specimen", *CONDITIONS)),
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One entry of `claims.toml`: a class because reader, test and ledger pass it on whole.

    `low` and `high` bound what the sentence's `word` allows, in the unit of the test: "about 2" is
    1.6 to 2.5. `parameters` are the test's own keys. `lines` maps each key to its line in the file.
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
    def pairs_cards(self) -> bool:
        """Whether each card is set against itself."""
        return "specimen" in self.parameters.get("pair_by", [])

    def at(self, key: str) -> str:
        """Return where a key stands: `path:line: claim id: key`."""
        line = self.lines.get(key, self.lines["id"])
        return f"{self.path}:{line}: claim {self.id}: {key}"

    def error(self, key: str, problem: str) -> DeclarationError:
        """Return the error of a key: `path:line: claim id: key: found ..., expected ...`."""
        return DeclarationError(f"{self.at(key)}: {problem}")

    def whole(self, selection: Selection) -> Selection:
        """Return one of the selections with what `where` shares among all of them."""
        return {**self.parameters.get("where", {}), **selection}


def read(path: Path | str = CLAIMS) -> tuple[Claim, ...]:
    """Read and check the claims of a file, or of a folder of data, in the order of the file.

    Raises
    ------
    DeclarationError
        A key, a kind of test, a word, a column or a place means nothing, or an id occurs twice;
        the message begins with `path:line`.
    """
    path = check_data(path, CLAIMS.name) / CLAIMS.name if Path(path).is_dir() else Path(path)
    content = read_toml(path)
    tables = {"text": dict[str, dict], "word": dict[str, dict], "claim": list[dict]}
    check_keys(str(path), content, tables, {})
    for table, keys in (("text", _TEXT), ("word", _WORD)):
        for name, entry in content[table].items():
            check_keys(f"{path}: {table}.{name}", entry, keys, {})
    claims: dict[str, Claim] = {}
    entries = content["claim"]
    for entry, lines in zip(entries, _lines(path, len(entries)), strict=True):
        claim = _claim(path, content, entry, lines)
        if claim.id in claims:
            raise claim.error("id", "found it a second time, expected each id once")
        claims[claim.id] = claim
    return tuple(claims.values())


def _lines(path: Path, number: int) -> list[dict[str, int]]:
    """Return for each claim the line of each of its keys."""
    places: list[dict[str, int]] = []
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if text.startswith("[[claim]]"):
            places.append({"id": line})
        elif places and (match := re.match(r"([a-z_]+)\s*=", text)):
            places[-1][match[1]] = line
    if len(places) != number:
        text = f"{path}: found {number} claims under {len(places)} lines [[claim]]"
        raise DeclarationError(f"{text}, expected each header on a line of its own")
    return places


def _claim(path: Path, content: dict, entry: dict, lines: dict[str, int]) -> Claim:
    where = f"{path}:{lines['id']}: claim {entry.get('id', '?')}"
    _check_known(where, "test", entry.get("test"), KINDS)
    kind, ranged = KINDS[entry["test"]], entry["test"] != "untestable"
    required = {**_CLAIM, **({"word": str} if ranged else {})}
    required |= {key: _TYPES[key] for key in kind.required}
    optional = {**_OPTIONAL, **({"stated": _NUMBER} if ranged else {})}
    optional |= {key: _TYPES[key] for key in kind.optional}
    check_keys(where, entry, required, optional)
    about = CARDS if _names_cards(entry) else NAME
    stated = {"word": "exactly", "stated": 1.0, "note": "", "about": about} | entry
    _check_known(where, "word", stated["word"], content["word"])
    word, factor = content["word"][stated["word"]], float(stated["stated"])
    low, high = (factor * float(word[end]) for end in ("low", "high"))
    if not low <= high:  # not a number is neither
        raise DeclarationError(f"{where}: found {low:g} to {high:g}, expected its low end first")
    own = {*_CLAIM, "word", "note", "about"}
    claim = Claim(
        **{key: stated[key] for key in own},
        stated=factor,
        low=low,
        high=high,
        parameters={key: value for key, value in entry.items() if key not in {*own, "stated"}},
        path=str(path),
        lines=lines,
    )
    _check(claim, stated, content["text"])
    return claim


def _check_known(where: str, what: str, word: object, known: Iterable[str]) -> None:
    if word not in known:
        expected = f"expected one of {', '.join(known)}"
        raise DeclarationError(f"{where}: found the {what} {word!r}, {expected}")


def _names_cards(entry: Mapping[str, Any]) -> bool:
    """Tell whether each selection of a claim names its cards; an empty one is all the others."""
    sides = [entry[key] for key in ("of", "to") if key in entry]
    sides += filter(None, entry.get("steps", []))
    shared = entry.get("where", {})
    return bool(sides) and all("specimen" in {**shared, **side} for side in sides)


def _check(claim: Claim, entry: Mapping[str, Any], texts: Mapping[str, Any]) -> None:
    """Refuse a place that no text has, and a choice, a column or a word that means nothing.

    What an untestable claim `needs` may be a word that no table holds: that is its point.
    """
    known = _CHOICES | {"source": texts, "summary": KINDS[claim.test].summaries}
    for key in known.keys() & entry.keys():
        for word in as_list(entry[key]):
            check_word(claim.at(key), word, known[key])
    last = texts[claim.source]["lines"]
    if not 1 <= claim.line <= last:
        raise claim.error("line", f"found {claim.line}, expected 1 to {last}")
    selections = [(key, it) for key, own in claim.parameters.items() for it in as_list(own)]
    for key, selection in selections:
        for column, wanted in selection.items() if isinstance(selection, dict) else ():
            if column not in _COLUMNS:
                expected = f"expected {', '.join(_COLUMNS)}"
                raise claim.error(key, f"found the column {column!r}, {expected}")
            words = _WORDS.get(column, ()) if key != "needs" else ()
            unknown = [value for value in as_list(wanted) if words and value not in words]
            if unknown:
                expected = f"expected one of {', '.join(words)}"
                raise claim.error(key, f"found {unknown[0]!r} in {column}, {expected}")


def as_list(values: Any) -> list[Any]:
    """Return a list as it is, and one value as a list of it."""
    return values if isinstance(values, list) else [values]
