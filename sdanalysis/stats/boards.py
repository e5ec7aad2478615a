"""The cards of one board: their figures in the four tests, the fast ones, what others would give.

A board is the slot of a Raspberry Pi. Its cards are ranked by the figures that were measured
there, in one test each (`effects.may_be_best`); a card that was measured elsewhere has a
prediction. Where nobody ran a main test, the board's own test with most cards stands in for it,
with the error of its repeated runs: it ranks the cards of that board, and no others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.errors import SdAnalysisError, check_known
from sdanalysis.stats.choices import is_buyable, name_key, order_choices
from sdanalysis.stats.effects import may_be_best, predictions
from sdanalysis.stats.fit import Fit, fit_model, log_sigma, model_figures, own_fit
from sdanalysis.stats.generations import generations
from sdanalysis.stats.intervals import MINIMUM, t_quantile
from sdanalysis.stats.names import card_names, place_names
from sdanalysis.stats.products import ProductSpread, product_spread
from sdanalysis.stats.reasons import Reason
from sdanalysis.stats.same_test import MAIN_TESTS, columns

USES = {"system": "randwrite", "storage": "write", "camera": "write"}  # and the test that decides
SLOT, QUEUE_OFF = "slot", "slot-no-queue"  # the reader that is part of a board
_PLACE = columns("laboratory", "place")
_CARD = [*_PLACE, *columns("card")]
_HALF = 0.5  # of the fastest card: below it beyond chance, a card is slow
_FIGURES = [
    *("op", "test", *columns("place"), "measured_by", *columns("card"), "value", "low", "high"),
    *("at_least", "runs", "predicted", "may_be_best", "margin", "reason", "group", "limit"),
    *("cards", "rank"),
]
_AGE = {"old": "older", "new": "newer"}
_BUYER = ["part_number", "capacity", "product", "application_class"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A board and a use, with what is known of cards for it; `buyer_case` makes it."""

    host: str
    use: str
    board: str  # whose cards are compared: the host's own, or those of the nearest with enough
    figures: pd.DataFrame  # of the board, as of `board_figures`
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

    @property
    def taken(self) -> pd.Series | None:
        """The product that is the advice; None where none that may be the best can be bought."""
        choices = self.choices[self.choices["buyable"].astype(bool)]
        return choices.iloc[0] if len(choices) else None

    @property
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
    """Gather what is known of the cards for a board and a use.

    The products that may be the best are in order: first those that can be bought by name, and of
    which no other specimen is clearly slower. Of these one that several people measured, where a
    buyer may expect most of it: the more specimens, the less the next one may be behind. Else the
    one that is fast in the other tests, whose part number is known.

    Parameters
    ----------
    measurements, media, hosts : DataFrame
        As of `sdanalysis.load_data`.
    host : str
        One with a slot; another is an SdAnalysisError.
    use : str
        `system`, `storage` or `camera`; another is an SdAnalysisError.
    companions : collection of str
        The sources that are named as being beyond the five.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> frames = data.measurements, data.media, data.hosts
    >>> case = stats.buyer_case(*frames, "pi-4b", "system")
    >>> case.choices[["card", "part_number", "people"]].head(1)
                               card         part_number  people
    0  SanDisk Extreme PRO 32 GB A1  SDSQXCG-032G-GN6MA       3
    """
    check_known("use", use, USES)
    check_known("host", host, sorted(hosts.loc[hosts["reader"] == SLOT, "host"]))
    op, models = USES[use], _models(measurements)
    board = _advising(models[op], measurements, hosts, host)
    frames, asked = (measurements, media, hosts), (companions, confidence)
    figures = _figures(models.values(), *frames, board, *asked)
    spread = product_spread(model_figures(measurements, op), confidence=confidence)
    standings = _standings(models[op], *frames, confidence)
    return Case(
        host=host,
        use=use,
        board=board,
        figures=figures,
        own=figures if board == host else _figures(models.values(), *frames, host, *asked),
        standings=standings,
        choices=order_choices(figures, standings, op, spread.sd),
        spread=spread,
        gains=queue_gains(measurements, host, op, confidence=confidence),
        places=place_names(hosts),
        slot=hosts.set_index(["host", "reader"]).loc[(host, SLOT)],
        age=generations(media).set_index("specimen")["generation"].map(_AGE),
        doubted=_doubted(measurements, media, board, op),
    )


def board_figures(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    host: str,
    *,
    companions: Collection[str] = (),
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return what is known of the cards of a board in the four tests.

    Parameters
    ----------
    measurements, media, hosts : DataFrame
        As of `sdanalysis.load_data`.
    host : str
        One with a slot; another is an SdAnalysisError.
    companions : collection of str
        The sources that are named as being beyond the five.

    Returns
    -------
    DataFrame
        One row a card and test, the fastest of a test first, predictions last: `op`, `test`
        (words), `specimen`, `measured_by`, `medium`, `value` (B/s), `low` and `high` (where another
        try could end, at most `limit`), `runs`, `predicted`, `may_be_best`, `margin`, `reason`
        (why nothing is ranked), `group` (`fast`: may be the best; `slow`: less than half as fast,
        beyond chance; `middle`; missing without a ranking), `cards` and `rank` (of those ranked
        together), `card` (its name), `name_key` (one for all spellings of a name), `people`,
        `source` and `year` (of the oldest with a figure of the card), `beyond` (a companion),
        `part_number`, `capacity` (B), `product`, `application_class`.
        No row for a test that nobody ran there.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> rows = stats.board_figures(data.measurements, data.media, data.hosts, "pi-4b")
    >>> writes = rows[(rows["op"] == "randwrite") & ~rows["predicted"]]
    >>> writes["group"].value_counts().to_dict()
    {'slow': 9, 'middle': 8, 'fast': 7}
    """
    check_known("host", host, sorted(hosts.loc[hosts["reader"] == SLOT, "host"]))
    models = _models(measurements).values()
    return _figures(models, measurements, media, hosts, host, companions, confidence)


def _models(measurements: pd.DataFrame) -> dict[str, Fit]:
    """Return the models of the four tests: every board's figures are read from the same ones."""
    return {op: fit_model(measurements, op) for op in MAIN_TESTS}


def _figures(
    models: Iterable[Fit],
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    host: str,
    companions: Collection[str],
    confidence: float,
) -> pd.DataFrame:
    tests = [_test_figures(fit, measurements, hosts, host, confidence) for fit in models]
    return _named(tests, measurements, media, companions)


def _standings(
    fit: Fit,
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    confidence: float,
) -> pd.DataFrame:
    """Return the rows of `board_figures` of one main test on all boards, without predictions."""
    boards = sorted({place.host for place in fit.places if place.reader == SLOT})
    found = [measured_figures(fit, hosts, board, SLOT, confidence) for board in boards]
    return _named(found, measurements, media, ())


def advising_board(measurements: pd.DataFrame, hosts: pd.DataFrame, host: str, op: str) -> str:
    """Return the board by whose cards to choose: itself where three or more went through the test.

    Else, of those whose slot carries as much, the one where most people measured: a board's order
    of cards that several systems share may be expected of another. Of all, where none does.

    Examples
    --------
    >>> from sdanalysis import load_data
    >>> from sdanalysis.stats.boards import advising_board
    >>> data = load_data(companions=True)
    >>> advising_board(data.measurements, data.hosts, "pi-zero-2w", "randwrite")
    'pi-3b'
    """
    return _advising(fit_model(measurements, op), measurements, hosts, host)


def _advising(fit: Fit, measurements: pd.DataFrame, hosts: pd.DataFrame, host: str) -> str:
    own = _test_figures(fit, measurements, hosts, host, 0.95)
    if (~own["predicted"].astype(bool)).sum() >= MINIMUM:
        return host
    boards = fit.figures[fit.figures["reader"] == SLOT].groupby("host")
    slots = hosts[hosts["reader"] == SLOT].set_index("host")
    slots = slots.assign(
        alike=slots["limit"] == slots["limit"][host],
        people=boards["measured_by"].nunique(),
        cards=boards["specimen"].nunique(),
    )
    order = ["alike", "people", "cards"]
    slots = slots[slots["cards"] >= MINIMUM].drop(host, errors="ignore").sort_values(order)
    if slots.empty:
        raise SdAnalysisError(
            f"{fit.test.op}: found no board with {MINIMUM} cards, expected one or more"
        )
    return str(slots.index[-1])


def queue_gains(
    measurements: pd.DataFrame, host: str, op: str, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Return what the command queue of a board does to each card, in the board's own test.

    Returns
    -------
    DataFrame
        `specimen`, `ratio` (with the queue over without), `low`, `high`: the interval by the
        repeated runs of that test, pooled over the cards. Empty where nobody switched it off.

    Examples
    --------
    >>> from sdanalysis import load
    >>> from sdanalysis.stats.boards import queue_gains
    >>> gains = queue_gains(load(companions=True), "pi-5", "randwrite")
    >>> int((gains["low"] > 1).sum()), len(gains)
    (3, 8)
    """
    fits = [own_fit(measurements, host, op, reader) for reader in (SLOT, QUEUE_OFF)]
    if None in fits or not all(fit.freedom for fit in fits if fit):
        return pd.DataFrame(columns=["specimen", "ratio", "low", "high"])
    with_queue, without = (fit.figures.set_index("specimen")["value"] for fit in fits if fit)
    freedom = sum(fit.freedom for fit in fits if fit)
    variance = sum(fit.freedom * fit.sigma**2 for fit in fits if fit) / freedom
    reach = math.exp(t_quantile(confidence, freedom) * math.sqrt(2 * variance))
    ratio = (with_queue / without).dropna().rename("ratio").reset_index()
    return ratio.assign(low=ratio["ratio"] / reach, high=ratio["ratio"] * reach)


def _test_figures(
    fit: Fit, measurements: pd.DataFrame, hosts: pd.DataFrame, host: str, confidence: float
) -> pd.DataFrame:
    """Return measured and predicted figures of a board in one test; none without any."""
    if host not in {place.host for place in fit.places if place.reader == SLOT}:
        own = own_fit(measurements, host, fit.test.op, SLOT)
        if own is None:
            return pd.DataFrame(columns=_FIGURES)
        return measured_figures(own, hosts, host, SLOT, confidence)
    others = predicted_figures(fit, hosts, confidence)
    others = others[(others["host"] == host) & (others["reader"] == SLOT)]
    measured = measured_figures(fit, hosts, host, SLOT, confidence)
    return pd.concat([measured, others], ignore_index=True)


def predicted_figures(fit: Fit, hosts: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Return what the model predicts for cards where nobody measured them, the fastest first."""
    rows = predictions(fit, hosts, confidence=confidence)
    media = fit.figures.drop_duplicates("specimen").set_index("specimen")["medium"]
    rows = rows[rows["reason"].isna()]
    rows = rows.assign(medium=rows["specimen"].map(media), predicted=True, op=fit.test.op)
    return rows.sort_values("value", ascending=False, ignore_index=True).reindex(columns=_FIGURES)


def measured_figures(
    fit: Fit, hosts: pd.DataFrame, host: str, reader: str, confidence: float
) -> pd.DataFrame:
    """Return the figures of a place with their groups; person by person where people disagree."""
    place, asked = (fit, hosts, host, reader), {"confidence": confidence}
    found = [may_be_best(*place, **asked)]
    if found[0]["reason"].iloc[0] == Reason.PEOPLE_DISAGREE:
        people = dict.fromkeys(found[0]["measured_by"])
        found = [may_be_best(*place, measured_by=who, **asked) for who in people]
    limit = float(hosts.set_index(columns("place"))["limit"][host, reader])
    reach = math.nan
    if fit.freedom:
        half = t_quantile(confidence, fit.freedom) * log_sigma(fit)
        reach = math.exp(math.sqrt(2) * half)
    rows = pd.concat([_grouped(part) for part in found], ignore_index=True)
    rows = rows.assign(
        op=fit.test.op, limit=limit, predicted=False,
        low=rows["value"] / reach, high=(rows["value"] * reach).clip(upper=limit),
    )  # fmt: skip
    rows = rows.sort_values("value", ascending=False, kind="stable", ignore_index=True)
    return rows.reindex(columns=_FIGURES)


def _grouped(ranked: pd.DataFrame) -> pd.DataFrame:
    """Add group, rank and number of the cards that are ranked together."""
    known = ranked["may_be_best"].notna()
    fast = ranked["may_be_best"].fillna(False).astype(bool)
    slow = ranked["value"] * ranked["margin"] < _HALF * ranked["value"].max()
    group = pd.Series("middle", index=ranked.index).mask(slow, "slow").mask(fast, "fast")
    rank = pd.Series(range(1, len(ranked) + 1), index=ranked.index).where(known)
    return ranked.assign(group=group.where(known), rank=rank, cards=len(ranked))


def _named(
    found: Iterable[pd.DataFrame],
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    companions: Collection[str],
) -> pd.DataFrame:
    """Add what a buyer calls the cards, and who measured them where."""
    parts = [part for part in found if len(part)]
    if not parts:
        parts = [pd.DataFrame(columns=_FIGURES)]
    rows = pd.concat(parts, ignore_index=True).reindex(columns=_FIGURES)
    rows = rows.astype({"predicted": bool, "may_be_best": "boolean", "rank": "Int64"})
    years = measurements.assign(year=measurements["source"].str.extract(r"(\d{4})$")[0])
    oldest = years.sort_values("year").drop_duplicates("specimen").set_index("specimen")
    names = card_names(media, rated=True)
    rows = rows.join(media.set_index("specimen")[_BUYER], on="specimen")
    rows = rows.join(oldest[["source", "year"]], on="specimen")
    rows = rows.assign(
        card=rows["specimen"].map(names), people=rows["measured_by"].map(people_name)
    )
    return rows.assign(
        name_key=rows["card"].map(name_key),
        beyond=rows["source"].isin(list(companions)),
        best=rows["may_be_best"].fillna(False).astype(bool),
        buyable=is_buyable(rows),
    )


def _doubted(
    measurements: pd.DataFrame, media: pd.DataFrame, board: str, op: str
) -> tuple[str, ...]:
    """Return the names of the cards of a board that have a doubted figure alone."""
    sure, every = (model_figures(measurements, op, with_doubted=doubts) for doubts in (False, True))
    here = every[(every["host"] == board) & (every["reader"] == SLOT)]
    sure = sure[(sure["host"] == board) & (sure["reader"] == SLOT)]
    left = here[~here["specimen"].isin(sure["specimen"])]
    return tuple(left["specimen"].map(card_names(media, rated=True)))
