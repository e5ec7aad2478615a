"""An answer in frames -> its sentences, each with its n, its limits and what was left out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import pandas as pd

from sdanalysis.my_card.answer import Answer
from sdanalysis.my_card.not_compared import TOO_FAST
from sdanalysis.my_card.standing import ALL_HOSTS

_BYTES = re.compile(r"\((\d+) bytes\)")
_SIZE = re.compile(r"\b(\d+)\s*(MB|GB|TB)\b", re.IGNORECASE)
_UNITS = {"MB": 1e6, "GB": 1e9, "TB": 1e12}


def megabytes(value: float) -> str:
    """Return a bandwidth as `7.53` (MB/s, 10^6 B/s): three digits, never an exponent."""
    number = value / 1e6
    digits = max(0, 2 - math.floor(math.log10(number))) if number > 0 else 0
    return f"{number:.{min(digits, 6)}f}"


def factor_in_words(ratio: float) -> str:
    """Return a ratio to a slower or faster card: `1.8 times as fast`, `5 % slower`."""
    if ratio >= 1.5:
        return f"{ratio:.1f} times as fast"
    if ratio <= 1 / 1.5:
        return f"{1 / ratio:.1f} times slower"
    return f"{abs(ratio - 1):.0%} {'faster' if ratio >= 1 else 'slower'}".replace("%", " %")


def shown_test(test: str, level: str) -> str:
    """Return a test's words with the tool that really ran, where it was another."""
    return test if level == "same tool" else test.replace(", iozone", ", fio")


def sentences(answer: Answer) -> list[str]:
    """Return the answer's sentences, the most important one first."""
    found = [
        *_placed(answer),
        *_nearest(answer),
        *label_sentences(answer),
        *_classes(answer),
        *_doubted(answer),
        *_host(answer),
    ]
    return [one.replace(" %", "\u00a0%") for one in found]


def _placed(answer: Answer) -> Iterator[str]:
    placed, held = answer.placed, len(answer.figures)
    if not held:
        yield (
            "This log holds no figure that is surely one of the medium and of a known test, so "
            "nothing can be compared; the list below gives the reason for each."
        )
        return
    if placed.empty:
        yield (
            f"Nothing in this log can be compared with the five sources: {_tests(held)} of a "
            "medium found, none of them run so by a source. The list below says why."
        )
        return
    here = int((placed["basis"] != ALL_HOSTS).sum())
    where = f"{here} of them among cards on the same host" if answer.host else "on all hosts"
    yield f"{len(placed)} of {held} tests could be compared with known cards, {where}."
    yield from (_place(row, answer.host) for row in placed.head(2).itertuples())


def _place(row: tuple, host: str | None) -> str:
    noise = (
        f"{row.rank_low} to {row.rank_high} within run noise"
        if row.rank_low != row.rank_high
        else "whatever run noise does"
    )
    whose = "cards on the same host"
    if row.basis == ALL_HOSTS:
        whose = "cards, measured on other hosts" if host else "cards on all hosts"
    compared = "about as fast as" if row.verdict == "~" else f"{factor_in_words(row.ratio)} than"
    compared = compared.replace("as fast than", "as fast as")
    kindred = " Those were measured with iozone, not with fio: indicative." * (
        row.level == "kindred"
    )
    test = shown_test(row.test, row.level)
    test = f"{test[0].upper()}{test[1:]}"
    return (
        f"{test}: {megabytes(row.value)} MB/s, faster than {row.slower} of "
        f"n = {row.n} known {whose} (place {row.rank} of {row.n + 1}; {noise}), {compared} the "
        f"median card.{kindred}"
    )


def _nearest(answer: Answer) -> Iterator[str]:
    if answer.nearest.empty:
        return
    row = next(answer.nearest.itertuples())
    yield (
        f"The known card that behaves most like it is {row.name}: "
        f"{(row.factor - 1) * 100:.0f} % apart on average over {_tests(row.tests)}, "
        f"{row.within_noise} of them within run noise."
    )


def _tests(count: int) -> str:
    return f"{count} test" if count == 1 else f"{count} tests"


def label_sentences(answer: Answer) -> Iterator[str]:
    """Yield what the name on the card was taken for, and whether the figures fit it."""
    yield from _capacity(answer)
    if answer.label is None:
        return
    names = [
        f"{row.name} ({row.part_number})" if pd.notna(row.part_number) else str(row.name)
        for row in answer.candidates.itertuples()
    ]
    if not names:
        yield (
            f"The label “{answer.label}” names no card of the catalogue (maker, product and "
            "capacity are needed as printed), so nothing is said about its name."
        )
    elif len(names) > 1:
        yield (
            f"The label “{answer.label}” may mean {len(names)} entries of the catalogue: "
            f"{'; '.join(names)}. None was taken; the part number would decide."
        )
    else:
        yield from _named(answer, names[0])


def _named(answer: Answer, name: str) -> Iterator[str]:
    taken = f"The label “{answer.label}” was taken as {name}"
    if answer.same.empty:
        yield f"{taken}; no source measured a specimen of it in a test of this log."
        return
    elsewhere = answer.host is None or not answer.same["same_host"].all()
    taken += " (compared with figures from other hosts: indicative)" * elsewhere
    unlike = answer.same[answer.same["verdict"] == "unlike"]
    if unlike.empty:
        inside = int((answer.same["verdict"] == "~").sum())
        yield (
            f"{taken}. Nothing here speaks against the name: {_tests(len(answer.same))} compared "
            f"with {answer.same['n'].max()} known of that name, {inside} within run noise, the "
            "others no further off than specimens of one model are known to be."
        )
        return
    row = max(unlike.itertuples(), key=lambda one: abs(math.log(one.ratio)))
    factor, source = answer.yardstick
    yield (
        f"{taken}, but the figures are far from every specimen of that name that we know: "
        f"{row.test} is {factor_in_words(row.ratio)} than the nearest one, {row.nearest} "
        f"(n = {row.n}). Run noise alone makes a factor of {row.band:.2f}, and specimens of one "
        f"model are known to differ by {factor:.1f} ({source}). Why is not said by figures: "
        "another vintage, another product under the name, wear, or another set-up."
    ).replace("as fast than", "as fast as")
    if len(answer.nearest):
        near = next(answer.nearest.itertuples())
        yield (
            f"By its figures it resembles {near.name} most (factor {near.factor:.2f} over "
            f"{_tests(near.tests)})."
        )


def _capacity(answer: Answer) -> Iterator[str]:
    """Yield that label and CSD differ in capacity, where they do."""
    printed = _SIZE.search(answer.label or "")
    for at, fact in answer.found.facts:
        size = _BYTES.search(fact.value) if fact.name == "capacity" else None
        if not (printed and size):
            continue
        wanted = int(printed[1]) * _UNITS[printed[2].upper()]
        ratio = int(size[1]) / wanted
        if not 0.85 < ratio < 1.1:
            yield (
                f"The label says {printed[0]}, the card itself (its CSD register, {at}:"
                f"{fact.line}) {int(size[1]) / 1e9:.1f} GB: {ratio:.2f} times as much."
            )


def _classes(answer: Answer) -> Iterator[str]:
    reached = list(answer.classes.loc[answer.classes["verdict"] == "pass", "class"])
    missed = list(answer.classes.loc[answer.classes["verdict"] == "fail", "class"])
    if reached or missed:
        yield (
            f"Its figures reach what these classes ask: {', '.join(reached) or 'none'}; they miss "
            f"{', '.join(missed) or 'none for certain'}. That is not the classes' own test."
        )


def _doubted(answer: Answer) -> Iterator[str]:
    fast = (answer.not_compared["why"] == TOO_FAST).sum()
    if fast:
        yield (
            f"{_tests(int(fast))} {'lies' if fast == 1 else 'lie'} above what the bus can carry "
            f"({megabytes(answer.limit)} MB/s: {answer.bus}). A cache answered there, or it was no "
            "card in such a slot; the "
            "other figures of the same run are to be doubted, too."
        )
    if len(answer.doubts):
        count = len(answer.doubts)
        finding = "1 finding" if count == 1 else f"{count} findings"
        yield f"The rules that audit the sources doubt this log: {finding}, listed below."


def _host(answer: Answer) -> Iterator[str]:
    if answer.host:
        return
    if answer.suggested_host:
        host, board, at = answer.suggested_host
        yield f"The log names the computer ({board}, {at}): name it as the host (--host {host})."
    elif len(answer.placed):
        yield (
            "No host was given (--host): the cards of all hosts were taken, whose buses differ. "
            "Figures near a bus limit rank hosts, not cards."
        )
