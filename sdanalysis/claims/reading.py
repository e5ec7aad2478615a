"""claims.toml -> checked claims, with the line of each key for the errors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sdanalysis.claims.claim import CARDS, NAME, WHOSE, Claim
from sdanalysis.claims.kinds import KINDS
from sdanalysis.claims.selection import check_selection
from sdanalysis.errors import DeclarationError
from sdanalysis.paths import DATA, check_data
from sdanalysis.toml import Kinds, check_keys, read_toml

CLAIMS = DATA / "claims.toml"

_CLAIM: Kinds = dict.fromkeys(("id", "source", "whose", "claim", "test"), str) | {"line": int}
_OPTIONAL: Kinds = {"note": str, "about": str, "where": dict}
_RANGE: Kinds = {"word": str}
_STATED: Kinds = {"stated": (float, int)}
_WORD: Kinds = {"low": (float, int), "high": (float, int), "why": str}
_TEXT: Kinds = {"lines": int, "sha256": str}
_HEADER = re.compile(r"\[\[claim\]\]")
_KEY = re.compile(r"([a-z_]+)\s*=")


def read(path: Path | str = CLAIMS) -> tuple[Claim, ...]:
    """Read and check the claims of a file, or of a folder of data.

    Returns
    -------
    tuple of Claim
        In the order of the file.

    Raises
    ------
    DeclarationError
        A key, a kind of test, a word, a column or a place means nothing, or an id occurs twice;
        the message begins with `path:line`.

    Examples
    --------
    >>> from sdanalysis import claims
    >>> chosen = [claim for claim in claims.read() if claim.id == "geerling-random-matters"]
    >>> print(chosen[0].claim)
    For a small computer the speed of random access matters far more than that of large transfers.
    """
    path = check_data(path, CLAIMS.name) / CLAIMS.name if Path(path).is_dir() else Path(path)
    content = read_toml(path)
    tables = {"text": dict[str, dict], "word": dict[str, dict], "claim": list[dict]}
    check_keys(str(path), content, tables, {})
    for name, text in content["text"].items():
        check_keys(f"{path}: text.{name}", text, _TEXT, {})
    for name, word in content["word"].items():
        check_keys(f"{path}: word.{name}", word, _WORD, {})
    entries = list(_with_lines(path, content["claim"]))
    claims = tuple(_claim(path, content, entry, lines) for entry, lines in entries)
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise claim.error("id", "found it a second time, expected each id once")
        seen.add(claim.id)
    return claims


def _with_lines(path: Path, entries: list[dict]) -> Iterator[tuple[dict, dict[str, int]]]:
    """Yield each claim with the line of each of its keys."""
    places: list[dict[str, int]] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if _HEADER.match(text):
            places.append({"id": number})
        elif places and (match := _KEY.match(text)):
            places[-1][match[1]] = number
    if len(places) != len(entries):
        raise DeclarationError(
            f"{path}: found {len(entries)} claims under {len(places)} lines [[claim]], expected "
            "each header on a line of its own"
        )
    yield from zip(entries, places, strict=True)


def _claim(path: Path, content: dict, entry: dict, lines: dict[str, int]) -> Claim:
    where = f"{path}:{lines['id']}: claim {entry.get('id', '?')}"
    kind = KINDS.get(entry.get("test", ""))
    if kind is None:
        raise DeclarationError(
            f"{where}: found the test {entry.get('test')!r}, expected one of {', '.join(KINDS)}"
        )
    ranged = entry["test"] != "untestable"
    optional = {**_OPTIONAL, **kind.optional, **(_STATED if ranged else {})}
    check_keys(where, entry, {**_CLAIM, **(_RANGE if ranged else {}), **kind.required}, optional)
    stated, word = float(entry.get("stated", 1)), entry.get("word", "exactly")
    low, high = _range(where, content["word"], word, stated)
    taken = {*_CLAIM, *_RANGE, *_STATED, "note", "about"}
    claim = Claim(
        **{key: entry[key] for key in _CLAIM},
        about=entry.get("about", CARDS if _names_cards(entry) else NAME),
        word=word,
        stated=stated,
        low=low,
        high=high,
        note=entry.get("note", ""),
        parameters={key: value for key, value in entry.items() if key not in taken},
        path=str(path),
        lines=lines,
    )
    if claim.whose not in WHOSE:
        raise claim.error("whose", f"found {claim.whose!r}, expected one of {', '.join(WHOSE)}")
    if claim.about not in (CARDS, NAME):
        raise claim.error("about", f"found {claim.about!r}, expected {CARDS} or {NAME}")
    _check_place(claim, content["text"])
    _check_parameters(claim)
    return claim


def _names_cards(entry: Mapping[str, Any]) -> bool:
    """Tell whether each selection of a claim names its cards; an empty one is all the others."""
    selections = [entry[key] for key in ("of", "to") if key in entry]
    selections += [step for step in entry.get("steps", []) if step]
    shared = entry.get("where", {})
    return bool(selections) and all("specimen" in {**shared, **own} for own in selections)


def _range(where: str, words: Mapping[str, Any], word: str, stated: float) -> tuple[float, float]:
    """Return what a word allows around the stated figure."""
    if word not in words:
        raise DeclarationError(
            f"{where}: found the word {word!r}, expected one of {', '.join(words)}"
        )
    ends = [stated * float(words[word][end]) for end in ("low", "high")]
    if any(math.isnan(end) for end in ends) or ends[0] > ends[1]:
        raise DeclarationError(f"{where}: found the range {ends}, expected its low end first")
    return ends[0], ends[1]


def _check_place(claim: Claim, texts: Mapping[str, Any]) -> None:
    if claim.source not in texts:
        raise claim.error("source", f"found {claim.source!r}, expected one of {', '.join(texts)}")
    if not 1 <= claim.line <= texts[claim.source]["lines"]:
        raise claim.error(
            "line", f"found {claim.line}, expected 1 to {texts[claim.source]['lines']}"
        )


def _check_parameters(claim: Claim) -> None:
    """Refuse a column or a word that no table has, and a choice that no test knows."""
    kind = KINDS[claim.test]
    for key, value in claim.parameters.items():
        for one in value if isinstance(value, list) else [value]:
            if key in kind.choices and one not in kind.choices[key]:
                expected = ", ".join(kind.choices[key])
                raise claim.error(key, f"found {one!r}, expected one of {expected}")
        for selection in value if isinstance(value, list) else [value]:
            if isinstance(selection, dict):
                check_selection(claim, key, selection)
