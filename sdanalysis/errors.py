"""The errors a user can cause: each says where, what was found and what was expected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class SdAnalysisError(Exception):
    """Anything the user can mend; the command line prints it and exits with 1."""


class ParseError(SdAnalysisError):
    """A line that cannot be read: ``path:line: found ..., expected ...``."""

    def __init__(self, line: int, problem: str, path: str | None = None) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem
        self.path = path

    def at(self, path: str) -> ParseError:
        """Return the same error, placed in a file."""
        return ParseError(self.line, self.problem, path)

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.path else f"line {self.line}"
        return f"{place}: {self.problem}"


class DeclarationError(SdAnalysisError):
    """A declaration (source.toml, media.toml, hosts.toml) that does not fit its data."""


class SchemaError(SdAnalysisError):
    """A table whose columns, words or keys are not those of the codebook."""


class BinaryError(SdAnalysisError):
    """A file that holds no text: a picture, an archive, and no benchmark's log."""


class LeftOutError(SdAnalysisError):
    """A file that is not read on purpose: the text says why."""


class UsageError(SdAnalysisError):
    """A command line that cannot be meant: the exit code is 2."""


def missing_extra(extra: str, module: str | None, who: str) -> SdAnalysisError:
    """Return what to say where a module is not installed that only an extra of ours brings."""
    installed = f"expected it to be installed: pip install 'sd-card-analysis[{extra}]'"
    return SdAnalysisError(f"found no {module}, which {who} needs, {installed}")


def check_known(
    what: str, name: object, known: Iterable[object], error: type[SdAnalysisError] = SdAnalysisError
) -> None:
    """Refuse a name that is none of the known: a column, a group, a source."""
    names = list(known)
    if name not in names:
        expected = f"expected one of {', '.join(map(str, names))}"
        raise error(f"found the {what} {name!r}, {expected}{suggestion(name, names)}")


def suggestion(name: object, known: Iterable[object]) -> str:
    """Return a question after the known name that is most like this one, if any is."""
    from difflib import get_close_matches

    near = get_close_matches(str(name), map(str, known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def require(frame: Any, names: Iterable[str], made_by: str = "") -> None:
    """Refuse a DataFrame that lacks one of these columns, and say what makes frames that have it.

    What is not there cannot be compared or drawn.
    """
    if missing := [name for name in names if name not in frame]:
        columns = ", ".join(map(str, frame.columns)) or "no column at all"
        advice = f"; {made_by} makes such frames" if made_by else ""
        text = f"found no column {missing[0]!r}, expected it among {columns}{advice}"
        raise SdAnalysisError(text)
