"""The cards of each place: which may be the best there, what others would give, what to buy.

A board is the slot of a Raspberry Pi. Its cards are ranked by the figures that were measured there,
in one test each (`effects.may_be_best`); a card that was measured elsewhere has a prediction. Where
nobody ran a main test, the board's own test with most cards replaces it, with the error of its
repeated runs. It ranks only the cards of that board.

The cards that may be the best are specimens; what is sold is a product. Specimens of one name are
one choice, whoever measured them and however it is spelt. A name is advised with a warning where
another specimen is clearly slower, and never where no shop can find it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.errors import SdAnalysisError, check_known
from sdanalysis.stats.effects import may_be_best, predictions
from sdanalysis.stats.fit import (
    Fit,
    figure_errors,
    fit_model,
    log_sigma,
    model_figures,
    own_fit,
    remembered,
)
from sdanalysis.stats.hosts import SLOT, queue_gains
from sdanalysis.stats.intervals import MINIMUM, t_quantile
from sdanalysis.stats.names import card_names, name_key, place_names
from sdanalysis.stats.noise import noise_band, widths
from sdanalysis.stats.products import ProductSpread, product_spread
from sdanalysis.stats.reasons import Reason, doubted, usable
from sdanalysis.stats.same_test import (
    MAIN_TESTS,
    average_repeats,
    columns,
    test_in_words,
    with_test,
)
from sdanalysis.stats.vintage import generations

USES = {"system": "randwrite", "storage": "write", "camera": "write"}  # and the test that decides
AVOIDED = 3  # of the slowest cards: what is warned of
_PLACE = columns("place")
_FIGURES = [
    *("op", "test", *_PLACE, "measured_by", *columns("card"), "value", "low", "high"),
    *("at_least", "runs", "predicted", "may_be_best", "margin", "reason", "group", "limit"),
    *("cards", "rank"),
]
_WHOLE = {"runs": "Int64", "cards": "Int64", "rank": "Int64", "may_be_best": "boolean"}
_BUYER = ["part_number", "capacity", "product", "application_class"]
_CHOICE = ["name_key", "card", "part_number", "value", "people", "buyable", "contested", "year"]
_WORTH = {"fast": 1.0, "middle": 0.5, "slow": 0.0}  # of a card in the tests that do not decide
_AGE = {"old": "older", "new": "newer"}


@remembered
def measured_figures(
    fit: Fit, hosts: pd.DataFrame, host: str, reader: str, confidence: float
) -> pd.DataFrame:
    """Return the figures of a place with their groups; person by person where people disagree.

    One row a card, the fastest first: `op`, `test` (words, of a board's own test), `host`,
    `reader`, `measured_by`, `specimen`, `medium`, `value` (B/s), `at_least`, `runs`, `predicted`,
    `may_be_best`, `margin`, `reason` (why nothing is ranked), `limit`. Another try ends between
    `low` and `high` (at most `limit`). `group` is `fast` (may be the best), `slow` (less than half
    as fast, beyond chance) or `middle`; missing without a ranking. `cards` and `rank` count those
    ranked together.
    """
    place, options = (fit, hosts, host, reader), {"confidence": confidence}
    found = [may_be_best(*place, **options)]
    if found[0]["reason"].iloc[0] == Reason.PEOPLE_DISAGREE:
        people = dict.fromkeys(found[0]["measured_by"])
        found = [may_be_best(*place, measured_by=who, **options) for who in people]
    parts = []
    for ranked in found:
        known, place_of = ranked["may_be_best"].notna(), pd.Series(ranked.index + 1, ranked.index)
        slow = ranked["value"] * ranked["margin"] < 0.5 * ranked["value"].max()
        group = pd.Series("middle", index=ranked.index).mask(slow, "slow")
        group = group.mask(ranked["may_be_best"].fillna(False).astype(bool), "fast").where(known)
        parts.append(ranked.assign(group=group, rank=place_of.where(known), cards=len(ranked)))
    rows = pd.concat(parts, ignore_index=True)
    limit, reach = float(hosts.set_index(_PLACE)["limit"][host, reader]), math.nan
    if fit.freedom:
        reach = math.exp(math.sqrt(2) * t_quantile(confidence, fit.freedom) * log_sigma(fit))
    rows = rows.assign(
        op=fit.test.op,
        limit=limit,
        predicted=False,
        low=rows["value"] / reach,
        high=(rows["value"] * reach).clip(upper=limit),
    )
    rows = rows.sort_values("value", ascending=False, kind="stable", ignore_index=True)
    return rows.reindex(columns=_FIGURES)


@remembered
def _predicted(fit: Fit, hosts: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Return what the model predicts for cards where nobody measured them, the fastest first."""
    rows = predictions(fit, hosts, confidence=confidence)
    media = fit.figures.drop_duplicates("specimen").set_index("specimen")["medium"]
    rows = rows[rows["reason"].isna()]
    rows = rows.assign(medium=rows["specimen"].map(media), predicted=True, op=fit.test.op)
    return rows.sort_values("value", ascending=False, ignore_index=True).reindex(columns=_FIGURES)


def with_products(
    parts: Iterable[pd.DataFrame],
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    companions: Collection[str] = (),
) -> pd.DataFrame:
    """Return figures with what a buyer calls the cards, and who measured them where.

    That is `card` (its name), `name_key` (one for all spellings of a name), `people`, `source` and
    `year` (of the oldest with a figure of the card), `beyond` (a companion), `best` (may be it),
    `slower`, `part_number`, `capacity` (B), `product`, `application_class`. A shop could find a
    `buyable` card by its size and a name or a number.
    """
    found = [part for part in parts if len(part)] or [pd.DataFrame(columns=_FIGURES)]
    rows = pd.concat(found, ignore_index=True)
    rows = rows.astype({"predicted": bool, "may_be_best": "boolean", "rank": "Int64"})
    years = measurements.assign(year=measurements["source"].str.extract(r"(\d{4})$")[0])
    oldest = years.sort_values("year").drop_duplicates("specimen").set_index("specimen")
    rows = rows.join(media.set_index("specimen")[_BUYER], on="specimen")
    rows = rows.join(oldest[["source", "year"]], on="specimen")
    card = rows["specimen"].map(card_names(media, rated=True))
    # a name as in the register of a card is on no pack
    printed = ~rows["product"].str.fullmatch("[A-Z0-9]{5}").fillna(False)
    named = (rows["product"] != "unknown") | rows["application_class"].isin(["A1", "A2"])
    return rows.assign(
        card=card,
        name_key=card.map(name_key),
        people=rows["measured_by"].map(people_name),
        beyond=rows["source"].isin(list(companions)),
        best=rows["may_be_best"].fillna(False).astype(bool),
        slower=~rows["may_be_best"].fillna(True).astype(bool),
        buyable=rows["capacity"].notna() & printed & (named | rows["part_number"].notna()),
    )


def standings(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the figure of each card in each place and test: measured, doubted or predicted.

    A place is host and reader. An op has one test there: the main one, else the one that most cards
    went through (none in sequence in 4 KiB). Of several, the one in the largest blocks counts.
    Those of a slot without a main test are ranked by their repeated runs; of another reader, and
    doubted ones, they have no rank. Columns of `measured_figures`, and `doubted`.
    """
    fits = [fit_model(measurements, op) for op in MAIN_TESTS]
    slots = hosts[hosts["reader"].str.startswith(SLOT)]  # with their command queue and without
    slots = set(slots[_PLACE].itertuples(index=False, name=None))
    measured = []
    for fit in fits:
        main = {(place.host, place.reader) for place in fit.places}
        measured += [measured_figures(fit, hosts, *place, confidence) for place in sorted(main)]
        for host, reader in sorted(slots - main):
            if own := own_fit(measurements, host, fit.test.op, reader):
                measured.append(measured_figures(own, hosts, host, reader, confidence))
    others = _unranked(measurements, media, hosts, noise, confidence)
    predicted = [_predicted(fit, hosts, confidence) for fit in fits]
    rows = pd.concat([*measured, others, *predicted], ignore_index=True)
    rows = rows.drop_duplicates(["op", *_PLACE, "specimen"], ignore_index=True)
    main_tests = {op: test_in_words(test) for op, test in MAIN_TESTS.items()}
    rows["test"] = rows["test"].fillna(rows["op"].map(main_tests))
    for name in ("predicted", "doubted", "at_least"):
        rows[name] = rows[name].eq(True).fillna(False)
    return rows.astype(_WHOLE)[[*_FIGURES, "doubted"]]


def _unranked(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    noise: pd.DataFrame,
    confidence: float,
) -> pd.DataFrame:
    """Return the figures of all places in the one test that tells an op there, the sure first.

    Where a place has another test than the main one its figures stand as they are: no model tells
    how far they are off. Random tests in 4 KiB; those in sequence in larger blocks.
    """
    figures = usable(measurements)
    # The page cache gathers dd's small requests, and not every table states them.
    sizes = figures["block_size"].mask(figures["tool"] == "dd")
    random = figures["op"].isin(["randwrite", "randread"])
    figures = figures.assign(doubted=doubted(figures), block_size=sizes)
    chosen = random == (sizes == 4096).fillna(False).astype(bool)
    figures = figures[figures["op"].isin(list(MAIN_TESTS)) & chosen]
    where = [*_PLACE, "op"]
    names = [*where, *columns("test")]
    tests = figures.groupby(names, dropna=False)["specimen"].nunique().rename("cards").reset_index()
    tools = tests["op"].map({op: test.tool for op, test in MAIN_TESTS.items()})
    tests = tests.assign(usual=tests["tool"] == tools).sort_values(
        ["usual", "cards", "block_size"], ascending=False, kind="stable", na_position="first"
    )
    figures = figures.merge(tests.drop_duplicates(where)[names], on=names, validate="many_to_one")
    keys = columns("laboratory", "card", "place", "op", "test")
    sides = average_repeats(figures, [*keys, "doubted"])
    sides = sides.sort_values("doubted", kind="stable", ignore_index=True)
    sides = with_test(sides).merge(media[["specimen", "form"]], "left", validate="many_to_one")
    bands = noise_band(sides, noise, errors=figure_errors(measurements), confidence=confidence)
    reach = widths(bands, ((runs, 1) for runs in sides["runs"]), confidence)
    rows = sides.merge(hosts[[*_PLACE, "limit"]], on=_PLACE, validate="many_to_one")
    high = (rows["value"] * reach).clip(upper=rows["limit"])
    return rows.assign(low=rows["value"] / reach, high=high)


# --- what to buy ---------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A board and a use, with what is known of cards for it; `buyer_case` makes it."""

    host: str
    use: str
    board: str  # whose cards are compared: the host's own, or those of the nearest with enough
    figures: pd.DataFrame  # of the board in all tests, as of `with_products`
    own: pd.DataFrame  # of the host
    standings: pd.DataFrame  # of the same names on all boards, in the test that decides
    choices: pd.DataFrame  # products that may be the best, the advice first
    spread: ProductSpread
    gains: pd.DataFrame  # by the host's command queue
    places: pd.Series  # names of the boards
    slot: pd.Series  # row of the host's slot
    age: pd.Series  # older, newer: of a specimen
    doubted: tuple[str, ...]  # cards of the board whose figure in the test that decides is left out

    @property
    def op(self) -> str:
        """The test that decides."""
        return USES[self.use]

    @cached_property
    def pick(self) -> pd.Series | None:
        """The product that is the advice; None where none that may be the best can be bought."""
        choices = self.choices[self.choices["buyable"].astype(bool)]
        return choices.iloc[0] if len(choices) else None

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """The measured figures of the test that decides."""
        return self.figures[(self.figures["op"] == self.op) & ~self.figures["predicted"]]

    def lead(self, name: str) -> pd.DataFrame:
        """Return the specimens of a product that may be the best."""
        rows = self.ranked
        return rows[rows["best"] & (rows["name_key"] == name)]

    def at(self, host: str) -> str:
        """Return what a board is called."""
        return str(self.places[host, SLOT])


def buyer_case(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    host: str,
    use: str,
    *,
    companions: Collection[str] = (),
    confidence: float = 0.95,
) -> Case:
    """Gather what is known of the cards for a board and a use (`system`, `storage`, `camera`).

    The products that may be the best are in order: first those that can be bought by name, and of
    which no other specimen is clearly slower. Of these one that several people measured, where a
    buyer may expect most of it: the more specimens, the less the next one may be behind. Else the
    one that is fast in the other tests, whose part number is known. `companions` are the sources
    that are named as being beyond the five. A host without a slot is an SdAnalysisError.
    """
    check_known("use", use, USES)
    check_known("host", host, sorted(hosts.loc[hosts["reader"] == SLOT, "host"]))
    fits = {op: fit_model(measurements, op) for op in MAIN_TESTS}
    op, known = USES[use], (measurements, media, companions)
    own = with_products(_of_board(fits, measurements, hosts, host, confidence), *known)
    enough = ((own["op"] == op) & ~own["predicted"]).sum() >= MINIMUM
    board = host if enough else _nearest(fits[op], hosts, host)
    figures = own
    if board != host:
        parts = _of_board(fits, measurements, hosts, board, confidence)
        figures = with_products(parts, *known)
    slots = sorted({place.host for place in fits[op].places if place.reader == SLOT})
    ranked = [measured_figures(fits[op], hosts, name, SLOT, confidence) for name in slots]
    standings = with_products(ranked, measurements, media)
    spread = product_spread(model_figures(measurements, op), confidence=confidence)
    every = model_figures(measurements, op, with_doubted=True), fits[op].figures
    doubts, sure = (
        rows.loc[(rows["host"] == board) & (rows["reader"] == SLOT), "specimen"] for rows in every
    )
    return Case(
        host=host,
        use=use,
        board=board,
        figures=figures,
        own=own,
        standings=standings,
        choices=_choices(figures, standings, op, spread.sd),
        spread=spread,
        gains=queue_gains(measurements, host, op, confidence=confidence),
        places=place_names(hosts),
        slot=hosts.set_index(["host", "reader"]).loc[(host, SLOT)],
        age=generations(media).set_index("specimen")["generation"].map(_AGE),
        doubted=tuple(doubts[~doubts.isin(sure)].map(card_names(media, rated=True))),
    )


def _of_board(
    fits: dict[str, Fit],
    measurements: pd.DataFrame,
    hosts: pd.DataFrame,
    host: str,
    confidence: float,
) -> Iterator[pd.DataFrame]:
    """Yield measured and predicted figures; where nobody ran a test, of the board's own."""
    for op, fit in fits.items():
        if host in {place.host for place in fit.places if place.reader == SLOT}:
            yield measured_figures(fit, hosts, host, SLOT, confidence)
            others = _predicted(fit, hosts, confidence)
            yield others[(others["host"] == host) & (others["reader"] == SLOT)]
        elif own := own_fit(measurements, host, op, SLOT):
            yield measured_figures(own, hosts, host, SLOT, confidence)


def _nearest(fit: Fit, hosts: pd.DataFrame, host: str) -> str:
    """Return the board by whose cards to choose for one where fewer than three were measured.

    Of those whose slot carries as much, the one where most people measured: a board's order of
    cards that several systems share may be expected of another. Of all, where none does.
    """
    boards = fit.figures[fit.figures["reader"] == SLOT].groupby("host")
    slots = hosts[hosts["reader"] == SLOT].set_index("host")
    slots = slots.assign(
        alike=slots["limit"] == slots["limit"][host],
        people=boards["measured_by"].nunique(),
        cards=boards["specimen"].nunique(),
    )
    slots = slots[slots["cards"] >= MINIMUM].drop(host, errors="ignore")
    if slots.empty:
        none = f"{fit.test.op}: found no board with {MINIMUM} cards"
        raise SdAnalysisError(f"{none}, expected one or more")
    return str(slots.sort_values(["alike", "people", "cards"]).index[-1])


def _choices(
    figures: pd.DataFrame, standings: pd.DataFrame, op: str, spread: float
) -> pd.DataFrame:
    """Return the products with a specimen that may be the best of a board, the advice first.

    `spread` is the standard deviation of the logarithms of specimens of one product.
    """
    rows = figures[(figures["op"] == op) & ~figures["predicted"]]
    named = pd.concat([rows, standings[standings["host"] != figures["host"].iloc[0]]])
    linked = rows["test"].isna().all()  # the board's own test is another than that of the standings
    found = []
    for key, lead in rows[rows["best"]].groupby("name_key"):
        alike = named[named["name_key"] == key]
        best = alike[alike["best"]]
        slower = alike["may_be_best"].notna() & ~alike["specimen"].isin(best["specimen"])
        other = figures[figures["specimen"].isin(lead["specimen"]) & (figures["op"] != op)]
        numbered = best if linked else lead
        known = numbered[numbered["part_number"].notna()]
        people, value = numbered["measured_by"].nunique(), lead["value"].max()
        sure = lead["buyable"].any() and not slower.any()
        found.append({
            "name_key": key,
            "card": (known if len(known) else lead)["card"].iloc[0],
            "part_number": known["part_number"].iloc[0] if len(known) else None,
            "value": value,
            "people": people,
            "buyable": lead["buyable"].any(),
            "contested": slower.any(),
            "worth": other["group"].map(_WORTH).fillna(_WORTH["middle"]).mean(),
            "year": lead["year"].min(),
            "expected": value * math.exp(-spread / math.sqrt(people)) if sure else math.nan,
        })  # fmt: skip
    table = pd.DataFrame(found, columns=[*_CHOICE, "worth", "expected"])
    table = table.assign(
        open=~table["contested"].astype(bool),
        known=table["part_number"].notna(),
        several=(table["people"] > 1) & (table["expected"] == table["expected"].max()),
    )
    order = ["buyable", "open", "several", "worth", "known", "value"]
    return table.sort_values(order, ascending=False, ignore_index=True)[_CHOICE]
