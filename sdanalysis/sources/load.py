"""A source folder (source.toml beside its raw files) -> measurements, corrected and remarked."""

import hashlib
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from types import FrameType

from sdanalysis.codebook.measurement import Measurement
from sdanalysis.errors import DeclarationError, ParseError, SdAnalysisError
from sdanalysis.parsers import parse, table
from sdanalysis.parsers.capture import Capture, decode
from sdanalysis.parsers.table import columns_of, merge
from sdanalysis.paths import is_unfinished
from sdanalysis.sources.declaration import (
    Correction,
    Declaration,
    RawFile,
    Remark,
    read_declaration,
)
from sdanalysis.sources.folders import raw_path

SECONDS = 10.0  # of a declared pattern; the longest file of the project takes a hundredth of one


def load_source(
    folder: Path, *, as_published: bool = False, pinned: bool = False
) -> list[Measurement]:
    """Return all measurements of a source folder, corrections applied.

    With `as_published` the figures stand under the headings and on the host that the source
    prints, so that the audit can find what the corrections mend. With `pinned` the files have to
    be, byte for byte, those that source.toml names, and no others.
    """
    declaration = read_declaration(folder)
    if pinned:
        _verify_pins(declaration)
    groups = [load_file(declaration, file, as_published=as_published) for file in declaration.files]
    return [measurement for group in groups for measurement in group]


def load_file(
    declaration: Declaration, file: RawFile, *, as_published: bool = False
) -> list[Measurement]:
    """Return one file's measurements, numbered, corrected and remarked."""
    path = raw_path(declaration.folder, file.path)
    try:
        capture = capture_of(path)
        figures = _identify(_read_figures(capture, file, declaration), file, declaration.slug)
        for correction in file.corrections:
            figures = _correct(figures, correction, capture.lines, as_published)
        for remark in file.remarks:
            figures = _remark(figures, remark)
        return figures
    except ParseError as error:
        raise error.at(str(path)) from error
    except SdAnalysisError as error:
        raise DeclarationError(f"{path}: {error}") from error


def capture_of(path: Path) -> Capture:
    """Return the text of a raw file."""
    return Capture(decode(_bytes(path)))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        text = f"{path}: found {error.strerror}, expected a file to read"
        raise DeclarationError(text) from error


def _verify_pins(declaration: Declaration) -> None:
    folder = declaration.folder
    declared = {"source.toml", *(file.path for file in declaration.files)}
    present = {path.name for path in folder.iterdir() if not is_unfinished(path.name)}
    for name in sorted(present - declared):
        raise DeclarationError(f"{folder / name}: found a file that source.toml does not declare")
    for file in declaration.files:
        digest = hashlib.sha256(_bytes(raw_path(folder, file.path))).hexdigest()
        if digest != file.sha256:
            text = f"found the sha256 {digest}, expected {file.sha256} as pinned in source.toml"
            text += " (put the first there if the file was meant to change)"
            raise DeclarationError(f"{folder / file.path}: {text}")


def _read_figures(capture: Capture, file: RawFile, declaration: Declaration) -> list[Measurement]:
    """Return what the parsers and tables of a file read; between them they claim every line."""
    figures = []
    for item in parse(capture, file.parsers):  # with the conditions that the source declares
        columns = columns_of(merge(declaration.tools.get(item.tool, {}), file.given))
        remarks = (*item.remarks, *columns.pop("remarks", ()))
        columns["file_size"] = item.file_size or columns.get("file_size")
        figures.append(item._replace(**columns, run=f"{item.line}-{item.tool}", remarks=remarks))
    claimed = {item.line for item in figures}
    for declared in file.tables:
        with _time_limit(f"the pattern {declared.row.pattern!r}"):
            measurements, rows = table.read(capture.lines, declared, file.given)
        if twice := claimed & rows:
            raise ParseError(min(twice), "found a line that two patterns claim")
        figures, claimed = figures + measurements, claimed | rows
    _check_claims(capture.lines, file, claimed)
    return figures


def _check_claims(lines: Sequence[str], file: RawFile, claimed: set[int]) -> None:
    """Refuse a line that no row claims and no skip pattern matches, and a pattern without use."""
    numbered = enumerate(lines, 1)
    rest = {number: text for number, text in numbered if number not in claimed and text.strip()}
    matched: set[int] = set()
    idle = []
    for pattern in (*file.skip, *(skip for declared in file.tables for skip in declared.skip)):
        with _time_limit(f"the skip pattern {pattern.pattern!r}"):
            skipped = {number for number, text in rest.items() if pattern.fullmatch(text)}
        matched |= skipped
        idle += [] if skipped else [pattern.pattern]
    for number in sorted(rest.keys() - matched):
        expected = "expected a row of a table or a line that `skip` names"
        raise ParseError(number, f"found {rest[number]!r}, which no row claims, {expected}")
    if idle:
        text = f"found the skip pattern {idle[0]!r} that matches no line"
        raise DeclarationError(f"{text}, expected one that is needed")


def _identify(rows: list[Measurement], file: RawFile, slug: str) -> list[Measurement]:
    """Give each measurement its place: source, file, and its number within the line."""
    place = f"{slug}/{file.path}"
    counts: Counter[int] = Counter()
    placed = []
    for item in sorted(rows, key=lambda row: (row.line, row.column, row.raw is not None, row.name)):
        counts[item.line] += 1
        run = item.run and f"{place}:{item.run}"
        identifier = f"{place}:{item.line}:{counts[item.line]}"
        placed.append(item._replace(id=identifier, source=slug, file=file.path, run=run))
    return placed


def _correct(
    figures: list[Measurement], correction: Correction, lines: Sequence[str], as_published: bool
) -> list[Measurement]:
    """Return the measurements with one declared correction applied to the figures of its row.

    The row begins with the first figure at or after the line: a label may stand above its figures.
    It ends where the label changes. With `as_published` only the label's place in the catalogue is
    corrected.
    """
    line, printed = correction.line, correction.printed
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if not printed or printed not in text:
        raise ParseError(line, f"found {text!r}, expected {printed!r} as the correction says")
    rows = [item for item in figures if item.line >= line]
    row = list(takewhile(lambda item: item.label == rows[0].label, rows))
    if not row:
        raise ParseError(line, "found no figure that the correction could change")
    changed = {item.id: item for item in _change(row, correction, as_published)}
    return [changed.get(item.id, item) for item in figures]


def _change(
    row: list[Measurement], correction: Correction, as_published: bool
) -> list[Measurement]:
    """Return the figures of a row with their label, their host or their headings corrected."""
    step, means = f"corrected {correction.field}: {correction.why}", correction.means
    if correction.field == "label":
        return [item._replace(looked_up=str(means), steps=(*item.steps, step)) for item in row]
    if as_published:
        return row
    if correction.field == "host":
        return [_mark(item._replace(host=str(means)), "corrected", step) for item in row]
    row = [item for item in row if item.line == correction.line]
    names = {item.name: item for item in row}
    printed = " ".join(item.raw or "" for item in row)
    if printed != correction.printed or sorted(means) != sorted(names):
        expected = f"expected {correction.printed!r} and a reordering of these names"
        text = f"found the figures {printed!r} of {sorted(names)}, {expected}"
        raise ParseError(correction.line, text)
    return [
        _mark(_set_heading(item, names[name]), "corrected", f"{step} (was {item.name}, is {name})")
        for item, name in zip(row, means, strict=True)
    ]


def _set_heading(item: Measurement, other: Measurement) -> Measurement:
    """Return the printed figure of `item` under the heading of `other`."""
    if (item.raw_unit, item.metric, item.tool) != (other.raw_unit, other.metric, other.tool):
        text = f"found {item.name} and {other.name} in different units or of different tools"
        raise ParseError(item.line, f"{text}, expected columns that can be exchanged")
    return item._replace(name=other.name, op=other.op, block_size=other.block_size, stat=other.stat)


def _mark(item: Measurement, word: str, step: str) -> Measurement:
    return item._replace(remarks=(*item.remarks, word), steps=(*item.steps, step))


def _remark(figures: list[Measurement], remark: Remark) -> list[Measurement]:
    """Return the measurements with a declared remark on the figures that it names."""
    marked = {
        item.id: _mark(item, remark.word, f"remark {remark.word}: {remark.why}")
        for item in figures
        if item.line in remark.lines and (not remark.values or item.name in remark.values)
    }
    lines, values = ({getattr(item, key) for item in marked.values()} for key in ("line", "name"))
    idle = [line for line in remark.lines if line not in lines]
    unknown = [value for value in remark.values if value not in values]
    if idle or unknown or not lines:
        names = f" of {', '.join(map(str, unknown))}" if unknown else ""
        text = f"found no figure{names} that the remark {remark.word!r} could mark"
        raise ParseError((*idle, *remark.lines, 0)[0], text)
    return [marked.get(item.id, item) for item in figures]


@contextmanager
def _time_limit(what: str) -> Iterator[None]:
    """Stop what takes longer, for a pattern that backtracks takes years."""
    # By the alarm of the system, which Python's regular expressions look for while they search: no
    # other process and no other library is needed. Where there is none (Windows, a thread that is
    # not the main one, an alarm that somebody else has set), nothing is stopped.
    alarm = getattr(signal, "setitimer", None)
    main = threading.current_thread() is threading.main_thread()
    if alarm is None or not main or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        text = "expected a pattern that does not try one text in many ways"
        raise DeclarationError(f"found {what} that took longer than {SECONDS:g} s, {text}")

    before = signal.signal(signal.SIGALRM, stop)
    alarm(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        alarm(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
