"""A pasted fio command -> the options of its jobs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from sdanalysis.parsers.fio.options import (
    ALIASES,
    UNKNOWN,
    USED,
    Conditions,
    common,
    conditions,
    without_defaults,
)
from sdanalysis.parsers.marks import CLOSERS

# of a shell's prompt (`C:\\>fio`, `#fio`), of a path or of a list of commands; the first letter of
# the page may not have been copied
_COMMAND = re.compile(
    r"(?:(?<![a-zA-Z0-9_.-])fio(?:\.exe)?[\"']?|^[\s>$#]{0,9}io(?=\s+-.{0,999}-(?:name|ioengine)=)"
    # the name of a container's image: `docker run -v /a:/b user/tools:fio-3.1 --rw=read`
    r"|\b(?:docker|podman)\b.{0,99}? run .{0,400}?(?<=\s)(?!-)[^\s=]{0,99}fio[\w.:-]{0,60}"
    r"(?=\s+--?[a-z_]+=))\s+"
)
# getopt takes one hyphen for two; a page made from a PDF has a blank behind it, `- rw=read`
_GIVEN = re.compile(
    r"(?<!\S)--?(?: (?=[a-z_]+=))?([a-z_]+)"
    rf"(?:(?:=|\s{{1,20}})(\"[^\"]*\"|'[^']*'|“[^”]*”|[^\s{CLOSERS}-][^\s{CLOSERS}]*))?"
)


_BEHIND = "*`:;.,)"  # what a page writes behind a command
_FOREIGN = re.compile(r"[^\x00-\x7f].*")
_NAMES = ("name", "filename", "directory", "description")  # values that may be of any script
# what may stand for options, those that have a default, and those whose value may be a variable
_ELSEWHERE = re.compile(r"\$[\w{(@*]|\.{3}$|\u2026$")
_A_VARIABLE = re.compile(r"\$\w+|\$\{[^{}]*\}")
_END_OF_COMMAND = re.compile(r"(?<!\S)(?:[|;&]|[0-9&]?>)")
_VALUED = {*USED, "name", "runtime", "output", "output-format", "rate"}
_JOB_FILE = re.compile(r"[^-].*\.(?:fio|job|ini|cfg|conf)")
_LAST_OPTION = re.compile(r"\s-{1,2}([a-z_-]*=?)\s*$")
_WIDEST = 40  # letters of an option's name
# options without a value that people write
_FLAGS = {
    *("group_reporting", "time_based", "thread", "norandommap", "softrandommap", "randrepeat"),
    *("direct", "buffered", "atomic", "hipri", "fixedbufs", "registerfiles", "sqthread_poll"),
    *("stonewall", "wait_for_previous", "new_group", "exitall", "unlink", "overwrite"),
    *("invalidate", "refill_buffers", "zero_buffers", "scramble_buffers", "do_verify"),
    *("end_fsync", "fsync_on_close", "create_on_open", "fill_device", "fill_fs", "readonly"),
    *("gtod_reduce", "minimal", "append-terse", "unified_rw_reporting", "allow_mounted_write"),
    *("bs_unaligned", "blocksize_unaligned", "bs_is_seq_rand", "experimental_verify", "parse-only"),
}  # fmt: skip
# another command, or a remark
_STOP = re.compile(r"(?:;|(?<=\s)(?:&&?|\|\|?))\s+(?=[a-z./])|(?<=\s)#+\s")
_NEXT = re.compile(r"(?<=[;&])\s*[^=]{0,60}?(?<![a-zA-Z0-9_./-])fio(?:\.exe)?\s(?=\s*-)")


def is_command(text: str) -> bool:
    """Tell whether a line may be the first of a pasted fio command."""
    is_begun = " -" in text or text.rstrip().endswith("\\") or names_file(text)
    return is_begun and bool(_COMMAND.search(text))


def joined(command: str, text: str) -> str:
    """Return a command with its next line, as a shell joins them: a backslash may part a word.

    People lose the blanks before options, and `> ` is a shell's prompt for more.
    """
    more = text.rstrip().rstrip("\\").removeprefix("> ")
    return f"{command}{' ' if more.lstrip().startswith('-') else ''}{more}"


def each(text: str) -> list[str]:
    """Return the commands of a line, of which most have one: `fio --name=a && fio --name=b`."""
    begins = [match.start() for match in _NEXT.finditer(text)] if text.count("fio") > 1 else []
    return [text[begin:end] for begin, end in pairwise([0, *begins, len(text)])]


def jobs_of(text: str) -> list[dict[str, str]]:
    """Return the options of each job of a pasted command; the only one may have no name.

    Those before the first `--name` hold for all jobs, and so do those of `--name=global`; a job
    has none of the job before it (init.c 3.33, parse_cmd_line).
    """
    jobs: list[dict[str, str]] = []
    shared: dict[str, str] = {}
    for name, value in _pairs(text):
        if name == "name":
            jobs.append(shared if value == "global" else {**shared, name: value})
        else:
            (jobs[-1] if jobs else shared)[name] = value
    named = [job for job in jobs if "name" in job] or [shared]
    is_part = _is_a_part(text) or (any(named) and _is_cut(text))
    return [*map(without_defaults, named)] if is_part else named


def by_name(text: str) -> dict[str, dict[str, str]]:
    """Return the options of the jobs of a command by name; a name given twice is left out."""
    jobs = [job for command in each(text) for job in jobs_of(command) if job.get("name")]
    count = Counter(job["name"] for job in jobs)
    return {job["name"]: job for job in jobs if count[job["name"]] == 1}


def _is_a_part(text: str) -> bool:
    """Tell whether a command has options that stand elsewhere: `fio $OPTIONS --name=a`."""
    if "$" not in text and ".." not in text and "\u2026" not in text:
        return False
    return any(_ELSEWHERE.match(word) for word in _no_values(text))


def _is_cut(text: str) -> bool:
    """Tell whether a command ends within an option, as one that is wider than its screen."""
    match = _LAST_OPTION.search(text[-_WIDEST:])
    return match is not None and match[1] not in _FLAGS


def _no_values(text: str) -> Iterator[str]:
    """Yield the words of a command that are no values of options: its options and its files."""
    match = _COMMAND.search(text)
    words = _END_OF_COMMAND.split(text[match.end() :])[0].split() if match else []
    given = [word.strip("\"'") for word in words]
    yield from (
        word for before, word in pairwise(["", *given]) if before.lstrip("-") not in _VALUED
    )


def told_of(name: str, commands: Sequence[Mapping[str, Mapping[str, str]]]) -> Conditions:
    """Return what commands in a row, whose reports stand below all of them, say alike of a job."""
    tests = [conditions(job) for command in commands for job in of_name(name, command)]
    return common(tests) if tests else UNKNOWN


def of_name(name: str, command: Mapping[str, Mapping[str, str]]) -> Iterator[Mapping[str, str]]:
    """Yield the options of the job that a command gives a name; people write it anew (`Test`).

    A loop gives names of its variables (`$rw-$bs`).
    """
    if name in command:
        yield command[name]
        return
    for other, job in command.items():
        if other.lower() == name.lower() or ("$" in other and _stands_for(other).fullmatch(name)):
            yield job


@lru_cache(maxsize=64)
def _stands_for(name: str) -> re.Pattern[str]:
    """Return the pattern of the names that variables in a name may give."""
    return re.compile(".+".join(map(re.escape, _A_VARIABLE.split(name))))


def of_header(job: Mapping[str, str], header: Conditions) -> Conditions:
    """Return what a command says of a job; a variable that is its mode has that of its header."""
    is_variable = "$" in job.get("rw", "") and header.mode
    return conditions({**job, "rw": header.mode} if is_variable else job)


def names_file(text: str) -> bool:
    """Tell whether a command names a job file, which may say more than its options."""
    return bool(files_of(text))


def files_of(text: str) -> set[str]:
    """Return the names of a command's job files, without their folders."""
    words = (word for word in _no_values(text) if _JOB_FILE.fullmatch(word))
    return {word.rpartition("/")[2] for word in words}


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return the options of a command line and their values, in their order."""
    match = _COMMAND.search(text)
    found = _GIVEN.findall(_STOP.split(text[match.end() :])[0]) if match else []
    return [(ALIASES.get(name, name), _bare(name, value)) for name, value in found]


def _bare(name: str, value: str) -> str:
    """Return a value without quotes and what a page writes behind it, as `4k测试`."""
    value = value.strip("\"'“”")
    if not value.isascii() and name not in _NAMES:
        value = _FOREIGN.sub("", value)
    return value.rstrip(_BEHIND).strip("\"'")
