"""`sdanalysis check`: the table -> its codebook, what is doubted in it, how well models predict."""

import argparse
import textwrap
from typing import Any

import pandas as pd

from sdanalysis import audit, dataset, stats
from sdanalysis.codebook.columns import codebook
from sdanalysis.dataset import Data
from sdanalysis.errors import UsageError, check_known


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if options.rule:
        check_known("rule", options.rule, audit.RULES, UsageError)
    built = dataset.build(options.data, raw=options.raw)  # not the saved table: it may be older
    if options.raw:  # with the yardsticks of the project
        media = dataset.load_media(options.data, raw=options.raw)
        data = dataset.Data(
            measurements=built,
            media=media,
            hosts=dataset.load_hosts(options.data, raw=options.raw),
            noise=dataset.load_noise(options.data, measurements=built, media=media),
            specimens=dataset.load_specimens(options.data),
            classes=dataset.load_classes(options.data),
        )
    else:
        data = dataset.load_data(options.data, measurements=built)
    if not options.rule:
        print(f"{codebook()}\n")
    published = dataset.build(options.data, raw=options.raw, as_published=True)
    head = f"AUDIT of {options.raw}" if options.raw else "AUDIT"
    _print_audit(head, data, published, options.rule, yardsticks=not options.raw)
    companions = None if options.raw else dataset.build_companions(options.data)
    if companions is not None:
        beyond = dataset.build_companions(options.data, as_published=True)
        data = dataset.load_data(options.data, measurements=companions, companions=True)
        if not options.rule:
            print()
        _print_audit("AUDIT of the companions", data, beyond, options.rule)
    return 0


def _print_audit(
    head: str, data: Data, as_published: Any, rule: str | None, *, yardsticks: bool = False
) -> None:
    """Print what the rules ask of a table and what they find, or one rule's findings alone."""
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
                more = f" and {len(finding.places) - 2} more" if len(finding.places) > 2 else ""
                print(f"  {', '.join(finding.places[:2])}{more}: {finding.specimen}")
                print(textwrap.indent(textwrap.fill(finding.evidence, 94), " " * 6))


def _print_predictions(data: Data) -> None:
    """Print how well the model of each test predicts figures that had no part in it."""
    print("\nPREDICTIONS: each figure by a model without it")
    for test in stats.MAIN_TESTS.values():
        fit = stats.fit_model(data.measurements, test.op)
        print(f"  {stats.same_test.test_in_words(test)} ({test.scale} of specimen + place)")
        people = f"people x computer p {stats.people_by_place(fit):.1g}"
        print(f"    prediction: {stats.score_text(stats.score(fit))}, {people}")
        correlations = stats.speed_correlations(stats.left_out(fit))
        for row in correlations[correlations["p"] < 0.05].itertuples():
            print(
                f"    errors go with the card's speed at {row.measured_by}'s {row.host}/"
                f"{row.reader}: {row.correlation:+.2f} ({row.figures} figures, p {row.p:.1g})"
            )
        doubted = stats.fit_model(data.measurements, test.op, with_doubted=True)
        print(f"    with doubted figures: {stats.score_text(stats.score(doubted))}")


def _print_yardsticks(data: Data) -> None:
    """Print how many pairs of real repeats the band of run noise fails to hold."""
    sources = stats.usable(data.measurements)
    cards = dataset.specimen_runs(data.specimens)
    every = dataset.load_noise(measurements=sources.assign(remarks=pd.NA), media=data.media)
    print("\nYARDSTICKS: of what differs by nothing but a repeat, about 5 % should be outside")
    for figures, noise, words in (
        (sources[~stats.doubted(sources)], data.noise, ""),
        (sources, every, ", doubted runs in"),
    ):
        runs = pd.concat([figures, cards], ignore_index=True)
        for without_own in (True, False):
            found = stats.repeats_outside(runs, noise, without_own=without_own)
            made = "left out" if without_own else "in its own yardstick"
            counts = f"{found['outside'].sum()} of {found['pairs'].sum()}"
            print(f"  run noise{words}, own card {made}: {counts} pairs of repeats outside")
    tests = pd.DataFrame(stats.MAIN_TESTS.values()).astype({"block_size": "Int64"})
    errors = [stats.figure_errors(rows) for rows in (sources, sources.assign(remarks=pd.NA))]
    known = {
        "model": (data.noise, errors[0]),
        "repeats": (data.noise, None),
        "model_in": (every, errors[1]),
        "repeats_in": (every, None),
    }
    bands = {
        name: stats.noise_band(tests, repeats, errors=error)["noise_band"]
        for name, (repeats, error) in known.items()
    }
    for row in tests.assign(**bands).itertuples():
        test = f"{stats.same_test.test_in_words(row)}:"
        print(
            f"    {test:<34} two figures differ by up to {row.model:.2f} (the model's error), "
            f"{row.repeats:.2f} (repeats); doubted in {row.model_in:.2f}, {row.repeats_in:.2f}"
        )
    for test in stats.MAIN_TESTS.values():
        spread = stats.product_spread(stats.model_figures(sources, test.op))
        print(f"  {stats.name_spread_in_words(spread, test.op)}")
