"""`sdanalysis bench`: the sources' benchmarks, run on a card; then what `mine` says of it."""

from __future__ import annotations

import argparse
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from sdanalysis.bench import command, words
from sdanalysis.errors import SdAnalysisError

_MOST = 6  # figures of a log in its line
_NOTES = 3  # sentences of the answer beside the first


def add(commands: argparse._SubParsersAction) -> None:
    """Add `bench` to the commands."""
    raw, summary = argparse.RawDescriptionHelpFormatter, command.SUMMARY
    texts = {"help": summary, "description": summary, "epilog": command.EPILOG}
    parser = commands.add_parser("bench", formatter_class=raw, **texts)
    command.add_arguments(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run a session, and what follows it."""
    complete = partial(_complete, as_json=options.format == "json")
    return command.execute(options, figures=_figures, complete=complete)


def _figures(log: Path) -> str:
    """Return the bandwidths of a log in few words; what its tool printed last where it has none."""
    from sdanalysis.logs.read import read_log

    found: dict[str, float] = {}
    for row in read_log(str(log)).measurements:
        if row.metric == "bandwidth" and row.status == "measured" and row.value:
            found.setdefault(row.op, row.value / 1e6)
    rates = "  ".join(f"{op} {value:.3g}" for op, value in list(found.items())[:_MOST])
    return f"{rates} MB/s" if rates else words.last_rate(log)


def _complete(session: Path, tell: Callable[..., None], *, as_json: bool) -> None:
    """Say where the card stands, what its runs can decide, and how to go on."""
    try:
        found = _found(session)
    except SdAnalysisError as error:  # the session is whole, whatever its logs are like
        print(f"sdanalysis bench: {error}", file=sys.stderr)
        return
    if as_json:
        tell("answer", **found)
        return
    for line in _text(found):
        print(line)


def _found(session: Path) -> dict[str, Any]:
    """Return the answer of `mine`, the runs that a difference takes, and what to do next."""
    from sdanalysis import parse, stats
    from sdanalysis.dataset import load_noise
    from sdanalysis.my_card.answer import answer
    from sdanalysis.my_card.logs import read_logs
    from sdanalysis.text_tables import records

    session = _as_typed(session)
    card = answer(read_logs([str(session)]))
    rows = parse(session)
    needed = stats.runs_needed(rows, load_noise())
    columns = ["test", "runs", "sd_log", "needed", "needed_elsewhere"]
    runs = int(rows["repeat"].max())
    folder, name = shlex.quote(str(session)), shlex.quote(session.name)
    return {
        "answer": list(card.answer),
        "decides": list(stats.runs_in_words(needed, runs)),
        "runs": records(needed[columns]),
        "next": {
            "all of it, as a page": f"sdanalysis mine {folder} -o {name}.html",
            "beside another session": f"sdanalysis compare {folder} OTHER",
            "as rows": f"sdanalysis parse {folder} -o {name}.csv",
        },
    }


def _as_typed(session: Path) -> Path:
    """Return a folder as seen from here, where it lies below."""
    current = Path.cwd()
    return session.relative_to(current) if session.is_relative_to(current) else session


def _text(found: dict[str, Any]) -> Iterator[str]:
    from sdanalysis.my_card.document import WIDTH
    from sdanalysis.text_tables import text_table

    first, *others = found["answer"]
    yield from ("", *textwrap.wrap(first, WIDTH))
    for sentence in others[:_NOTES]:
        yield from textwrap.wrap(f"- {sentence}", WIDTH, subsequent_indent="  ")
    yield ""
    for sentence in found["decides"]:
        yield from textwrap.wrap(sentence, WIDTH)
    if found["runs"]:
        headers = ("test", "runs", "spread", "for 10 %", "by all cards")
        rows = [
            (
                row["test"], str(row["runs"]), f"{100 * row['sd_log']:.1f} %", str(row["needed"]),
                str(row["needed_elsewhere"] or "-"),
            )
            for row in found["runs"]
        ]  # fmt: skip
        yield from text_table(headers, rows, numbers_right=True)
    yield ""
    yield from (f"{what + ':':<24} {how}" for what, how in found["next"].items())
