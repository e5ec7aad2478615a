"""What a job was asked to do: fio's options, wherever they stand -> conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from sdanalysis.codebook.units import KIB

_T = TypeVar("_T")
DIRECTIONS = ("read", "write", "trim", "mixed")
_MIXED = ("rw", "readwrite", "randrw")
_MODES = (
    *_MIXED, "read", "write", "trim", "randread", "randwrite", "randtrim",
    "trimwrite", "randtrimwrite",
)  # fmt: skip


class Conditions(NamedTuple):
    """Conditions of one job; None where the log does not say. Sizes in bytes, mix in per cent."""

    mode: str | None = None
    block_sizes: tuple[int | None, int | None, int | None] = (None, None, None)
    file_size: int | None = None
    numjobs: int | None = None
    iodepth: int | None = None
    read_mix: float | None = None
    direct: bool | None = None
    kb_base: int = KIB
    # where and when it ran: jobs that differ in it are no processes of one test
    placement: tuple[str, ...] = ()
    is_share: bool = False  # of a command: a result may be that of one of several processes
    is_repeated: bool = False  # of a loop: of each result below, and a result tells the block size
    syncs: bool = False  # it says when
    under_way: int = 0  # when ramp_time ended, at most: fio counts their bytes, not their number

    def op(self, direction: str) -> str:
        """Return the operation in fio's words; the bare direction where the mode is unknown."""
        random = (self.mode or "").startswith("rand") and direction != "mixed"
        return f"rand{direction}" if random else direction

    def block_size(self, direction: str) -> int | None:
        """Return the block size in bytes; a job that mixes unequal sizes has none."""
        if direction == "mixed":
            read, write, _ = self.block_sizes
            return read if read == write else None
        return self.block_sizes[DIRECTIONS.index(direction)]

    def uncounted(self, time: int | None) -> float:
        """Return how many operations a second the bandwidth of some ms may have beside the IOPS."""
        return self.under_way * 1000 / time if time else 0


UNKNOWN = Conditions()
SEVERAL = ("several tests",)  # the placement of the sum of a group of tests that are not alike


def common(tests: Sequence[Conditions]) -> Conditions:
    """Return what is the same of all tests whose sum `--group_reporting` prints."""
    tests = [test._replace(syncs=False) for test in tests]
    first = tests[0]
    if all(test == first for test in tests):
        return first
    sizes = [
        _only(test.block_sizes[place] for test in tests if moves(test, direction))
        for place, direction in enumerate(DIRECTIONS[:3])
    ]
    patterns = {(test.mode or "").startswith("rand") for test in tests}
    return Conditions(
        mode=first.mode if len(patterns) == 1 else None,
        block_sizes=(sizes[0], sizes[1], sizes[2]),
        file_size=_only(test.file_size for test in tests),
        iodepth=_only(test.iodepth for test in tests),
        read_mix=_only(test.read_mix for test in tests),
        direct=_only(test.direct for test in tests),
        kb_base=first.kb_base,
        under_way=sum(test.under_way for test in tests),
    )


def _only(values: Iterable[_T]) -> _T | None:
    """Return the value that stands alone, None where there are several."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def moves(test: Conditions, direction: str) -> bool:
    """Tell whether a test may have operations of a direction."""
    if test.mode in _MIXED:
        return direction != "trim"
    return test.mode is None or direction in test.mode


_SYNCS = ("fsync", "fdatasync", "sync_file_range", "end_fsync", "fsync_on_close")
# options that make the blocks of one direction unequal
UNEVEN = ("bsrange", "bssplit", "bs_is_seq_rand", "bs_unaligned")
ALIASES = {
    "readwrite": "rw", "blocksize": "bs", "blocksize_range": "bsrange", "nr_files": "nrfiles",
    "blocksize_unaligned": "bs_unaligned", "wait_for_previous": "stonewall",
}  # fmt: skip
USED = {
    "rw", "bs", "size", "filesize", "nrfiles", "numjobs",
    "rwmixread", "rwmixwrite", "ioengine", "iodepth", "ramp_time",
    "direct", "buffered", "kb_base", "directory", "filename", "startdelay", "wait_for",
    *_SYNCS, *UNEVEN, *ALIASES,
}  # fmt: skip
_PLACES = (
    "size", "filesize", "io_size", "io_limit", "filename", "opendir", "fill_device", "fill_fs",
    "read_iolog", "rbdname",
)  # fmt: skip
# what has a default, each with what else says it
DEFAULTED = (
    ("rw",), ("bs", *UNEVEN), ("iodepth",), ("numjobs",), ("direct", "buffered"),
    ("rwmixread", "rwmixwrite"),
)  # fmt: skip


def canonical(options: Mapping[str, _T]) -> dict[str, _T]:
    """Return options by the names that fio's manual gives first; the last of two counts."""
    return {ALIASES.get(name, name): value for name, value in options.items()}


def conditions(options: Mapping[str, object] | None) -> Conditions:
    """Return the conditions that the options state, with fio's defaults for those left out.

    fio prints only the options that were given (since 2.3), so where any are known the others had
    their defaults: rw=read, bs=4k, iodepth=1, numjobs=1, direct=0, rwmixread=50 (3.33, HOWTO).
    """
    if options is None:
        return UNKNOWN
    given = canonical(options).items()
    pairs = [(name, str(value)) for name, value in given if name in USED and value is not None]
    return _conditions(tuple(pairs))


@lru_cache(maxsize=512)  # a folder of logs repeats a few commands
def _conditions(pairs: tuple[tuple[str, str], ...]) -> Conditions:
    given = dict(pairs)
    mode = given.get("rw", "read").split(":")[0].strip()
    base = 1000 if given.get("kb_base") == "1000" else KIB
    numjobs = _count(given.get("numjobs", "1"))
    asked = _count(given.get("iodepth", "1"))
    iodepth = depth(given.get("ioengine", ""), asked)
    return Conditions(
        mode=mode if mode in _MODES else None,
        block_sizes=_block_sizes(given, base),
        file_size=_file_size(given, base),
        numjobs=numjobs,
        iodepth=iodepth,
        read_mix=_read_mix(given) if mode in _MIXED else None,
        direct=_direct(given),
        kb_base=base,
        placement=_placement(given),
        syncs=any(given.get(name, "0") != "0" for name in _SYNCS),
        under_way=(numjobs or 0) * (iodepth or asked or 0) if "ramp_time" in given else 0,
    )


def of_any_process(options: Mapping[str, object]) -> Conditions:
    """Return what the options say of a result without its block.

    Of several processes without `--group_reporting` it may be the share of one.
    """
    known = conditions(options)
    return known._replace(is_share=known.numjobs != 1 and "group_reporting" not in options)


_GROUPS = {"stonewall", "new_group"}  # options with which a group begins


def asked_of_jobs(jobs: Sequence[Mapping[str, str]]) -> list[Conditions]:
    """Return what jobs of a command or a file ask for: each, or all whose sum fio prints."""
    asked = [of_any_process(job) for job in jobs]
    is_sum = any("group_reporting" in job for job in jobs) and not is_each(jobs)
    return [common(asked)._replace(numjobs=None, is_share=False)] if is_sum else asked


def is_each(jobs: Sequence[Mapping[str, str]]) -> bool:
    """Tell whether each job is a group of its own."""
    return all(_GROUPS & job.keys() for job in jobs[1:])


_SYNCHRONOUS = (
    "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice",
    "libpmem", "dev-dax", "pmemblk", "libcufile", "libzbc", "mtd",
)  # fmt: skip


def depth(engine: str, asked: int | None) -> int | None:
    """Return the queue depth: 1 of engines that wait, as the default one but on Windows (HOWTO)."""
    reached = asked if engine or asked == 1 else None
    return 1 if asked and engine in _SYNCHRONOUS else reached


def _file_size(given: Mapping[str, str], base: int) -> int | None:
    """Return the size of a job's files; that of its only file holds where no other is given."""
    is_one = given.get("nrfiles", "1") == "1" and ":" not in given.get("filename", "")
    if is_one and "size" not in given:
        return size(given.get("filesize", ""), base)
    return size(given.get("size", ""), base)


def _placement(given: Mapping[str, str]) -> tuple[str, ...]:
    """Return the device or folder of a job, and what it waits for."""
    name = given.get("filename", "")
    folder = name if name.startswith("/dev/") else name.rpartition("/")[0]
    return (folder, *(given.get(word, "") for word in ("directory", "startdelay", "wait_for")))


def _block_sizes(given: Mapping[str, str], base: int) -> tuple[int | None, int | None, int | None]:
    texts = given.get("bs", "4096").split(",")
    uneven = [name for name in UNEVEN if name in given]
    ranges = re.split("[,/]", given[uneven[0]]) if len(uneven) == 1 else []
    ends = [re.split("[-:]", part) for part in ranges]
    if ends and all(len(part) == 2 and part[0] == part[1] for part in ends):  # `4k-4k` is no range
        uneven, texts = [], [part[0] for part in ends]
    if len(texts) > 3 or uneven:
        return (None, None, None)
    sizes = [size(text, base) if text else 4096 for text in texts]
    read, write, trim = sizes + sizes[-1:] * (3 - len(sizes))
    return (read, write, trim)


_SIZE = re.compile(r"(\d{1,15})(?:([kmgt])(i?b)?|b)?", re.ASCII | re.IGNORECASE)


def size(text: str, base: int = KIB) -> int | None:
    """Return an option's size in bytes, None for what is no fixed size (`100%`, `1g-2g`).

    fio's `k` and `kb` follow kb_base (1024 unless the option says otherwise); with kb_base=1024 its
    `kib` is 1000, as 3.33 prints in its own header.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, prefix, byte = match.groups()
    if prefix is None:
        return int(number)
    step = base if (byte or "b").lower() == "b" else KIB + 1000 - base
    return int(number) * step ** ("kmgt".index(prefix.lower()) + 1)


def _count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _read_mix(given: Mapping[str, str]) -> float | None:
    share = _count(given.get("rwmixread", given.get("rwmixwrite", "50")))
    if share is None or share > 100:
        return None
    return float(share if "rwmixread" in given else 100 - share)


def _direct(given: Mapping[str, str]) -> bool | None:
    if "direct" not in given and "buffered" in given:
        return {"0": True, "1": False, "": False}.get(given["buffered"])
    return {"0": False, "1": True, "": True}.get(given.get("direct", "0"))


def without_defaults(options: Mapping[str, _T]) -> dict[str, _T | str]:
    """Return options with no value for those that another place may give."""
    unknown = {names[0]: "?" for names in DEFAULTED if options.keys().isdisjoint(names)}
    return {**options, **unknown}


def stated(options: Mapping[str, object]) -> Conditions:
    """Return what options say without fio's defaults: those that a page shows may be a part."""
    return conditions(without_defaults(options))


def are_whole(options: Mapping[str, object]) -> bool:
    """Tell whether options say what is read or written, without which fio refuses a job."""
    return not options.keys().isdisjoint(_PLACES)


def say_mode(jobs: Iterable[Mapping[str, object]]) -> bool:
    """Tell whether all jobs say what they do: an excerpt may have left it out."""
    return all("rw" in job for job in jobs)


def fits_header(known: Conditions, header: Conditions) -> bool:
    """Tell whether what a file or a command says of a job does not contradict its header."""
    pairs = [
        (_printed(known.mode), _printed(header.mode)),
        *zip(known.block_sizes, header.block_sizes, strict=True),
        (known.iodepth, header.iodepth if header.iodepth != 1 else None),
    ]
    return all(None in (own, other) or own == other for own, other in pairs)


def _printed(mode: str | None) -> str | None:
    """Return a mode as fio's header prints it."""
    return "rw" if mode == "readwrite" else mode
