"""`sdanalysis explain`: a figure -> the printed line it came from."""

import argparse

from sdanalysis.cli.options import add_command, add_data, add_raw, exit_codes


def add(commands: argparse._SubParsersAction) -> None:
    """Add `explain` to the commands."""
    text = "Trace a figure to the printed line it came from."
    example = exit_codes("found", "no source has it")
    example += "example:\n  sdanalysis explain kulesz-2017/iozone-usb3.txt:9:3"
    command = add_command(commands, "explain", text, epilog=example)
    text = "source/file:line:n from the column id; without :n the whole line"
    command.add_argument("id", metavar="ID", help=text)
    add_data(command)
    add_raw(command)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from sdanalysis.sources.explain import explain

    print(explain(options.id, options.data, options.raw))
    return 0
