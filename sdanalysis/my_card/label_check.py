"""Check the name on a card against its registers and against known specimens of that name."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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
_SAYS = ("manufacturer", "product name", "capacity", "classes")  # in this order
_NAMESAKES = ["name", "test", "n", "ratio", "nearest", "band", "verdict", "same_host"]
_Facts = Mapping[str, Sequence[tuple[Fact, str]]]  # by name: each fact with its `file:line`


class Name(NamedTuple):
    """The name on the card: `candidates` for what it may mean, and `tests` beside those.

    Of the tests: `n` specimens of the `name`, `ratio` of the card to the `nearest` of them, `band`
    (what run noise alone may do to it). `verdict` is `~` inside run noise, `specimens` inside the
    `yardstick`, `unlike` beyond it. The `yardstick` is how far specimens of one model are known to
    differ, by `source`. `same_host`: they were measured on the card's host. `product` is what all
    candidates are, whatever their vintage or number; empty: they differ.
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

    All in words: `conflicts` is where they differ, `agreed` what was checked and agrees. `says` is
    what the log says of the card, `signs` what speaks against the card's own registers.
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
    facts: dict[str, list[tuple[Fact, str]]] = defaultdict(list)
    for file, fact in logs.facts:
        facts[fact.name].append((fact, f"{file}:{fact.line}"))
    brands = {brand for maker in manufacturers().values() for brand in maker.brands}
    known = sorted(brands | set(media["maker"]) - {"unknown"})
    makers = list(dict.fromkeys([*candidates["maker"], *makers_named(label or "", known)]))
    checks = [
        _maker(makers[0], facts["manufacturer id"]) if len(makers) == 1 else None,
        _capacity(printed_size(label or ""), facts),
        _classes(printed_classes(label or ""), facts["classes"]),
    ]
    agreed = [check for check in checks if isinstance(check, str)]
    if label and (products := facts["product name"]):
        words = f"the register has {products[0][0].value}, as no label does"
        agreed.append(f"its product cannot be checked ({words})")
    first = [facts[name][0][0] for name in _SAYS if facts[name]]
    return Check(
        says=", ".join(size_in_words(f.number) if f.name == "capacity" else f.value for f in first),
        conflicts=tuple(check for check in checks if isinstance(check, Conflict)),
        agreed=tuple(agreed),
        signs=tuple(_signs(facts, logs)),
    )


def size_in_words(size: float | None) -> str:
    """Return a capacity as cards print it, and as systems do: `31.9 GB (29.7 GiB)`."""
    return f"{(size or 0) / 1e9:.3g} GB ({(size or 0) / 2**30:.3g} GiB)"


def _maker(maker: str, ids: Sequence[tuple[Fact, str]]) -> Conflict | str | None:
    """Hold the maker against the manufacturer ids, where the brand sells cards of its own alone."""
    if not ids:
        return None
    own = {number for number, entry in manufacturers().items() if maker in entry.brands}
    numbers = [int(fact.value, 16) for fact, _ in ids]
    words = manufacturer(numbers[0])
    if not own:
        why = f"{words} in the register; {maker} may sell cards of others"
        return f"its maker is not checked ({why})"
    if own & set(numbers):
        return f"its maker ({maker})"
    return Conflict("maker", maker, words, ids[0][1])


def _capacity(printed: tuple[str, float] | None, facts: _Facts) -> Conflict | str | None:
    if not printed:
        return None
    if sizes := facts["capacity"]:
        words, at = size_in_words(sizes[0][0].number), sizes[0][1]
        fits = any(_LEAST < (fact.number or 0) / printed[1] < _MOST for fact, _ in sizes)
    elif products := list(_sizes_named(facts)):
        words, size, at = products[0]
        fits = size == printed[1]
    else:
        return None
    return f"its capacity ({words})" if fits else Conflict("capacity", printed[0], words, at)


def _sizes_named(facts: _Facts) -> Iterator[tuple[str, float, str]]:
    """Yield, of each product name with a capacity, what it says, the bytes, and its place."""
    for fact, at in facts["product name"]:
        if (digits := _DIGITS.fullmatch(fact.value)) and (size := int(digits[1])):
            yield f"{fact.value}, which makers use for {size} GB", size * 1e9, at


def _classes(printed: Sequence[str], claims: Sequence[tuple[Fact, str]]) -> Conflict | str | None:
    """Hold printed classes against the registers': a card may claim more than its label has."""
    if not printed or not claims:
        return None
    words = " ".join(printed)
    if any(set(printed) <= set(fact.value.split()) for fact, _ in claims):
        return f"its classes ({words})"
    return Conflict("classes", words, claims[0][0].value, claims[0][1])


def _signs(facts: _Facts, logs: Logs) -> Iterator[str]:
    """Yield what in the registers does not fit together, or not the tests."""
    for file, fact in logs.facts:
        if fact.misfit:
            yield f"the {fact.name} {fact.value} ({file}:{fact.line})"
    ids = {int(fact.value, 16) for fact, _ in facts["manufacturer id"]}
    expected = {manufacturers()[number].oem for number in ids if number in manufacturers()} - {None}
    for fact, at in facts["OEM id"]:
        if len(ids) == len(expected) == 1 and fact.value not in expected:
            yield (
                f"its OEM id is {fact.value!r} ({at}), where {manufacturer(*ids)}'s manual "
                f"has {next(iter(expected))!r}"
            )
    if facts["capacity"]:
        yield from _size_signs(facts, logs)


def _size_signs(facts: _Facts, logs: Logs) -> Iterator[str]:
    first, place = facts["capacity"][0]
    cards: dict[str, list[int]] = defaultdict(list)
    for fact, _ in facts["capacity"]:
        cards[fact.card].append(fact.number or 0)
    sizes = [size for card in cards.values() for size in card]
    for words, size, at in _sizes_named(facts):
        if not any(_LEAST < known / size < _MOST for known in sizes):
            name, _, use = words.partition(", ")
            yield (
                f"the product is named {name} ({at}), {use}, and the capacity is "
                f"{size_in_words(first.number)} ({place})"
            )
            break
    for card in cards.values():
        if max(card) > 1.02 * min(card):
            both = f"{size_in_words(min(card))} and {size_in_words(max(card))}"
            yield f"the log has two capacities of the card, {both}"
    largest = max((int(str(row["file_size"] or 0)) for row in logs.rows), default=0)
    if largest > max(sizes):
        yield (
            f"a test wrote or read {size_in_words(largest)}, more than the card says to hold "
            f"({size_in_words(max(sizes))}, {place})"
        )
