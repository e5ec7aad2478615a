"""`sdanalysis check`: the codebook and the findings of the audit."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

from sdanalysis.cli.options import add_command, add_data
from sdanalysis.errors import SdAnalysisError

if TYPE_CHECKING:
    import pandas as pd


def add(commands: argparse._SubParsersAction) -> None:
    """Add `check` to the commands."""
    command = add_command(
        commands,
        "check",
        "Print the codebook and what the audit's rules doubt.",
        epilog="A finding is a doubt with its place and evidence, not a verdict: the exit code is "
        "0 unless\nthe table cannot be built. `sdanalysis explain ID` traces one figure.",
    )
    add_data(command)
    command.add_argument("--rule", metavar="NAME", help="only the findings of this rule")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from sdanalysis import audit, dataset
    from sdanalysis.codebook.columns import codebook

    if options.rule and options.rule not in audit.RULES:
        raise SdAnalysisError(
            f"found the rule {options.rule!r}, expected one of {', '.join(map(repr, audit.RULES))}"
        )
    built = dataset.build(options.data)  # not the saved table, which may be older
    data = dataset.load_data(options.data, measurements=built)
    summary, findings = audit.run(data, dataset.build(options.data, as_published=True))
    if not options.rule:
        print(codebook())
        _print_rules(summary)
    for rule, found in findings.groupby("rule", sort=False):
        if options.rule in (None, rule):
            _print_findings(str(rule), found)
    return 0


def _print_rules(summary: pd.DataFrame) -> None:
    print("\nAUDIT: what each rule asks, cases checked, findings")
    for row in summary.itertuples():
        print(f"  {row.rule:<24} {row.checked:>4} checked {row.found:>4} found  {row.asks}")


def _print_findings(rule: str, found: pd.DataFrame) -> None:
    print(f"\n{rule.upper()} ({len(found)})")
    row: Any
    for row in found.itertuples():
        more = f" and {len(row.places) - 2} more" if len(row.places) > 2 else ""
        print(f"  {', '.join(row.places[:2])}{more}: {row.specimen}")
        print(_wrapped(row.evidence, 6))


def _wrapped(text: str, indent: int) -> str:
    blank = " " * indent
    return textwrap.fill(text, 100, initial_indent=blank, subsequent_indent=blank)
