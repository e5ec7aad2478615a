"""Check the name on a card against its registers and against known specimens of that name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from sdanalysis.logs.identity import Fact, manufacturer, manufacturers
from sdanalysis.my_card.computer import Setting
from sdanalysis.my_card.figures import Known
from sdanalysis.my_card.label import (
    makers_named,
    match_label,
    printed_classes,
    printed_size,
    product_of,
)
from sdanalysis.my_card.logs import Logs
from sdanalysis.my_card.places import SAME_TOOL, gaps, specimen_yardstick

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

_LEAST, _MOST = 0.85, 1.1  # of the printed capacity: what is left to the user, and no more than it
_DIGITS = re.compile(r"[A-Z]{2}(\d\d)G")  # how many makers name a product: SU08G, SD32G
_NAMESAKES = ["name", "test", "n", "ratio", "nearest", "band", "verdict", "same_host"]
_PLACED = tuple[str, Fact]  # the file of a fact, and the fact


class Name(NamedTuple):
    """The name on the card: `candidates` for what it may mean, and `tests` beside those.

    Of the tests: `n` specimens of the `name`, `ratio` of the card to the `nearest` of them, `band`
    (what run noise alone may do to it), `verdict`: `~` inside run noise, `specimens` inside the
    `yardstick` (the factor by which specimens of one model are known to differ, `source`: where
    that was seen), `unlike` beyond it; `same_host`: whether they were measured on the card's host.
    `product` is what all candidates are, whatever their vintage or number; empty: they differ.
    """

    label: str | None
    candidates: pd.DataFrame
    tests: pd.DataFrame
    yardstick: float
    source: str
    product: str = ""


class Conflict(NamedTuple):
    """Something that label and log both say, and not the same; `at` is `file:line`."""

    what: str
    label: str
    card: str
    at: str


class Check(NamedTuple):
    """The label held against the log.

    `conflicts` are where they differ, `agreed` what was checked and does not, in words; `says` what
    the log says of the card, in words; `signs` what speaks against the card's own registers.
    """

    says: str
    conflicts: tuple[Conflict, ...]
    agreed: tuple[str, ...]
    signs: tuple[str, ...]


def check_label(
    label: str | None, places: pd.DataFrame, known: Known, data: Data, setting: Setting
) -> Name:
    """Compare a card with the known specimens of each medium that its label may mean."""
    yardstick, source = specimen_yardstick(data.specimens)
    candidates = match_label(label or "", data.media)
    product = product_of(candidates)
    names = candidates.assign(name=product or candidates["name"]).groupby("name", sort=False)
    tests = [
        compare_name(entries.to_list(), places, known, yardstick, setting).assign(name=name)
        for name, entries in names["medium"]
        if len(places)
    ]
    compared = pd.concat(tests) if tests else pd.DataFrame(columns=_NAMESAKES)
    return Name(label or None, candidates, compared, yardstick, source, product)


def compare_name(
    media: Sequence[str], places: pd.DataFrame, known: Known, yardstick: float, setting: Setting
) -> pd.DataFrame:
    """Return the tests of a card beside the known figures of some media, as `Name.tests` has them.

    Those of the same host and reader are taken where there are any, of the same tool only.
    """
    own = places[places["level"] == SAME_TOOL]
    pool = known.on(setting)
    pool = pool[pool["medium"].isin(media) & pool["test"].isin(own["test"])]
    if not (same_host := len(pool) > 0):
        pool = known.by_host[known.by_host["medium"].isin(media)]
    both = gaps(own, pool)
    both = both.assign(n=both.groupby("test")["specimen"].transform("nunique"))
    found = both.loc[both.groupby("test", sort=False)["gap"].idxmin()]
    beyond = found["gap"] > found["band"].clip(lower=yardstick).map(math.log)
    verdict = beyond.map({True: "unlike", False: "specimens"})
    found = found.assign(
        nearest=found["name"],
        ratio=found["value"] / found["value_known"],
        verdict=verdict.mask(found["gap"] <= found["band"].map(math.log), "~"),
        same_host=same_host,
    )
    return found[_NAMESAKES]


def check_registers(
    label: str | None, candidates: pd.DataFrame, media: pd.DataFrame, logs: Logs
) -> Check:
    """Hold maker, capacity and classes of a label against what the logs say of the card.

    Of several cards in a log nobody says which was measured: what fits one of them is no conflict.
    """
    brands = {brand for maker in manufacturers().values() for brand in maker.brands}
    known = sorted(brands | set(media["maker"]) - {"unknown"})
    makers = list(dict.fromkeys([*candidates["maker"], *makers_named(label or "", known)]))
    checks = [
        _maker(makers[0] if len(makers) == 1 else None, logs),
        _capacity(label or "", logs),
        _classes(printed_classes(label or ""), logs),
    ]
    agreed = [found for found in checks if isinstance(found, str)]
    if label and (products := _facts(logs, "product name")):
        words = f"the register has {products[0][1].value}, as no label does"
        agreed.append(f"its product cannot be checked ({words})")
    return Check(
        says=_says(logs),
        conflicts=tuple(found for found in checks if isinstance(found, Conflict)),
        agreed=tuple(agreed),
        signs=tuple(_signs(logs)),
    )


def size_in_words(size: float) -> str:
    """Return a capacity as cards print it, and as systems do: `31.9 GB (29.7 GiB)`."""
    return f"{size / 1e9:.3g} GB ({size / 2**30:.3g} GiB)"


def _facts(logs: Logs, name: str) -> list[_PLACED]:
    return [(file, fact) for file, fact in logs.facts if fact.name == name]


def _at(found: _PLACED) -> str:
    file, fact = found
    return f"{file}:{fact.line}"


def _says(logs: Logs) -> str:
    names = ("manufacturer", "product name", "capacity", "classes")
    first = {fact.name: fact for _, fact in reversed(logs.facts) if fact.name in names}
    words = [
        size_in_words(first[name].number or 0) if name == "capacity" else first[name].value
        for name in names
        if name in first
    ]
    return ", ".join(words)


def _maker(maker: str | None, logs: Logs) -> Conflict | str | None:
    """Hold the maker against the manufacturer ids, where the brand sells cards of its own alone."""
    found = _facts(logs, "manufacturer id")
    own = {number for number, entry in manufacturers().items() if maker in entry.brands}
    if not maker or not found:
        return None
    file, fact = found[0]
    words = manufacturer(int(fact.value, 16))
    if not own:
        return (
            f"its maker is not checked ({words} in the register; {maker} may sell cards of others)"
        )
    if any(int(fact.value, 16) in own for _, fact in found):
        return f"its maker ({maker})"
    return Conflict("maker", maker, words, f"{file}:{fact.line}")


def _capacity(label: str, logs: Logs) -> Conflict | str | None:
    printed, found = printed_size(label), _facts(logs, "capacity")
    if printed and not found:
        return _digits(printed, logs)
    if not printed or not found:
        return None
    sizes = [fact.number or 0 for _, fact in found]
    if any(_LEAST < size / printed[1] < _MOST for size in sizes):
        return f"its capacity ({size_in_words(sizes[0])})"
    return Conflict("capacity", printed[0], size_in_words(sizes[0]), _at(found[0]))


def _digits(printed: tuple[str, float], logs: Logs) -> Conflict | str | None:
    for found in _facts(logs, "product name"):
        if digits := _DIGITS.fullmatch(found[1].value):
            words = f"{found[1].value}, which makers use for {int(digits[1])} GB"
            if int(digits[1]) * 1e9 == printed[1]:
                return f"its capacity ({words})"
            return Conflict("capacity", printed[0], words, _at(found))
    return None


def _classes(printed: Sequence[str], logs: Logs) -> Conflict | str | None:
    """Hold printed classes against the registers': a card may claim more than its label has."""
    found = _facts(logs, "classes")
    if not printed or not found:
        return None
    claims = [fact.value for _, fact in found]
    if any(set(printed) <= set(words.split()) for words in claims):
        return f"its classes ({' '.join(printed)})"
    return Conflict("classes", " ".join(printed), claims[0], _at(found[0]))


def _signs(logs: Logs) -> Iterator[str]:
    for file, fact in logs.facts:
        if fact.misfit:
            yield f"the {fact.name} {fact.value} ({file}:{fact.line})"
    yield from _oem(logs)
    sizes = _facts(logs, "capacity")
    if not sizes:
        return
    known = [fact.number or 0 for _, fact in sizes]
    for product in _facts(logs, "product name"):
        digits = _DIGITS.fullmatch(product[1].value)
        if digits and not any(_LEAST < size / (int(digits[1]) * 1e9) < _MOST for size in known):
            yield (
                f"the product is named {product[1].value} ({_at(product)}), which makers use for "
                f"{int(digits[1])} GB, and the capacity is {size_in_words(known[0])} "
                f"({_at(sizes[0])})"
            )
            break
    yield from _two_sizes(sizes)
    largest = max((int(str(row["file_size"] or 0)) for row in logs.rows), default=0)
    if largest > max(known):
        yield (
            f"a test wrote or read {size_in_words(largest)}, more than the card says to hold "
            f"({size_in_words(max(known))}, {_at(sizes[0])})"
        )


def _two_sizes(sizes: Sequence[_PLACED]) -> Iterator[str]:
    cards: dict[str, list[int]] = {}
    for _, fact in sizes:
        cards.setdefault(fact.card, []).append(fact.number or 0)
    for known in cards.values():
        if max(known) > 1.02 * min(known):
            both = f"{size_in_words(min(known))} and {size_in_words(max(known))}"
            yield f"the log has two capacities of the card, {both}"


def _oem(logs: Logs) -> Iterator[str]:
    ids = {int(fact.value, 16) for _, fact in _facts(logs, "manufacturer id")}
    expected = {manufacturers()[number].oem for number in ids if number in manufacturers()} - {None}
    for oem in _facts(logs, "OEM id"):
        if len(ids) == len(expected) == 1 and oem[1].value not in expected:
            yield (
                f"its OEM id is {oem[1].value!r} ({_at(oem)}), where {manufacturer(*ids)}'s manual "
                f"has {next(iter(expected))!r}"
            )
