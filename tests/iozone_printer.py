"""Prints iozone's table as each version would, for the tests of its parser."""

import corpus_logs

from sdanalysis.parsers.iozone.layouts import LAYOUTS

HEADER = [
    *("write", "rewrite", "read", "reread", "read", "write", "read", "rewrite", "read"),
    *("fwrite", "frewrite", "fread", "freread"),
]
VERSIONS = {"B": "3.398", "C1": "3.429", "C2": "3.489", "D": "3.507"} | {
    layout.name: "3.263" for layout in LAYOUTS if not layout.proven
}


def read(text):
    return corpus_logs.read("iozone", text)


def errors(problems):
    return [problem.line for problem in problems if problem.kind == "error"]


def header(layout):
    """Print the second header line of a layout, whose edges are the layout's own."""
    line = "kB".rjust(16) + "reclen".rjust(8)
    for word, edge in zip(HEADER, layout.header, strict=True):
        line += word.rjust(edge - len(line))
    return line


def row(layout, tests, values, size=102400, record=4):
    """Print a row as iozone would: widths of the tests that ran, blanks of the others."""
    line, numbers = f"{size:16d}{record:8d}", iter(values)
    for test, widths in enumerate(layout.fields[: 11 if max(tests) > 7 else 8]):
        if test in tests:
            line += "".join(f"{next(numbers):{width}d}" for width in widths)
        else:
            line += " " * layout.blanks[test]
    return line


def log(layout, tests, rows, *, command=True, version=True, flags=""):
    chosen = " ".join(f"-i {test}" for test in tests)
    lines = ["\tIozone: Performance Test of File I/O"]
    lines += [f"\t        Version $Revision: {VERSIONS[layout.name]} $"] if version else []
    lines += [f"\tCommand line used: iozone -e -I -a {flags} {chosen}"] if command else []
    lines += ["\tOutput is in kBytes/sec", header(layout), *rows, "", "iozone test complete."]
    return "\n".join(lines) + "\n"


def layout_named(name):
    return next(layout for layout in LAYOUTS if layout.name == name)


C2 = layout_named("C2")
