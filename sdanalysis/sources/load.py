"""A source folder (source.toml beside its raw files) -> measurements with their context."""

import hashlib
import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from sdanalysis.codebook.measurement import Measurement
from sdanalysis.errors import DeclarationError, ParseError, SdAnalysisError
from sdanalysis.parsers import parse, table
from sdanalysis.parsers.capture import Capture, decode
from sdanalysis.parsers.table import columns_of, merge
from sdanalysis.paths import is_unfinished
from sdanalysis.sources.corrections import corrected, remarked
from sdanalysis.sources.declaration import Declaration, RawFile, read_declaration
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
    return [
        measurement
        for file in declaration.files
        for measurement in load_file(declaration, file, as_published=as_published)
    ]


def load_file(
    declaration: Declaration, file: RawFile, *, as_published: bool = False
) -> list[Measurement]:
    """Return one file's measurements, numbered, corrected and remarked."""
    path = raw_path(declaration.folder, file.path)
    try:
        capture = capture_of(path)
        found = _identified(_claimed(capture, file, declaration), file, declaration.slug)
        for correction in file.corrections:
            found = corrected(found, correction, capture.lines, as_published=as_published)
        return remarked(found, file.remarks)
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
    there = {path.name for path in folder.iterdir() if not is_unfinished(path.name)}
    for name in sorted(there - declared):
        raise DeclarationError(f"{folder / name}: found a file that source.toml does not declare")
    for file in declaration.files:
        digest = hashlib.sha256(_bytes(raw_path(folder, file.path))).hexdigest()
        if digest != file.sha256:
            text = f"found the sha256 {digest}, expected {file.sha256} as pinned in source.toml"
            text += " (put the first there if the file was meant to change)"
            raise DeclarationError(f"{folder / file.path}: {text}")


def _claimed(capture: Capture, file: RawFile, declaration: Declaration) -> list[Measurement]:
    """Return what the parsers and tables of a file read; between them they claim every line."""
    found = _parsed(capture, file, declaration)
    claimed = {measurement.line for measurement in found}
    for declared in file.tables:
        with _time_limit(f"the pattern {declared.row.pattern!r}"):
            measurements, rows = table.read(capture.lines, declared, file.given)
        if twice := claimed & rows:
            raise ParseError(min(twice), "found a line that two patterns claim")
        found, claimed = found + measurements, claimed | rows
    _check_claims(capture.lines, file, claimed)
    return found


def _parsed(capture: Capture, file: RawFile, declaration: Declaration) -> list[Measurement]:
    """Return what the tools' own parsers read, with the conditions that the source declares."""
    found = []
    for measurement in parse(capture, file.parsers):
        columns = columns_of(merge(declaration.tools.get(measurement.tool, {}), file.given))
        remarks = (*measurement.remarks, *columns.pop("remarks", ()))
        run = f"{measurement.line}-{measurement.tool}"
        columns["file_size"] = measurement.file_size or columns.get("file_size")
        found.append(measurement._replace(**columns, run=run, remarks=remarks))
    return found


def _check_claims(lines: Sequence[str], file: RawFile, claimed: set[int]) -> None:
    """Refuse a line that no row claims and no skip pattern matches, and a pattern without use."""
    patterns = [*file.skip, *(pattern for declared in file.tables for pattern in declared.skip)]
    left = {
        number: text
        for number, text in enumerate(lines, 1)
        if number not in claimed and text.strip()
    }
    matched = {pattern.pattern: _matched(left, pattern) for pattern in patterns}
    for number, text in left.items():
        if not any(number in numbers for numbers in matched.values()):
            expected = "expected a row of a table or a line that `skip` names"
            raise ParseError(number, f"found {text!r}, which no row claims, {expected}")
    for pattern, numbers in matched.items():
        if not numbers:
            text = f"found the skip pattern {pattern!r} that matches no line"
            raise DeclarationError(f"{text}, expected one that is needed")


def _matched(lines: Mapping[int, str], pattern: re.Pattern[str]) -> set[int]:
    with _time_limit(f"the skip pattern {pattern.pattern!r}"):
        return {number for number, text in lines.items() if pattern.fullmatch(text)}


def _identified(found: list[Measurement], file: RawFile, slug: str) -> list[Measurement]:
    """Give each measurement its place: source, file, and its number within the line."""
    place = f"{slug}/{file.path}"
    counts: Counter[int] = Counter()
    placed = []
    for item in sorted(found, key=lambda it: (it.line, it.column, it.raw is not None, it.name)):
        counts[item.line] += 1
        run = item.run and f"{place}:{item.run}"
        identifier = f"{place}:{item.line}:{counts[item.line]}"
        placed.append(item._replace(id=identifier, source=slug, file=file.path, run=run))
    return placed


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
