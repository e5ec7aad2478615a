"""The sentences of the sources that can be checked -> what the measurements say of them.

A claim is data (`data/claims.toml`): who says it where, in our words, which rows test it and by
which kind of test. The verdict is computed; nothing here knows a single claim.
"""

from sdanalysis.claims.claim import CLAIMS, KINDS, WHOSE, Claim, read
from sdanalysis.claims.judgement import counts, ledger, ledger_in_words, listing, rows
from sdanalysis.claims.verdicts import INTERVALS, VERDICTS

__all__ = [
    "CLAIMS", "INTERVALS", "KINDS", "VERDICTS", "WHOSE", "Claim", "counts", "ledger",
    "ledger_in_words", "listing", "read", "rows",
]  # fmt: skip


def __dir__() -> list[str]:
    """Return what users call, and nothing else."""
    return __all__
