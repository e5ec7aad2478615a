"""A claim and its result -> the words of its test, and of what it found, for somebody with a card.

Names and not ids; no figure has more digits than its noise leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from sdanalysis.claims.claim import Claim, Selection
from sdanalysis.claims.selection import Facts
from sdanalysis.claims.summaries import Result, figure_with_ends, too_few
from sdanalysis.codebook.people import people_name
from sdanalysis.codebook.units import counted
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import capacity_in_words, plainly
from sdanalysis.stats.same_test import columns

_MOST = 50  # runs or cards: more would be no advice
_CLOSED_BY = {
    "hangs on a doubted figure": "the doubted figure, measured again",
    "the computer may be to blame": "the same cards in a faster computer",
}
_FORMS = {"microSD": "microSD cards", "USB stick": "USB sticks", "CF": "CF cards"}


def asked(claim: Claim, result: Result, facts: Facts) -> str:
    """Return the words of a claim's test: what is set against what, and when the sentence holds."""
    if claim.test == "untestable":
        return f"None: {claim.parameters['reason']}."
    return _ASKED[claim.test](claim, result, facts)


def found(claim: Claim, result: Result) -> str:
    """Return the words of what a test found: the figure, what else it could be, of how many."""
    if claim.test == "untestable":
        return "Nothing: there are no such figures."
    words = [_clear(result), _figure(claim, result), f"{cards_in_words(claim, result)}."]
    if result.interval == "two laboratories":
        words += ["Different people measured the sides: that decides nothing."]
    elif too_few(claim, result):
        words += [f"Fewer than {MINIMUM} in a group: that decides nothing."]
    elif result.accident and result.clear:
        words += [f"Alone that would refute it; of {result.clear[2]}, one may be an accident."]
    return " ".join(word for word in words if word)


def closing(claim: Claim, result: Result, cause: str) -> str:
    """Return the words of what would close an open sentence."""
    if result.interval == "two laboratories":
        return "one person with both sides"
    if too_few(claim, result):
        return f"{MINIMUM} cards of each kind, of one person"
    if cause in _CLOSED_BY:
        return _CLOSED_BY[cause]
    times = _times_to_decide(claim, result)
    what = "cards" if result.interval == "cards" else "runs of each card"
    now = result.least if result.interval == "cards" else 1
    if times * now > _MOST:
        return f"no number of {what}: the figure is at the edge"
    return f"about {max(math.ceil(times * now), now + 1)} {what}"


def _times_to_decide(claim: Claim, result: Result) -> float:
    """Return how many times as many figures would leave the edges of the claim's range out.

    An interval shrinks with the root of their number.
    """
    signed = result.unit == "rho"
    ends = [result.low, result.computed, result.high, claim.low, claim.high]
    with np.errstate(divide="ignore", invalid="ignore"):
        low, centre, high, *edges = np.arctanh(ends) if signed else np.log(ends)
    distance = min(abs(edge - centre) for edge in edges)
    return float(((high - low) / 2 / distance) ** 2) if distance else math.inf


def _clear(result: Result) -> str:
    """Say in how many comparisons it is clearly so and clearly not, where there are several."""
    if result.clear is None or result.clear[2] == 1:
        return ""
    holds, fails, many = result.clear
    counts = {"clearly so": holds, "clearly not": fails, "open": many - holds - fails}
    words = ", ".join(f"{word} in {count}" for word, count in counts.items() if count)
    return f"Of {many} comparisons {words}."


def _figure(claim: Claim, result: Result) -> str:
    """Return the deciding figure, and what another run or other cards could make of it."""
    number, _, ends = figure_with_ends(result).partition(" (")
    could = "measured again" if result.interval == "one figure" else "other cards"
    could += f", as the worst of {result.clear[2]}" if result.accident and result.clear else ""
    ends = f" ({could}: {ends}" if ends else ""
    if claim.test == "association":
        return f"Agreement {number}{ends}, where 1 is the same order and 0 none."
    share = claim.parameters.get("share_of")
    of = " what the bus carries" if share else " the minimum" if claim.test == "class" else ""
    times = "" if result.unit == "B/s" else f" times{of}"
    which = {"every": "Hardest case: ", "some": "Best case: "}.get(_summary(claim, result), "")
    case = f"{which}{result.case}, " if result.case else ""
    words = f"{case}{number}{times}{ends}."
    return f"{words[0].upper()}{words[1:]}"


def _summary(claim: Claim, result: Result) -> str:
    many = result.clear is not None and result.clear[2] > 1
    return claim.parameters.get("summary", "every") if many else ""


def cards_in_words(claim: Claim, result: Result) -> str:
    """Say how many cards it was: of both sides, where different cards are compared as groups."""
    rows = result.rows
    if claim.test == "ratio" and "specimen" not in claim.parameters.get("pair_by", []):
        sides = [side for _, side in rows.groupby("side", sort=False)]
        if any(side["specimen"].nunique() > 1 for side in sides):
            return " against ".join(map(_media, sides))
    return _media(rows)


def _media(rows: pd.DataFrame) -> str:
    number, forms = rows["specimen"].nunique(), set(rows["form"].dropna())
    if forms == {"USB stick"}:
        return counted(number, "stick")
    return f"{number} cards and sticks" if "USB stick" in forms else counted(number, "card")


def outcome(verdict: str, undecided_by: str | None = None) -> str:
    """Return a verdict as somebody with a card would say it.

    Examples
    --------
    >>> outcome("supported"), outcome("undecided", "too few cards")
    ('holds', 'open: too few cards')
    """
    return f"{_OUTCOMES[verdict]}{f': {undecided_by}' if verdict == 'undecided' else ''}"


def ledger_in_words(ledger: pd.DataFrame) -> str:
    """Say how many sentences of the articles hold, are refuted, stay open and why.

    Readers' sentences are counted below, by themselves; ours and bookkeeping are in no count.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import claims
    >>> chosen = [claim for claim in claims.read() if claim.source == "dramble-2017"]
    >>> words = claims.ledger_in_words(claims.ledger(sdanalysis.load_data(), chosen))
    >>> print(words.splitlines()[0][:78])
    Of 8 sentences of the articles 2 clearly hold, 1 is clearly refuted, 3 stay op
    """
    own = ledger[ledger["whose"] == "article"]
    lines = [_counts_in_words(own, "of the articles")]
    if causes := list(own["undecided_by"].value_counts().items()):
        lines.append(f"Why they stay open: {', '.join(f'{why} ({many})' for why, many in causes)}.")
    lines.append(f"A sentence about a class or a name takes {MINIMUM} cards or more.")
    readers = ledger[ledger["whose"] == "reader"]
    below = [_counts_in_words(readers, "in readers' comments")] if len(readers) else []
    return "\n\n".join(["\n".join(lines), *below])


def _counts_in_words(ledger: pd.DataFrame, whose: str) -> str:
    counts = ledger["verdict"].value_counts()
    holds, refuted, undecided, untestable = (int(counts.get(name, 0)) for name in _OUTCOMES)
    return (
        f"Of {counted(len(ledger), 'sentence')} {whose} {holds or 'none'} clearly "
        f"{'holds' if holds < 2 else 'hold'}, {refuted or 'none'} "
        f"{'is' if refuted < 2 else 'are'} clearly refuted, {undecided} "
        f"{'stays' if undecided == 1 else 'stay'} open, and for {untestable} there are no figures."
    )


_OUTCOMES = {
    "supported": "holds",
    "contradicted": "refuted",
    "undecided": "open",
    "untestable": "no figures for it",
}


def _ratio(claim: Claim, result: Result, facts: Facts) -> str:
    sides = {name: claim.parameters[name] for name in ("of", "to")}
    first, second = (_side(claim, own, name, result, facts) for name, own in sides.items())
    cards = result.rows.groupby("side")["specimen"].nunique()
    how = "" if (cards == 1).all() else ", the average of each group"
    if "specimen" in claim.parameters.get("pair_by", []):
        each = claim.parameters.get("summary", "mean") != "mean"
        how = f", each card against itself, {'one by one' if each else 'averaged over the cards'}"
    return _test(claim, result, facts, f"{first} against {second}{how}", range_in_words(claim))


def _order(claim: Claim, result: Result, facts: Facts) -> str:
    steps = enumerate(claim.parameters["steps"], start=1)
    names = [
        _side(claim, step, f"step {number}", result, facts) if step else "each of the others"
        for number, step in steps
    ]
    chain = " against ".join(names) if len(names) < 3 else ", then ".join(names)
    times = range_in_words(claim, slower=claim.parameters.get("rising", False))
    each = "once at least" if claim.parameters.get("summary") == "some" else "each time"
    return _test(claim, result, facts, chain, f"{times}, {each}")


def _bound(claim: Claim, result: Result, facts: Facts) -> str:
    of = _side(claim, claim.parameters["of"], "of", result, facts)
    unit = " times what the bus carries" if claim.parameters.get("share_of") else " MB/s"
    each = ", each by itself" if result.least > 1 else ""
    return _test(claim, result, facts, f"{of}{each}", f"it is {_ends(claim, result.unit)}{unit}")


def _class(claim: Claim, result: Result, facts: Facts) -> str:
    of = _side(claim, claim.parameters["of"], "of", result, facts)
    minimum = f"the minimum of {claim.parameters['rating']}"
    holds = "every card reaches it; what the computer may cost is not held against a card"
    return _test(claim, result, facts, f"{of} against {minimum}", holds)


def _spread(claim: Claim, result: Result, facts: Facts) -> str:
    of = _side(claim, claim.parameters["of"], "of", result, facts)
    loads = "across" in claim.parameters
    who = "the fastest load against the slowest" if loads else "the fastest against the slowest"
    return _test(claim, result, facts, f"{of}, {who}", range_in_words(claim))


def _association(claim: Claim, result: Result, facts: Facts) -> str:
    first, second = (_deed(claim.parameters[key]) for key in ("of", "to"))
    what = f"the order that {first} puts the cards in, and the order that {second} does"
    if claim.word == "opposite":
        return _test(claim, result, facts, what, "they are opposite, by and large")
    return _test(claim, result, facts, what, "they agree, by and large")


_ASKED: dict[str, Callable[[Claim, Result, Facts], str]] = {
    "ratio": _ratio,
    "order": _order,
    "bound": _bound,
    "class": _class,
    "spread": _spread,
    "association": _association,
}


def range_in_words(claim: Claim, *, slower: bool = False) -> str:
    """Return when a ratio is what the claim says: `the first is at least 1.5 times the second`."""
    if (claim.low, claim.high) == (1, math.inf):
        return f"the first is {'slower' if slower else 'faster'}"
    first, second = ("the second", "the first") if slower else ("the first", "the second")
    return f"{first} is {_ends(claim)} times {second}"


def _ends(claim: Claim, unit: str = "1") -> str:
    """Return the range of a claim in words: as it is declared, a bandwidth in MB/s."""
    low, high = (end / 1e6 if unit == "B/s" else end for end in (claim.low, claim.high))
    if math.isinf(high):
        return f"at least {low:.4g}"
    return f"at most {high:.4g}" if low <= 0 else f"{low:.4g} to {high:.4g}"


def _test(claim: Claim, result: Result, facts: Facts, what: str, holds: str) -> str:
    """Put a test together: what was done, what is compared, by whom and where, when it holds."""
    rows, ops = result.rows, dict.fromkeys(result.rows["op"])
    deed = f"{plainly(next(iter(ops)))}: " if len(ops) == 1 else "every test: "
    deed = "" if _sides_are_tests(claim) else deed
    people = sorted({people_name(name) for name in rows["measured_by"]})
    number = rows["measured_by"].nunique()
    told = all(person in what for person in people)
    names = [] if told else people if number < 3 else [f"{number} people"]
    places = _places(rows)
    where = [facts.place(*place) for place in places if len(places) == 1]
    setting = ", ".join([*([f"measured by {' and '.join(names)}"] if names else []), *where])
    sentence = f"{deed}{what}{f' ({setting})' if setting else ''}."
    return f"{sentence[0].upper()}{sentence[1:]} Holds if {holds}."


def _sides_are_tests(claim: Claim) -> bool:
    """Tell whether two tests are compared, rather than cards or places by one test."""
    sides = [claim.parameters[key] for key in ("of", "to") if key in claim.parameters]
    named = [{*columns("op", "tool", "metric")} & set(side) for side in sides]
    return len(sides) == 2 and all(named)


def _places(rows: pd.DataFrame) -> list[tuple[str, str]]:
    return list(dict.fromkeys(zip(rows["host"], rows["reader"], strict=True)))


def _side(claim: Claim, selection: Selection, name: str, result: Result, facts: Facts) -> str:
    """Return a selection as a card owner would call it; `name` is that of its side in the rows."""
    if _sides_are_tests(claim):
        return _deed(selection)
    rows = result.rows[result.rows["side"] == name]
    if "numjobs" in selection:
        jobs = selection["numjobs"]
        return f"{jobs} process{'es' if jobs > 1 else ''}{'' if name != 'step 1' else ' at a time'}"
    words = [_noun(claim, selection, rows, facts)]
    here, every = _places(rows), _places(result.rows)
    told = len(every) > 1 and (len(here) < len(every) or len(here) == 2)
    words += [" or ".join(facts.place(*place) for place in here)] if told else []
    people = dict.fromkeys(people_name(person) for person in sorted(set(rows["measured_by"])))
    own = claim.test == "ratio" and "measured_by" in selection
    words += [f"of {' and '.join(people)}"] if own else []
    return " ".join(words)


_ON_THE_CARD = ("maker", "product", "form", "speed_class", "application_class", "vintage")


def _noun(claim: Claim, selection: Selection, rows: pd.DataFrame, facts: Facts) -> str:
    """Return what a side is called: its cards where they are named or one, else what is on them."""
    shared = claim.parameters.get("where", {})
    own = {key: shared[key] for key in _ON_THE_CARD if key in shared} | dict(selection)
    named = list(dict.fromkeys(rows["specimen"]))
    paired = "specimen" in claim.parameters.get("pair_by", [])
    if "specimen" in own or (len(named) == 1 and not paired):
        return " and ".join(facts.cards.get(one, one) for one in named)
    nouns = [_FORMS.get(form, form) for form in _listed(own.get("form", []))]
    made = [str(own[key]) for key in ("maker", "product") if isinstance(own.get(key), str)]
    late = ["bought after the article"] if "remarks" in shared else []
    return " ".join([*made, " and ".join(nouns) or "cards", *_marks(own), *late])


def _marks(own: Selection) -> list[str]:
    """Return what is printed on the cards that are meant."""
    marks = []
    if "application_class" in own:
        rated = own["application_class"]
        marks.append("that are not A1" if rated == "no" else f"rated {rated}")
    if "speed_class" in own:
        marks.append(f"that print {own['speed_class']}")
    if "vintage" in own:
        marks.append(f"with {own['vintage']} in the part number")
    if "capacity" in own:
        marks.append(f"of {' or '.join(map(capacity_in_words, _listed(own['capacity'])))}")
    return marks


def _deed(own: Selection) -> str:
    """Return the test of a side: what the card does, or the tool where tools are compared."""
    words = [plainly(op) for op in _listed(own.get("op", []))]
    words = words or [str(own["tool"])] if "tool" in own else words
    return " and ".join([*words, *([str(own["metric"])] if "metric" in own else [])])


def _listed(values: object) -> Sequence:
    return values if isinstance(values, list) else [values]
