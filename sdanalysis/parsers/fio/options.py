"""What a job was asked to do: fio's options from a command, a job file or JSON -> conditions.

Names and defaults are those of HOWTO 3.33, sizes those of parse.c, the jobs of a command those of
init.c (parse_cmd_line).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.capture import Call, Capture

Sizes = tuple[int | None, int | None, int | None]
DIRECTIONS = ("read", "write", "trim", "mixed")
MIXED = ("rw", "randrw")
_MODES = {
    *MIXED, "read", "write", "trim", "randread", "randwrite", "randtrim", "trimwrite",
    "randtrimwrite",
}  # fmt: skip
# a name of an option -> the name under which it is kept
_NAMES = {
    **{name: name for name in (
        "rw", "bs", "bsrange", "bssplit", "bs_is_seq_rand", "bs_unaligned", "size", "filesize",
        "nrfiles", "numjobs", "iodepth", "ioengine", "rwmixread", "direct", "ramp_time", "kb_base",
        "filename", "directory", "startdelay", "wait_for",
    )},
    "readwrite": "rw", "blocksize": "bs", "blocksize_range": "bsrange", "nr_files": "nrfiles",
    "blocksize_unaligned": "bs_unaligned", "buffered": "direct", "rwmixwrite": "rwmixread",
}  # fmt: skip
_INVERSE = {"buffered": 1, "rwmixwrite": 100}  # the other option is this number less them
_UNEVEN = {"bssplit", "bs_is_seq_rand", "bs_unaligned"}
_WAITING = {
    "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "libpmem", "dev-dax",
    "pmemblk", "libcufile", "libzbc", "mtd",
}  # fmt: skip
_SIZE = re.compile(r"(\d{1,15})(?:([kmgt])(i?b|i)?|b)?", re.ASCII | re.IGNORECASE)
_TIME = re.compile(r"(\d{1,9})(us|ms|s|m|h|d)?", re.ASCII)
_STEPS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6, "d": 8.64e7}
_SECTION = re.compile(r"\[([^\[\]=]{1,100})\]\s*$")
_SETTING = re.compile(r"([a-z_][a-z0-9_]{1,40})(?:\s*=\s*(.*?))?\s*$")
_COMMENT = re.compile(r"(?:^|\s)[;#].*")


class Conditions(NamedTuple):
    """Conditions of one job; None where the log does not say. Sizes in bytes, mix in per cent."""

    mode: str | None = None
    block_sizes: Sizes = (None, None, None)
    file_size: int | None = None
    numjobs: int | None = None
    iodepth: int | None = None
    read_mix: float | None = None
    direct: bool | None = None
    kb_base: int = KIB
    placement: tuple[str, ...] = ()  # jobs that differ in it are no processes of one test
    under_way: int = 0  # when ramp_time ended, at most: fio counts their bytes, not their number

    def op(self, direction: str) -> str:
        """Return the operation in fio's words; the bare direction where the mode is unknown."""
        random = (self.mode or "").startswith("rand") and direction != "mixed"
        return f"rand{direction}" if random else direction

    def block_size(self, direction: str) -> int | None:
        """Return the block size; a job that mixes unequal sizes has none."""
        if direction == "mixed":
            read, write, _ = self.block_sizes
            return read if read == write else None
        return self.block_sizes[DIRECTIONS.index(direction)]

    def moves(self, direction: str) -> bool:
        """Tell whether a job may have operations of a direction."""
        if self.mode in MIXED:
            return direction != "trim"
        return self.mode is None or direction in self.mode

    def fits(self, header: Conditions) -> bool:
        """Tell whether what a file or a command asks for does not contradict a job's header."""
        depth = header.iodepth if header.iodepth != 1 else None
        own = (self.mode, self.iodepth, *self.block_sizes)
        other = (header.mode, depth, *header.block_sizes)
        return all(None in pair or pair[0] == pair[1] for pair in zip(own, other, strict=True))


UNKNOWN = Conditions()
_ELSEWHERE = ("directory", "startdelay", "wait_for")


def conditions(options: Mapping[str, object] | None) -> Conditions:
    """Return what options say, with fio's defaults for those that are not given (3.33, HOWTO)."""
    if options is None:
        return UNKNOWN
    return _conditions(tuple([(name, str(options[name])) for name in options if name in _NAMES]))


@lru_cache(maxsize=512)  # a folder of logs repeats a few jobs
def _conditions(pairs: tuple[tuple[str, str], ...]) -> Conditions:
    given: dict[str, str] = {}
    for name, value in pairs:
        given[_NAMES[name]] = value
        if name in _INVERSE:
            number = count(value or "1")
            given[_NAMES[name]] = "?" if number is None else str(_INVERSE[name] - number)
    base = 1000 if given.get("kb_base") == "1000" else KIB
    mode = given.get("rw", "read").partition(":")[0].strip().replace("readwrite", "rw")
    numjobs, iodepth = count(given.get("numjobs", "1")), count(given.get("iodepth", "1"))
    reached, share = depth(given.get("ioengine", ""), iodepth), count(given.get("rwmixread", "50"))
    file = given.get("filename", "")
    # the size of a job's only file holds where no other is given
    is_one = given.get("nrfiles", "1") == "1" and ":" not in file and "size" not in given
    folder = file if file.startswith("/dev/") else file.rpartition("/")[0]
    return Conditions(
        mode=mode if mode in _MODES else None,
        block_sizes=_block_sizes(given, base),
        file_size=size(given.get("filesize" if is_one else "size", ""), base),
        numjobs=numjobs,
        iodepth=reached,
        read_mix=share if mode in MIXED else None,
        direct={"0": False, "1": True, "": True}.get(given.get("direct", "0")),
        kb_base=base,
        placement=(folder, *(given.get(name, "") for name in _ELSEWHERE)),
        under_way=(numjobs or 0) * (reached or iodepth or 0) if "ramp_time" in given else 0,
    )


def _block_sizes(given: Mapping[str, str], base: int) -> Sizes:
    """Return the sizes of reads, writes and trims; the last of a list holds for those left out."""
    texts = given.get("bsrange", given.get("bs", "4096")).split(",")
    if len(texts) > 3 or not given.keys().isdisjoint(_UNEVEN):
        return None, None, None
    ends = [{size(end, base) for end in re.split("[-:]", text or "4096")} for text in texts]
    sizes = [end.pop() if len(end) == 1 else None for end in ends]
    read, write, trim = sizes + sizes[-1:] * (3 - len(sizes))
    return read, write, trim


# an option -> the cell that it gives, where no section has an option of its own for it
_CELLS = {
    "rw": "mode", "bs": "block_sizes", "iodepth": "iodepth", "size": "file_size",
    "direct": "direct", "rwmixread": "read_mix",
}  # fmt: skip


def of_several(options: Mapping[str, object], own: Mapping[str, object]) -> Conditions:
    """Return what holds for all sections whose sum an entry is: what no section says for itself."""
    owned = {_NAMES.get(name) for name in own}
    shared = {_NAMES.get(name) for name in options} - owned
    cells = [cell for name, cell in _CELLS.items() if name not in shared]
    unsure: Any = {cell: getattr(UNKNOWN, cell) for cell in ("numjobs", *cells)}
    return conditions(options)._replace(**unsure)


def common(tests: Sequence[Conditions]) -> Conditions:
    """Return what is the same of all tests whose sum `--group_reporting` prints."""
    if len(set(tests)) == 1:
        return tests[0]
    columns = zip(*tests, strict=True)
    cells: Any = [column[0] if len(set(column)) == 1 else None for column in columns]
    alike = Conditions(*cells)
    if len({test.op("") for test in tests}) == 1:
        alike = alike._replace(mode=tests[0].mode)
    sizes, under_way = alike.block_sizes or UNKNOWN.block_sizes, sum(of.under_way for of in tests)
    alike = alike._replace(block_sizes=sizes, numjobs=None, under_way=under_way)
    return alike._replace(kb_base=tests[0].kb_base, placement=("several tests",))


def depth(engine: str, iodepth: int | None) -> int | None:
    """Return the queue depth: 1 of engines that wait, as the default one but on Windows (HOWTO)."""
    if engine in _WAITING:
        return 1 if iodepth else None
    return iodepth if engine or iodepth == 1 else None


def count(text: str) -> int | None:
    """Return a count, None for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def size(text: str, base: int = KIB) -> int | None:
    """Return a size in bytes, None for what is no fixed size (`100%`, `1g-2g`)."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, letter, tail = match.groups()
    # with kb_base=1024 fio's `kib` is 1000 (parse.c: __get_mult_bytes)
    step = KIB + 1000 - base if (tail or "").lower() == "ib" else base
    return int(number) * int(step ** ("kmgt".index(letter.lower()) + 1) if letter else 1)


def milliseconds(text: str) -> float | None:
    """Return a time in ms, None for no time."""
    match = _TIME.fullmatch(text)
    return float(match[1]) * _STEPS[match[2] or "s"] or None if match else None


def jobs_of(words: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the options of a command's jobs by name; those before the first hold for all."""
    shared: dict[str, str] = {}
    jobs: dict[str, dict[str, str]] = {}
    now, waits = shared, ""
    for word in words:
        name, sign, value = word.lstrip("-").partition("=")
        if not word.startswith("-"):
            name, sign, value, waits = waits, waits, word, ""
        elif not sign:  # its value may be the next word
            waits = name
        if name == "name" and sign:
            now = shared if value == "global" else jobs.setdefault(value, dict(shared))
        elif name:
            now[name] = "?" if "$" in value else value
    return jobs


def _in_files(lines: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the options of the jobs of the job files that lines show, by the jobs' names."""
    jobs: dict[str, dict[str, str]] = {}
    words: list[str] = []  # of the command that asks for the same
    for line in lines:
        text = _COMMENT.sub("", line).strip()
        if text[:1] == "[" and (section := _SECTION.match(text)):
            words.append(f"--name={section[1]}")
        elif words and text:
            setting = _SETTING.match(text)
            if setting is None:  # the file has ended
                jobs |= jobs_of(words)
                words = []
            else:
                words.append(f"--{setting[1]}={setting[2] or ''}")
    return jobs | jobs_of(words)


class Commands:
    """What the command above a line, and the job files shown above it, ask of jobs by name."""

    def __init__(self, capture: Capture) -> None:
        """Begin above the first line."""
        self._lines, self._has_file, self._read = capture.lines, "]\n" in capture.text, 0
        self._of_command: dict[str, dict[str, str]] = {}
        self._of_files: dict[str, dict[str, str]] = {}

    def take(self, calls: Sequence[Call], *, is_answered: bool) -> None:
        """Take the calls of a command; below a result those above it are answered."""
        if is_answered:
            self._of_command = {}
        for call in calls:
            self._of_command |= jobs_of(call.words)

    def options(self, name: str, line: int) -> Mapping[str, str] | None:
        """Return what is asked of the job whose report or header stands at a line."""
        if self._has_file:
            self._of_files |= _in_files(self._lines[self._read : line - 1])
            self._read = line
        return self._of_command.get(name) or self._of_files.get(name)
