"""A claim and its result -> the words of its test, and of what it found, for somebody with a card.

Names and not ids; no figure has more digits than its noise leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from sdanalysis.claims.claim import Claim, Selection, as_list
from sdanalysis.claims.figures import Facts
from sdanalysis.claims.verdicts import Result, in_digits
from sdanalysis.codebook.people import people_name
from sdanalysis.codebook.units import counted
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import capacity_in_words, plainly
from sdanalysis.stats.noise import BOUND, MODEL
from sdanalysis.stats.same_test import columns

FEW, DOUBTED = "too few cards", "hangs on a doubted figure"
HOST = "the computer may be to blame"
CAUSES = {  # why a claim is undecided, by what its interval covers
    "one figure": "within the error of the figures",
    "cards": "cards differ too much",
    "two laboratories": "measured by different people",
    "points": FEW,
}
_CLOSED_BY = {
    DOUBTED: "the doubted figure, measured again",
    HOST: "the same cards in a faster computer",
    FEW: f"{MINIMUM} cards of each kind, of one person",
    CAUSES["two laboratories"]: "one person with both sides",
}
_OUTCOMES = {
    "supported": "holds",
    "contradicted": "refuted",
    "undecided": "open",
    "untestable": "no figures for it",
}
_MOST = 50  # runs or cards: more would be no advice
_FORMS = {"microSD": "microSD cards", "USB stick": "USB sticks", "CF": "CF cards"}
_ON_THE_CARD = ("maker", "product", "form", "speed_class", "application_class", "vintage")
_DOUBTS = ("suspicious", "corrected", "inferred-host", "inferred-tool", "inferred-op")


def outcome(verdict: str, undecided_by: str | None = None) -> str:
    """Return a verdict as somebody with a card would say it: `holds`, `open: too few cards`."""
    return f"{_OUTCOMES[verdict]}{f': {undecided_by}' if verdict == 'undecided' else ''}"


# --- what was found -------------------------------------------------------------------------------


def found(claim: Claim, result: Result) -> str:
    """Return the words of what a test found: the figure, what else it could be, of how many."""
    if claim.test == "untestable":
        return "Nothing: there are no such figures."
    holds, fails, many = result.clear or (0, 0, 1)
    counts = {"clearly so": holds, "clearly not": fails, "open": many - holds - fails}
    clear = ", ".join(f"{word} in {count}" for word, count in counts.items() if count)
    words = [f"Of {many} comparisons {clear}."] if many > 1 else []
    words += [_figure(claim, result, many), f"{cards_in_words(claim, result)}."]
    if result.interval == "two laboratories":
        words.append("Different people measured the sides: that decides nothing.")
    elif result.few:
        words.append(f"Fewer than {MINIMUM} in a group: that decides nothing.")
    elif result.accident and result.clear:
        words.append(f"Alone that would refute it; of {many}, one may be an accident.")
    return " ".join(words)


def _figure(claim: Claim, result: Result, many: int) -> str:
    """Return the deciding figure, and what another run or other cards could make of it."""
    number, _, ends = figure_with_ends(result).partition(" (")
    could = "measured again" if result.interval == "one figure" else "other cards"
    could += f", as the worst of {many}" if result.accident and result.clear else ""
    ends = f" ({could}: {ends}" if ends else ""
    if claim.test == "association":
        return f"Agreement {number}{ends}, where 1 is the same order and 0 none."
    share = "share_of" in claim.parameters
    of = " what the bus carries" if share else " the minimum" if claim.test == "class" else ""
    times = "" if result.unit == "B/s" else f" times{of}"
    best = claim.parameters.get("summary") == "some"
    which = f"{'Best' if best else 'Hardest'} case: " if many > 1 else ""
    case = f"{which}{result.case}, " if result.case else ""
    return _sentence(f"{case}{number}{times}{ends}.")


def figure_with_ends(result: Result) -> str:
    """Return a figure and what else it could be, in no more digits than that leaves.

    Two significant digits; a third where two would hide on which side of the figure the ends lie.
    """
    unit = " MB/s" if result.unit == "B/s" else ""
    if math.isnan(result.low):
        return f"{in_digits(result.computed, result.unit)}{unit}"
    ends = (result.computed, result.low, result.high)
    for digits in (2, 3):
        number, low, high = (in_digits(end, result.unit, digits) for end in ends)
        if low != number != high:
            break
    return f"{number}{unit}{'' if low == number == high else f' ({low} to {high})'}"


def cards_in_words(claim: Claim, result: Result) -> str:
    """Say how many cards it was: of both sides, where different cards are compared as groups."""
    sides = [side for _, side in result.rows.groupby("side", sort=False)]
    groups = claim.test == "ratio" and not claim.pairs_cards
    if groups and any(side["specimen"].nunique() > 1 for side in sides):
        return " against ".join(map(_media, sides))
    return _media(result.rows)


def _media(rows: pd.DataFrame) -> str:
    number, forms = rows["specimen"].nunique(), set(rows["form"].dropna())
    if forms == {"USB stick"}:
        return counted(number, "stick")
    return f"{number} cards and sticks" if "USB stick" in forms else counted(number, "card")


def closing(claim: Claim, result: Result, cause: str) -> str:
    """Return the words of what would close an open sentence: how many more runs or cards.

    An interval shrinks with the root of their number.
    """
    for known in (CAUSES[result.interval], FEW if result.few else cause):
        if known in _CLOSED_BY:
            return _CLOSED_BY[known]
    ends = [result.low, result.computed, result.high, claim.low, claim.high]
    with np.errstate(divide="ignore", invalid="ignore"):
        low, centre, high, *edges = np.arctanh(ends) if result.unit == "rho" else np.log(ends)
    distance = min(abs(edge - centre) for edge in edges)
    times = float(((high - low) / 2 / distance) ** 2) if distance else math.inf
    what, now = ("cards", result.least) if result.interval == "cards" else ("runs of each card", 1)
    if math.isnan(times):
        return "repeated runs of one card: how much they differ is not known"
    if times * now > _MOST:
        return f"no number of {what}: the figure is at the edge"
    return f"about {max(math.ceil(times * now), now + 1)} {what}"


def caveats(result: Result) -> str:
    """Say where the error comes from if not from repeats of the test, and what is remarked on."""
    kinds = set(result.rows["noise_kind"].dropna())
    error = result.interval == "one figure"
    words = ["the error is the model's"] if error and kinds == {MODEL} else []
    words += ["the noise is that of another test"] if error and BOUND in kinds else []
    remarks = " ".join(result.rows["remarks"].dropna()).split()
    counts = {remark: remarks.count(remark) for remark in _DOUBTS}
    return "; ".join([*words, *(f"{count} {word}" for word, count in counts.items() if count)])


# --- what was asked -------------------------------------------------------------------------------


def question(claim: Claim, result: Result, facts: Facts) -> str:
    """Return the words of a claim's test: what is set against what, and when the sentence holds."""
    if claim.test == "untestable":
        return f"None: {claim.parameters['reason']}."
    what, holds = _QUESTIONS[claim.test](claim, result, facts)
    rows, ops = result.rows, list(dict.fromkeys(result.rows["op"]))
    deed = "" if _are_tests(claim) else f"{plainly(ops[0]) if len(ops) == 1 else 'every test'}: "
    people, places, number = _people(rows), _places(rows), rows["measured_by"].nunique()
    names = " and ".join(people) if number < 3 else f"{number} people"
    are_named = all(person in what for person in people)
    setting = [] if are_named else [f"measured by {names}"]
    setting += [facts.place(*places[0])] if len(places) == 1 else []
    where = f" ({', '.join(setting)})" if setting else ""
    return _sentence(f"{deed}{what}{where}. Holds if {holds}.")


def _ratio(claim: Claim, result: Result, facts: Facts) -> tuple[str, str]:
    first, second = (_side(claim, key, result, facts) for key in ("of", "to"))
    single = (result.rows.groupby("side")["specimen"].nunique() == 1).all()
    how = "" if single else ", the average of each group"
    if claim.pairs_cards:
        mean = claim.parameters.get("summary", "mean") == "mean"
        how = f", each card against itself, {'averaged over the cards' if mean else 'one by one'}"
    return f"{first} against {second}{how}", _range(claim)


def _order(claim: Claim, result: Result, facts: Facts) -> tuple[str, str]:
    names = [
        _side(claim, f"step {number}", result, facts, step) if step else "each of the others"
        for number, step in enumerate(claim.parameters["steps"], start=1)
    ]
    chain = " against ".join(names) if len(names) < 3 else ", then ".join(names)
    each = "once at least" if claim.parameters.get("summary") == "some" else "each time"
    return chain, f"{_range(claim, slower=claim.parameters.get('rising', False))}, {each}"


def _bound(claim: Claim, result: Result, facts: Facts) -> tuple[str, str]:
    unit = " times what the bus carries" if "share_of" in claim.parameters else " MB/s"
    each = ", each by itself" if result.least > 1 else ""
    return f"{_side(claim, 'of', result, facts)}{each}", f"it is {_ends(claim, result.unit)}{unit}"


def _class(claim: Claim, result: Result, facts: Facts) -> tuple[str, str]:
    what = f"{_side(claim, 'of', result, facts)} against the minimum of"
    holds = "every card reaches it; what the computer may cost is not held against a card"
    return f"{what} {claim.parameters['rating']}", holds


def _spread(claim: Claim, result: Result, facts: Facts) -> tuple[str, str]:
    who = f"the fastest{' load' if 'across' in claim.parameters else ''} against the slowest"
    return f"{_side(claim, 'of', result, facts)}, {who}", _range(claim)


def _association(claim: Claim, _result: Result, _facts: Facts) -> tuple[str, str]:
    first, second = (_deed(claim.parameters[key]) for key in ("of", "to"))
    what = f"the order that {first} puts the cards in, and the order that {second} does"
    return what, f"they {'are opposite' if claim.word == 'opposite' else 'agree'}, by and large"


_QUESTIONS: dict[str, Callable[[Claim, Result, Facts], tuple[str, str]]] = {
    "ratio": _ratio,
    "order": _order,
    "bound": _bound,
    "class": _class,
    "spread": _spread,
    "association": _association,
}


def _range(claim: Claim, *, slower: bool = False) -> str:
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


def _side(
    claim: Claim, name: str, result: Result, facts: Facts, step: Selection | None = None
) -> str:
    """Return a selection as a card owner would call it; `name` is that of its side in the rows."""
    selection = claim.parameters[name] if step is None else step
    if _are_tests(claim):
        return _deed(selection)
    if "numjobs" in selection:
        jobs = selection["numjobs"]
        return f"{jobs} process{'es' * (jobs > 1)}{' at a time' * (name == 'step 1')}"
    rows = result.rows[result.rows["side"] == name]
    words = [_noun(claim, selection, rows, facts)]
    places, every = _places(rows), _places(result.rows)
    if len(every) > 1 and (len(places) < len(every) or len(places) == 2):
        words.append(" or ".join(facts.place(*place) for place in places))
    if claim.test == "ratio" and "measured_by" in selection:
        words.append(f"of {' and '.join(_people(rows))}")
    return " ".join(words)


def _noun(claim: Claim, selection: Selection, rows: pd.DataFrame, facts: Facts) -> str:
    """Return what a side is called: its cards where they are named or one, else what is on them."""
    shared = claim.parameters.get("where", {})
    own = {key: shared[key] for key in _ON_THE_CARD if key in shared} | dict(selection)
    cards = list(dict.fromkeys(rows["specimen"]))
    if "specimen" in own or (len(cards) == 1 and not claim.pairs_cards):
        return " and ".join(map(facts.card, cards))
    forms = [_FORMS.get(form, form) for form in as_list(own.get("form", []))]
    rated = own.get("application_class")
    sizes = map(capacity_in_words, as_list(own.get("capacity", [])))
    words = {
        **{key: own[key] for key in ("maker", "product") if isinstance(own.get(key), str)},
        "form": " and ".join(forms) or "cards",
        "application_class": "that are not A1" if rated == "no" else f"rated {rated}",
        "speed_class": f"that print {own.get('speed_class')}",
        "vintage": f"with {own.get('vintage')} in the part number",
        "capacity": f"of {' or '.join(sizes)}",
    }
    known = [word for key, word in words.items() if key in own or key == "form"]
    return " ".join([*known, *(["bought after the article"] if "remarks" in shared else [])])


def _are_tests(claim: Claim) -> bool:
    """Tell whether two tests are compared, rather than cards or places by one test."""
    sides = [claim.parameters.get(key, {}) for key in ("of", "to")]
    return all({*columns("op", "tool", "metric")} & set(side) for side in sides)


def _deed(own: Selection) -> str:
    """Return the test of a side: what the card does, or the tool where tools are compared."""
    words = [str(own["tool"])] if "tool" in own else []
    words = [plainly(op) for op in as_list(own.get("op", []))] or words
    return " and ".join([*words, *([str(own["metric"])] if "metric" in own else [])])


def _people(rows: pd.DataFrame) -> list[str]:
    return sorted({people_name(name) for name in rows["measured_by"]})


def _places(rows: pd.DataFrame) -> list[tuple[str, str]]:
    return list(dict.fromkeys(zip(rows["host"], rows["reader"], strict=True)))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"
