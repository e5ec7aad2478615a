"""`sdanalysis check`: the codebook, the audit, how well the model and the yardsticks hold."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sdanalysis.cli.options import add_command, add_data, add_raw, exit_codes
from sdanalysis.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from sdanalysis.dataset import Data


def add(commands: argparse._SubParsersAction) -> None:
    """Add `check` to the commands."""
    command = add_command(
        commands, "check", "Print the codebook, what the audit doubts, how well models predict.",
        epilog="A finding is a doubt with its place and evidence, not a verdict, and no failure.\n"
        "`sdanalysis explain ID` traces one figure.\n"
        + exit_codes("the table was built", "it cannot be")
        + "examples:\n  sdanalysis check --rule 'exchanged columns'\n  sdanalysis check --raw mine",
    )  # fmt: skip
    add_data(command)
    add_raw(command)
    command.add_argument("--rule", metavar="NAME", help="only the findings of this rule")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from sdanalysis import audit, dataset
    from sdanalysis.codebook.columns import codebook

    if options.rule and options.rule not in audit.RULES:
        rules = ", ".join(map(repr, audit.RULES))
        raise UsageError(f"found the rule {options.rule!r}, expected one of {rules}")
    built = dataset.build(options.data, raw=options.raw)  # not the saved table: it may be older
    data = _own(built, options) if options.raw else None
    data = data or dataset.load_data(options.data, measurements=built)
    if not options.rule:
        print(codebook())
        print()
    published = dataset.build(options.data, raw=options.raw, as_published=True)
    if options.raw:
        _print_audit(f"AUDIT of {options.raw}", data, published, options.rule)
        return 0
    _print_audit("AUDIT", data, published, options.rule, yardsticks=True)
    companions = dataset.build_companions(options.data)
    if companions is not None:
        beyond = dataset.build_companions(options.data, as_published=True)
        data = dataset.load_data(options.data, measurements=companions, companions=True)
        if not options.rule:
            print()
        _print_audit("AUDIT of the companions", data, beyond, options.rule)
    return 0


def _own(built: pd.DataFrame, options: argparse.Namespace) -> Data:
    """Return the sources of the user's own, with the yardsticks of the project."""
    from sdanalysis import dataset

    media = dataset.load_media(options.data, raw=options.raw)
    return dataset.Data(
        measurements=built,
        media=media,
        hosts=dataset.load_hosts(options.data, raw=options.raw),
        noise=dataset.load_noise(options.data, measurements=built, media=media),
        specimens=dataset.load_specimens(options.data),
        classes=dataset.load_classes(options.data),
    )


def _print_audit(
    head: str, data: Data, as_published: Any, rule: str | None, *, yardsticks: bool = False
) -> None:
    """Print what the rules ask of a table and what they find, or one rule's findings alone."""
    from sdanalysis import audit

    summary, findings = audit.run(data, as_published)
    if rule is None:
        print(f"{head}: what each rule asks, cases checked, findings")
        for row in summary.itertuples():
            print(f"  {row.rule:<24} {row.checked:>4} checked {row.found:>4} found  {row.asks}")
        if yardsticks:
            _print_predictions(data)
            _print_yardsticks(data)
    for name, found in findings.groupby("rule", sort=False):
        if rule in (None, name):
            print(f"\n{str(name).upper()} ({len(found)})")
            for finding in found.itertuples():
                _print_finding(finding)


def _print_predictions(data: Data) -> None:
    """Print how well the model of each test predicts figures that had no part in it."""
    from sdanalysis import stats

    print("\nPREDICTIONS: each figure by a model without it")
    for test in stats.MAIN_TESTS.values():
        fit = stats.fit_model(data.measurements, test.op)
        print(f"  {stats.same_test.test_in_words(test)} ({test.scale} of specimen + place)")
        people = f"people x computer p {stats.people_by_place(fit).p:.1g}"
        print(f"    prediction: {stats.score_text(stats.score(fit))}, {people}")
        for row in _beyond_chance(stats.speed_correlations(stats.left_out(fit))):
            print(
                f"    errors go with the card's speed at {row.measured_by}'s {row.host}/"
                f"{row.reader}: {row.correlation:+.2f} ({row.figures} figures, p {row.p:.1g})"
            )
        doubted = stats.fit_model(data.measurements, test.op, with_doubted=True)
        print(f"    with doubted figures: {stats.score_text(stats.score(doubted))}")


def _beyond_chance(correlations: pd.DataFrame) -> Iterable[Any]:
    return correlations[correlations["p"] < 0.05].itertuples()


def _print_yardsticks(data: Any) -> None:
    """Print how many pairs of real repeats the band of run noise fails to hold."""
    import pandas as pd

    from sdanalysis import dataset, stats

    sources = stats.usable(data.measurements)
    cards = dataset.specimen_runs(data.specimens)
    every = dataset.load_noise(measurements=sources.assign(remarks=pd.NA), media=data.media)
    print("\nYARDSTICKS: of what differs by nothing but a repeat, about 5 % should be outside")
    for figures, noise, words in (
        (sources[~stats.sides.doubted(sources)], data.noise, ""),
        (sources, every, ", doubted runs in"),
    ):
        runs = pd.concat([figures, cards], ignore_index=True)
        for without_own in (True, False):
            found = stats.repeats_outside(runs, noise, without_own=without_own)
            made = "left out" if without_own else "in its own yardstick"
            counts = f"{found['outside'].sum()} of {found['pairs'].sum()}"
            print(f"  run noise{words}, own card {made}: {counts} pairs of repeats outside")
    tests = pd.DataFrame(stats.MAIN_TESTS.values()).astype({"block_size": "Int64"})
    for row in tests.assign(**_bands(tests, sources, data.noise, every)).itertuples():
        test = f"{stats.same_test.test_in_words(row)}:"
        print(
            f"    {test:<34} two figures differ by up to {row.model:.2f} (the model's error), "
            f"{row.repeats:.2f} (repeats); doubted in {row.model_in:.2f}, {row.repeats_in:.2f}"
        )
    for test in stats.MAIN_TESTS.values():
        spread = stats.product_spread(stats.model_figures(sources, test.op))
        print(f"  {stats.name_spread_in_words(spread, test.op)}")


def _bands(
    tests: pd.DataFrame, sources: pd.DataFrame, noise: pd.DataFrame, every: pd.DataFrame
) -> dict[str, pd.Series]:
    """Return how far two figures of a test differ by error alone, without and with doubted ones."""
    import pandas as pd

    from sdanalysis import stats

    errors = [stats.figure_errors(rows) for rows in (sources, sources.assign(remarks=pd.NA))]
    known = {
        "model": (noise, errors[0]),
        "repeats": (noise, None),
        "model_in": (every, errors[1]),
        "repeats_in": (every, None),
    }
    return {
        name: stats.noise_band(tests, repeats, errors=error)["noise_band"]
        for name, (repeats, error) in known.items()
    }


def _print_finding(finding: Any) -> None:
    more = f" and {len(finding.places) - 2} more" if len(finding.places) > 2 else ""
    print(f"  {', '.join(finding.places[:2])}{more}: {finding.specimen}")
    indent = {"initial_indent": " " * 6, "subsequent_indent": " " * 6}
    print(textwrap.fill(finding.evidence, 100, **indent))
