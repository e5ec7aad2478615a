"""The inputs of the benchmark: the same bytes every time, from the corpus and from counters."""

from __future__ import annotations

import re
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "tests" / "corpus"
_RATES = re.compile(r'("(?:io_bytes|bw_bytes)" : )(\d+)')
_IOPS = re.compile(r'("iops" : )(\d+\.\d{6})')
_HEADER = """\
\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.489 $
\tCommand line used: iozone -e -I -a
\tOutput is in kBytes/sec
"""


def fio_json(folder: Path, count: int) -> None:
    """Write small JSON files of one job: the figures of a real one, each file's a little larger."""
    text = (CORPUS / "fio/json-randrw--3.25.log").read_text(encoding="utf-8")
    for number in range(count):
        factor = 1 + number / count
        one = _RATES.sub(lambda match, by=factor: f"{match[1]}{round(int(match[2]) * by)}", text)
        one = _IOPS.sub(lambda match, by=factor: f"{match[1]}{float(match[2]) * by:.6f}", one)
        (folder / f"{number:05}.json").write_text(one, encoding="utf-8")


def json_plus(folder: Path, megabytes: int) -> None:
    """Write one json+ file: jobs with 20,000 bins for each direction that did I/O."""
    head, job, tail = _one_job()
    pairs = ((1000 + 16 * n, 1 + n * 7919 % 5000) for n in range(20_000))
    bins = ",\n".join(f'            "{latency}" : {count}' for latency, count in pairs)
    full = re.sub(r'"bins" : \{[^{}]+\}', f'"bins" : {{\n{bins}\n          }}', job)
    jobs = ",\n".join([full] * (megabytes * 1_000_000 // len(full)))
    (folder / "jobs.json").write_text(f"{head}{jobs}{tail}", encoding="utf-8")


def _one_job() -> tuple[str, str, str]:
    text = (CORPUS / "fio/json-plus--3.33.log").read_text(encoding="utf-8")
    start = text.index("    {", text.index('"jobs" : ['))
    end = text.index("\n    }", start) + len("\n    }")
    return text[:start], text[start:end], text[end:]


def bandwidth_log(folder: Path, megabytes: int) -> None:
    """Write one bandwidth log: a sample a half second, of reads and writes."""
    size, number = 0, 0
    with (folder / "card_bw.1.log").open("w", encoding="utf-8") as file:
        while size < megabytes * 1_000_000:
            lines = (
                f"{n * 500}, {20_000 + n * 7919 % 9000}, {n % 2}, 4096, {n * 4096}, 0x0000\n"
                for n in range(number, number + 10_000)
            )
            size += file.write("".join(lines))
            number += 10_000


def iozone_logs(folder: Path, count: int) -> None:
    """Write logs of `iozone -a`: 163 rows each, one for each file size and record size."""
    sizes = [(64 << n, 4 << m) for n in range(14) for m in range(13) if 4 << m <= 64 << n]
    for number in range(count):
        rows = [_iozone_row(number * 200 + n, *pair) for n, pair in enumerate(sizes[:163])]
        text = "\n".join([_iozone_head(), *rows, "", "iozone test complete.", ""])
        (folder / f"{number:03}.log").write_text(text, encoding="utf-8")


def iozone(folder: Path, megabytes: int) -> None:
    """Write one run of automatic mode with very many rows, all 13 columns."""
    rows, size, number = [_iozone_head()], 0, 0
    while size < megabytes * 1_000_000:
        rows.append(_iozone_row(number, 64 << number % 10, 4 << number % 5))
        size, number = size + len(rows[-1]) + 1, number + 1
    text = "\n".join([*rows, "", "iozone test complete.", ""])
    (folder / "iozone.log").write_text(text, encoding="utf-8")


def _iozone_head() -> str:
    """Return what stands above the rows, as iozone aligns it."""
    names = ["write", "rewrite", "read", "reread", "read", "write", "read", "rewrite", "read"]
    names += ["fwrite", "frewrite", "fread", "freread"]
    header = "kB".rjust(16) + "reclen".rjust(8)
    for name, edge in zip(names, _HEADER_EDGES, strict=True):
        header += name.rjust(edge - len(header))
    return f"{_HEADER}{header}"


_HEADER_EDGES = (33, 42, 50, 60, 68, 78, 87, 97, 107, 116, 125, 134, 143)
_WIDTHS = (9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9)


def _iozone_row(number: int, size: int, record: int) -> str:
    values = (1000 + (number * 13 + n) * 7919 % 90_000 for n in range(13))
    cells = (f"{value:{width}d}" for value, width in zip(values, _WIDTHS, strict=True))
    return f"{size:16d}{record:8d}{''.join(cells)}"


def mixed(folder: Path, count: int) -> None:
    """Write small logs as the tools print them, no two alike.

    They are those of the corpus with 0.1 to 5 KB that are read without an error: reports of dd,
    hdparm, ddrescue and iozone, of fio for people, in terse and as side logs, captures of several
    tools with prompts and commands, summaries of scripts. What somebody edited is not among them.
    """
    logs = small_logs()
    for number in range(count):
        name, content = logs[number % len(logs)]
        (folder / f"{number:05}-{name}").write_bytes(varied(content, 1 + number / count))


def small_logs() -> list[tuple[str, bytes]]:
    """Return the names and bytes of the corpus' logs of 0.1 to 5 KB that are read whole."""
    paths = [path for path in sorted(CORPUS.glob("*/*.log")) if _is_read(path)]
    logs = [(path.name, path.read_bytes()) for path in paths]
    return [(name, content) for name, content in logs if 100 <= len(content) <= 5000]


def _is_read(log: Path) -> bool:
    """Tell whether the rows beside a log have no error above them."""
    rows = log.with_suffix(".csv")
    return rows.exists() and not re.search(r"^# \d+: error:", rows.read_text("utf-8"), re.M)


_DD = re.compile(rb"(\d+) bytes (.*copied, )([\d.]+) s, [\d.]+ ([kMG])B/s")
_HDPARM = re.compile(rb"(\d+) MB in +([\d.]+) seconds = +[\d.]+ MB/sec")
_ROW = re.compile(rb"^ +\d+ +\d+(?: +[1-9]\d+)+ *$", re.M)
_COUNT = re.compile(rb'("(?:io_bytes|bw_bytes)" : |^\d+, )(\d+)', re.M)  # fio's JSON, side logs


def varied(content: bytes, factor: float) -> bytes:
    """Return a log whose run took so much longer, or that has one more line of words."""
    slower = content
    for pattern, of in ((_DD, _slower_dd), (_HDPARM, _slower_hdparm), (_ROW, _slower_row)):
        slower = pattern.sub(lambda match, of=of: of(match, factor), slower)
    slower = _COUNT.sub(lambda match: match[1] + b"%d" % round(int(match[2]) * factor), slower)
    if slower != content or content.startswith(b"\xff\xfe"):
        return slower
    return b"card %.6f\n" % factor + content


def _slower_dd(match: re.Match[bytes], factor: float) -> bytes:
    seconds = float(match[3]) * factor
    rate = int(match[1]) / seconds / {b"k": 1e3, b"M": 1e6, b"G": 1e9}[match[4]]
    text = f"{seconds:.6g} s, {rate:.{1 if rate < 10 else 0}f}"
    return b"%s bytes %s%s %sB/s" % (match[1], match[2], text.encode(), match[4])


def _slower_hdparm(match: re.Match[bytes], factor: float) -> bytes:
    seconds = round(float(match[2]) * factor, 2)
    text = f"MB in {seconds:.2f} seconds = {int(match[1]) / seconds:.2f} MB/sec"
    return match[1] + b" " + text.encode()


def _slower_row(match: re.Match[bytes], factor: float) -> bytes:
    """Every result of a row of iozone, and neither of its sizes, in as many characters."""
    first, second, *results = re.findall(rb" +\d+", match[0])
    slower = [b"%*d" % (len(cell), int(int(cell) / factor)) for cell in results]
    return b"".join([first, second, *slower])
