"""What dd says beside its figures: record counts, messages, and lines that mean no other run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.units import block_size_between

NUMBER = r"[0-9]{1,20}(?:[.,][0-9]{1,12})?(?:e[+-]?[0-9]{1,3})?"
_WORD = r"[^\W\d_]{1,9}"
_WORDS = ("copied", "transferred in", "dd: ")  # what dd says in English
# The end of a GNU line. The words for second are not translated today, but were in some releases
# (`7.35 秒、 73.0 MB/秒`), so any word will do where the figures bear it out.
TAIL = re.compile(
    rf"[,，、]\s{{0,3}}(?P<seconds>{NUMBER})\s(?P<second>{_WORD})[,，、]\s{{0,3}}"
    rf"(?P<rate>{NUMBER})(?P<gap>\s?)(?P<unit>[kKMGT]?B|[KMG])/(?P<per>{_WORD})(?!\w|/(?!/))"
)
BSD = re.compile(
    rf"(?<![0-9.,])(?P<bytes>[0-9]{{1,30}}) bytes? transferred in "
    rf"(?P<seconds>{NUMBER}) (?:secs?|seconds?) "
    r"\((?P<rate>[0-9]{1,20}(?:\.[0-9]{1,12})?) (?P<unit>bytes/sec)\)"
)
# `5120+0 records out` in any language; the words may stand on either side. No `10:11:12+01:00`.
_COUNTS = re.compile(
    r"(?<![0-9.+=])(?<![0-9]{2}:[0-9]{2}:)(?P<full>[0-9]{1,18})\+(?P<partial>[0-9]{1,18})"
    r"(?![0-9.+]|:[0-9])"
)
_ASIDE = re.compile(r"\s*[0-9]+ (?:truncated|odd length)\b")
# pv's bar, which it draws while the dd at either end of its pipe reports
_BAR = re.compile(
    r"\W*(?:[\w.-]{1,20}: {1,4})?[0-9.,]{1,6}\s?[kKMGT]?i?B [0-9:]{5,12} "
    r"\[\s*[0-9.,]{1,6}\s?[kKMGT]?i?B/s\]"
    r"(?:\s+\[[\s=<>#.-]*\])?[\s0-9%:ETA]*"
)
_MESSAGE = re.compile(r"^[\W\d]*(?:busybox |\S{0,40}/)?dd: (?P<why>.*\S)")
_WARNING = re.compile(r"[Ww]arn|f(?:data)?sync\s.{1,40}/dev/null\b")  # nothing to wait for there
# a message names a file or a reason: `dd: write test` is somebody's heading
_SAYS = re.compile(
    r"[:：'‘’`\"«„“]|\b(?:fail|error|short|illegal|invalid|un(?:known|recogni)|cannot|can't)"
)
# Before such a message dd has copied nothing, and after it dd prints no report.
_REFUSAL = re.compile(r"dd: (?:failed to open|can't open|cannot open|opening|invalid|unrecogni)")
_SIGNALLED = re.compile(r"\b(?:SIG)?USR1\b|\bSIGINFO\b|kill(?:all)?\b[^|;&]{0,60} -(?:s )?INFO\b")
# Who gets a signal, or waits for one; `kill $pid` does not say so
_TOLD = re.compile(
    r"\b(?:pidof|pgrep|killall|pkill|grep|(?:docker|podman|systemctl) kill)\s[^|;&)`]{1,80}"
    r"|[^\s|;&)`]{1,80}\.pid\b|^\W*trap\s"
)
_DD = re.compile(r"(?<![\w.-])\[?g?d\]?d(?![\w-])|\b[io]f=|\bdd_?pid\b", re.I)
_TIMES = re.compile(
    r"\s*(?:(?:real|user|sys)\s+[0-9]+(?:m|[.,][0-9])|\[sudo\] password"
    r"|[0-9.]{1,12}user [0-9.]{1,12}system |[0-9]{1,15}inputs\+[0-9]{1,15}outputs )"
)
# zsh's time names the command that it timed, and perf the one it counted, below what that printed
_TIMED = re.compile(
    r"\s[0-9.]{1,12}s user\s+[0-9.]{1,12}s system\s+[0-9]{1,6}% cpu\s+[0-9.:]{1,15} total\s*$"
    r"|^\W*Performance counter stats for '"
)
# A heading of a test, `Sequential write speed:`; no sentence in which such a word stands
_TESTS = (
    r"(?:tests?|testing|speeds?|benchmarks?|performance|throughput|rate|bandwidth|results?|disk|dd"
    r"|drive|file|raw|seq(?:uential)?|(?:un|non-)?(?:cached|buffered)|direct|io|running|starting|[0-9]{1,2})"
)
_HEADING = re.compile(
    rf"(?:[^\w$%]|_)*(?:{_TESTS}\W+){{0,4}}(?:(?P<write>(?:over-?|re-?)?writ(?:es?|ing))|read(?:s|ing)?)"
    rf"(?:(?:\W+{_TESTS}){{0,3}}|(?: (?:to|from|on))? [\w.~-]{{0,30}}/[\w./-]{{0,40}}:)[\W_]*",
    re.I,
)
_HEADING_LENGTH = 60


def may_be_in(texts: Sequence[str]) -> bool:
    """Tell cheaply whether a log may hold dd's reports or messages: most logs hold neither."""
    whole = "\n".join(texts)
    return (
        any(map(whole.__contains__, _WORDS))
        or ("B/" in whole and any(TAIL.search(text) for text in texts if _has_rate(text)))
        or ("+" in whole and any(counts(text) for text in texts if "+" in text))
    )


def _has_rate(text: str) -> bool:
    """Tell whether a line may hold a rate behind a comma, of any language."""
    return "B/" in text and ("," in text or not text.isascii())


def heading(text: str) -> str:
    """Return the direction of a line that names nothing but a test of it; empty of another."""
    text = text.lstrip()  # of a part of a line
    match = _HEADING.fullmatch(text) if len(text) <= _HEADING_LENGTH else None
    return ("write" if match["write"] else "read") if match else ""


def counts(text: str) -> tuple[int, int] | None:
    """Return the full and the partial records of a line; None when it counts none."""
    match = _COUNTS.search(text) if "+" in text else None
    return (int(match["full"]), int(match["partial"])) if match else None


def counts_nothing(records: Sequence[tuple[int, int]]) -> bool:
    """Tell whether dd counted neither a record that it read nor one that it wrote."""
    return len(records) == 2 and not any(map(sum, records))


def full_record_size(records: Sequence[tuple[int, int]], size: int) -> int | None:
    """Return the size of the full records, as many read as written, if one whole number fits.

    A partial one has at least one byte, and one less than a full one at most. Where it is the last
    one alone and so many are full that they differ by 1.5 % at most, a power of two is meant.
    """
    if len(records) != 2 or records[0] != records[1] or not records[0][0]:
        return None
    full, partial = records[0]
    least, most = -(-(size + partial) // (full + partial)), (size - partial) // full
    if least == most:
        return least
    return block_size_between(least, most) if partial == 1 else None


def is_round(records: int) -> bool:
    """Tell whether a number is one that people ask for: 64 or more, as 200, 512 or 3 x 256."""
    digits = str(records).rstrip("0")
    twos = records & -records
    return (len(digits) == 1 and records >= 100) or (twos >= 64 and records // twos in (1, 3, 5, 7))


def count_places(text: str) -> list[tuple[int, int]]:
    """Return where in a line the counts of records begin and end."""
    return [match.span() for match in _COUNTS.finditer(text)]


def figure_ends(text: str) -> list[int]:
    """Return where in a line the figures of progress or of a report end."""
    found = BSD.finditer(text) if "bytes/sec" in text else TAIL.finditer(text)
    return [match.end() for match in found]


def is_aside(text: str) -> bool:
    """Tell whether a line stands between dd's record counts and its figures."""
    if "B/s]" in text:
        return _BAR.fullmatch(text) is not None
    return ("truncated" in text or "odd" in text) and bool(_ASIDE.match(text))


def message(text: str) -> str:
    """Return what went wrong in dd's words; empty where nothing did."""
    match = _MESSAGE.match(text) if "dd: " in text else None
    why = match["why"] if match else ""
    return "" if _WARNING.match(why) or not _SAYS.search(why) else why


def is_refusal(text: str) -> bool:
    """Tell whether dd says that it copied nothing."""
    return "dd: " in text and bool(_REFUSAL.search(text))


def is_signal(text: str) -> bool:
    """Tell whether a line sends, or speaks of, the signal at which dd reports and goes on.

    Others have that signal, too: it is none where the line sends it to them.
    """
    if not (("USR1" in text or "INFO" in text) and _SIGNALLED.search(text)):
        return False
    told = _TOLD.findall(text)
    return not told or any(map(_DD.search, told))


def names_dd(text: str) -> bool:
    """Tell whether a line with a signal says that dd gets it."""
    return _DD.search(text) is not None


def is_timed(text: str) -> bool:
    """Tell whether a line is what zsh or perf says of a command that has ended."""
    return ("s user" in text or "stats for" in text) and _TIMED.search(text) is not None


def has_figures(text: str) -> bool:
    """Tell whether a line ends as dd's progress or report does."""
    return "copied," in text or ("B/" in text and TAIL.search(text) is not None)


def is_quiet(text: str) -> bool:
    """Tell whether a line means no other run: dd's own, a signal's, a shell's times."""
    if counts(text) or has_figures(text) or not text.strip():
        return True
    if _TIMES.match(text) or is_timed(text):
        return True
    warning = "dd: " in text and _MESSAGE.match(text) is not None and not message(text)
    return warning or (is_signal(text) and "dd if=" not in text)
