"""What tells the lines of a tool, so that its parser need not be loaded for other logs."""

from __future__ import annotations

# Every output of a tool holds at least one of these.
WORDS: dict[str, tuple[str, ...]] = {
    # the signs are those of `5120+0 records out` and `13.5 MB/s`, whose words may be translated
    "dd": ("+", "B/", "copied", "transferred in", "dd: "),
    "ddrescue": ("ddrescue", "average rate:"),
    "fio": ("fio", "(groupid=", "IOPS=", "runt=", ";0%=0"),
    "hdparm": ("Timing",),
    "iozone": ("reclen", "ozone:", "Command line used:", "see throughput", "report"),
}

# Lines that repeat a result, show progress or describe the run, and that its parser passes over.
REPEATS: dict[str, str] = {
    "ddrescue": r"(?:current|average|error) rate:",
    "fio": r"\b(?:bw|iops)\s*(?:\([^)]*\))?\s*:\s*min=|\bJobs: \d|\"[a-z_]+\"\s*:",
    "iozone": r"Output is in",
}
# Totals over several results, which they repeat where they stand below them.
TOTALS: dict[str, str] = {"fio": r"^\W*(?:READ|WRITE|TRIM|MIXED):"}
