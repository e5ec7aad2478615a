"""Words of which every output of a tool holds at least one: its parser need not read other logs."""

from __future__ import annotations

WORDS: dict[str, tuple[str, ...]] = {
    # the signs are those of `5120+0 records out` and `13.5 MB/s`, whose words may be translated
    "dd": ("+", "B/", "copied", "transferred in", "dd: "),
    "ddrescue": ("ddrescue", "average rate:"),
    "fio": ("fio", "(groupid=", "IOPS=", "runt=", ";0%=0"),
    "hdparm": ("Timing",),
    "iozone": ("reclen", "ozone:", "Command line used:", "see throughput", "report"),
}
