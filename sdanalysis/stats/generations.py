"""Which generation of Samsung's Evo+ a card is of, and how that is known."""

import pandas as pd

EVIDENCE = ("named", "inferred", "guessed", "linked", "printed")  # the weakest first
_FAMILY = ("Evo+", "EVO +", "Evo Plus", "Evo+ (2017)", "Evo Select")
_OLD, _NEW = "DA", ("GA", "2017")


def generations(media: pd.DataFrame) -> pd.DataFrame:
    """Return the cards of the family, with the generation that they belong to.

    Old are the part numbers that end in DA, new those in GA and the model of 2017. A name is no
    vintage: a card of which only one is known (Evo Plus, Evo Select) has no generation.

    Returns
    -------
    DataFrame
        `specimen`, `medium`, `generation` (old, new, or missing), `level` (part number, or name),
        `evidence` (an ordered category, the weakest first), `capacity` (B), `why` (the
        evidence in words).
    """
    family = media[(media["maker"] == "Samsung") & media["product"].isin(_FAMILY)]
    new = family["vintage"].isin(_NEW)
    known = family.assign(
        generation=new.map({True: "new"}).mask(family["vintage"] == _OLD, "old"),
        level=family["part_number"].fillna(family["product"]),
        evidence=pd.Categorical(family["evidence"], categories=EVIDENCE, ordered=True),
        why=family["note"].fillna(family["vintage_evidence"]),
    )
    shown = ["specimen", "medium", "generation", "level", "evidence", "capacity", "why"]
    return known[shown].reset_index(drop=True)
