"""Storage benchmarks of small computers as one tidy table with provenance.

`load()` returns the table, `brief` shows its main columns, `headline` one row a card, board and
test. `load_data()` adds what figures are compared with; the modules `stats`, `plots`, `claims` and
`audit` work on both, `my_card` compares a card of yours, `comparing` your own sets of results.
Nothing heavy is imported before it is named.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdanalysis import audit, claims, comparing, my_card, plots, stats
    from sdanalysis.archive.many import parse_many
    from sdanalysis.claims import read as load_claims
    from sdanalysis.dataset import (
        load,
        load_data,
        load_hosts,
        load_media,
        load_prices,
        load_promises,
    )
    from sdanalysis.logs.many import parse
    from sdanalysis.views import brief, headline

__all__ = [
    "audit", "brief", "claims", "comparing", "display", "headline", "load", "load_claims",
    "load_data", "load_hosts", "load_media", "load_prices", "load_promises", "my_card", "parse",
    "parse_many", "plots", "stats",
]  # fmt: skip
__version__ = "0.3.0"


def display() -> None:
    """Let pandas print tables as the notebooks of this project do: wide, and no text cut off."""
    import pandas as pd

    pd.set_option("display.width", 240, "display.max_columns", 30)
    pd.set_option("display.max_colwidth", 160, "display.max_rows", 100)


def __getattr__(name: str) -> object:
    """Import a module, or the one that holds a function, when its name is first used."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'sdanalysis' has no attribute {name!r}")
    if name in ("audit", "claims", "comparing", "my_card", "plots", "stats"):
        return import_module(f"sdanalysis.{name}")
    if name == "load_claims":
        return import_module("sdanalysis.claims").read
    modules = {"parse": "logs.many", "parse_many": "archive.many"}
    modules |= dict.fromkeys(("brief", "headline"), "views")
    return getattr(import_module(f"sdanalysis.{modules.get(name, 'dataset')}"), name)


def __dir__() -> list[str]:
    """Return what users call, and nothing else."""
    return __all__
