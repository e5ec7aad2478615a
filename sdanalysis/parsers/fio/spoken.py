"""What somebody's words above a report leave open, which otherwise is as the one before it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.commands import is_command, names_file
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions

# words between two reports of one command, and what they leave open of the second
_SPOKEN_OF = {
    "direct": r"direct|buffer|cache|缓存|快取|缓冲|キャッシュ|バッファ|캐시|버퍼|к[эе]ш|буфер",
    "file_size": r"size|\b[0-9.]+ ?[GMT]i?B?\b(?!/s)|大小|容量|サイズ|크기|용량|размер",
    "iodepth": r"depth|queue|\bqd|\bp?v?sync\b|engine|aio|uring|深度|队列|引擎|深さ|깊이|глубин",
    "read_mix": r"mix|[0-9] ?%|比例|混合|혼합|смешан",
}
_OPEN = {name: re.compile(words, re.IGNORECASE) for name, words in _SPOKEN_OF.items()}
_OPTIONS = re.compile(
    # not those of what is measured
    r"((?:mount|mkfs|cache|kernel|boot|module|driver|disk|pool)[\s_-]?)?"
    r"(?:option|param|参数|參數|选项|オプション|パラメータ|옵션|파라미터|параметр|опци)",
    re.IGNORECASE,
)
_PATTERN = re.compile(
    r"\bseq|顺序|順序|シーケンシャル|순차|посл|(\brand|随机|隨機|ランダム|랜덤|임의|случ)", re.I
)
_REPORT = re.compile(r"util=|\brunt?=|\bmint=|: ios=|\b[sc]?lat \(|\bBW=|\bavg=|th=\[")
_PRINTED = re.compile(r"Jobs: |: \(g=")  # by fio above its report
# What somebody asked for who speaks of the command above: `with direct=0`, `without --direct=1`
_GIVEN = re.compile(
    r"(?<![\w-])-{0,2}(?P<name>direct|size|numjobs|iodepth|bs|rw|ioengine|rwmixread)"
    r" ?= ?(?P<value>\w+)"
)
_QUEUE = re.compile(r"\b(?:qd|queue depth)(?: of)?[ =:]?(\d{1,4})\b", re.IGNORECASE)
_WITHOUT = re.compile(
    r"\b(?:without|w/o|instead of|ohne|statt|sans|sin|senza|sem|без)\b|不加|去掉", re.I
)
_CACHED = re.compile(r"(?<!not )\b(?:cached|buffered)\b", re.I)
# no options of a command that mail broke, nor the rest of a header
_PROSE = re.compile(r"[\s>|*#_(]*(?=\w)(?!\w+=|.*, ?ioengine=\w+, ?iodepth=).{1,80}$")
# any number, another command, or a word of how many or how much
_SETTING = re.compile(
    r"[0-9=$@~]|\./|\.sh\b|\bsudo\b|\b(?:jobs?|files?|blocks?|more|less|fewer|larger|bigger|smaller|higher|lower)\b"
    r"|thread|process|worker|parallel|concurr|线程|并发|任务|文件|スレッド|ジョブ|ファイル"
    r"|поток|задан|файл|mehr|weniger|größer|kleiner|datei",
    re.IGNORECASE,
)
_MARK = re.compile(r"^[\s>|*-]*(?:[0-9]{1,2}[.)]\s)?")  # of a list
_OF_A_RESULT = re.compile(
    r"[\s>|*-]*(?:$|```|(?:read|write|trim|mixed|[scd]?lat|f?sync|bw|iops|cpu|IO depths|submit"
    r"|complete|issued|latency|READ|WRITE|Run status|Disk stats|clat percentiles|\w+: ios=)"
    r"\b[\w /()]*(?:[:%,]|$)|[0-9.]+th=|\S+: ios=)"
)
_FEW = 3  # lines of words between two results of one command
FAR = 12  # lines from a report to the one below it


def words_between(above: Sequence[Line], *, of_file: bool = False) -> list[str] | None:
    """Return what stands between a report and the one right above it; None below another test.

    A report of a job file, or its file, may stand above the command that names it.
    """
    texts: list[str] = []
    written = (text for _, text in reversed(above) if text.strip() and not _PRINTED.search(text))
    for text in islice(written, FAR):
        if _REPORT.search(text):
            return texts
        if not (is_command(text) or names_file(text)):
            texts.append(text)
        elif not (of_file and names_file(text)):
            break
    return texts if of_file else None


def said_again(
    known: Conditions, between: Sequence[str], spoken: Iterable[str] = _OPEN
) -> Conditions:
    """Return what of a report holds for the next one of its command: what no word there changes."""
    text = "\n".join(between)
    patterns = [bool(random) for random in _PATTERN.findall(text)]
    is_random = (known.mode or "").startswith("rand")
    if any(not of_system for of_system in _OPTIONS.findall(text)):
        return UNKNOWN
    if known.mode and patterns and is_random not in patterns:
        return UNKNOWN
    left_open: dict[str, Any] = {name: None for name in spoken if _OPEN[name].search(text)}
    return known._replace(**left_open)


def is_again(known: Conditions, between: Iterable[str]) -> bool:
    """Tell whether a result is of the command above another: no word between names a setting."""
    words = [_MARK.sub("", text) for text in between if not _OF_A_RESULT.match(text)]
    is_other = len(words) > _FEW or any(map(_SETTING.search, words))
    return not is_other and said_again(known, words) == known


def is_prose(text: str) -> bool:
    """Tell whether a line may be somebody's words."""
    return bool(_PROSE.match(text)) and "(g=" not in text


def are_of_others(texts: Iterable[str], given: Sequence[Mapping[str, str]]) -> bool:
    """Tell whether words ask for other options than the jobs of a command or a file were given."""
    return any(_speaks_of_others(text, given) for text in texts if is_prose(text))


def _speaks_of_others(text: str, given: Sequence[Mapping[str, str]]) -> bool:
    """Tell whether words name an option that none of a command's jobs was given, or leave one out.

    A value in a variable may be any.
    """
    is_without = bool(_WITHOUT.search(text))
    is_cached = "direct" in text if is_without else bool(_CACHED.search(text))
    if is_cached and any(options.get("direct") == "1" for options in given):
        return True
    depths = {options.get("iodepth", "1") for options in given}
    if set(_QUEUE.findall(text)) - depths and not any("$" in depth for depth in depths):
        return True
    for match in _GIVEN.finditer(text) if "=" in text else ():
        values = {options.get(match["name"], "").lower() for options in given}
        is_known = any("$" in value for value in values)
        if not is_known and (match["value"].lower() in values) == is_without:
            return True
    return False
