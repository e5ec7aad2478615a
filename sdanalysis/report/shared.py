"""What kernels share: the fork server of multiprocessing loads it once, as it imports this module.

Each kernel is a fork of that process: see `kernels`.
"""

import contextlib
import gc
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from sdanalysis.report import reads

INLINE = "module://matplotlib_inline.backend_inline"  # what a kernel draws with, unless told
_LOADED = (
    "ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "ipykernel_launcher",
    "IPython.core.magics", "numpy.random", "pandas", "PIL.PngImagePlugin", "scipy.stats",
    "matplotlib.pyplot", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg",
    "seaborn",
    "sdanalysis.audit", "sdanalysis.claims", "sdanalysis.dataset", "sdanalysis.my_card",
    "sdanalysis.plots.show", "sdanalysis.plots", "sdanalysis.sources.explain", "sdanalysis.stats",
)  # fmt: skip
# Of the environment, what the modules do not look at while they are loaded.
_OF_A_RUN = ("JPY_", "PYTEST_", "SDANALYSIS_SVG", "COLUMNS", "LINES", "PWD", "OLDPWD", "_")


class Loaded(NamedTuple):
    """In what surroundings the modules were loaded."""

    environment: Mapping[str, str]
    path: Sequence[str]  # where a kernel looks for modules
    matplotlibrc: str


def load(names: Sequence[str]) -> Loaded | None:
    """Load modules, in the environment that kernels will have.

    What says anything meanwhile, a warning too, would be heard by nobody: then it is `None`, and
    kernels start afresh.
    """
    before, said, heard = dict(os.environ), io.StringIO(), []
    reads.listen(heard.append)
    os.environ.setdefault("MPLBACKEND", INLINE)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            for name in names:
                import_module(name)
        except Exception as problem:  # the notebook that needs it will say so
            said.write(repr(problem))
    if "MPLBACKEND" not in before:
        del os.environ["MPLBACKEND"]
    if said.getvalue() or os.environ != before:
        return None
    reads.known = (*reads.known, *heard)
    gc.freeze()  # shared with every kernel, and never looked through again
    return Loaded(before, sys.path[1:], _matplotlibrc())


def would_be(wanted: Mapping[str, str]) -> bool:
    """Whether a kernel that starts afresh, in this folder, would load the same modules.

    Not in another environment, nor where other modules or a matplotlibrc lie beside the notebook.
    """
    if not loaded or _settings(wanted) != _settings(loaded.environment):
        return False
    beside = {path.name.partition(".")[0]: path for path in Path().iterdir()}
    named = {name.partition(".")[0] for name in _LOADED} & beside.keys()
    return _matplotlibrc() == loaded.matplotlibrc and not any(
        _is_another(beside[name], sys.modules[name]) for name in named
    )


def _is_another(path: Path, module: Any) -> bool:
    return path.resolve() not in [
        Path(place).resolve() for place in getattr(module, "__path__", ())
    ]


def _matplotlibrc() -> str:
    return sys.modules["matplotlib"].matplotlib_fname()  # one of this folder goes first


def _settings(given: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in given.items() if not name.startswith(_OF_A_RUN)}


_is_fork_server = "multiprocessing.forkserver" in " ".join(sys.orig_argv)
loaded = load(_LOADED) if _is_fork_server else None
