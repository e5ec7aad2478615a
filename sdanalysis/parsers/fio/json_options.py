"""The options that hold for an entry of fio's JSON: with `group_reporting` not all that it prints.

An entry is then the sum of its group, and its options are those of one section of the job file.
`job_runtime` is a sum, too, and no process of the group ran longer than the entry: where it is
longer than the processes of that section can have run, others ran beside it. So they did where
data moved in a direction that the section did not ask for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sdanalysis.parsers.fio.json_objects import Document, count_of, used
from sdanalysis.parsers.fio.options import (
    DEFAULTED,
    canonical,
    conditions,
    moves,
    without_defaults,
)

_READS_TOO = re.compile("verify|read_iolog|replay")  # whatever the mode is
_UNKNOWN = "?"  # as an option's value: nothing that `conditions` reads


def options_of(document: Document, entry: dict) -> dict[str, object] | None:
    """Return the options of a job, those of all jobs first; None where there are none."""
    shared, own = document.content.get("global options"), entry.get("job options")
    if isinstance(shared, list):  # the client's form
        shared = shared[0] if shared else None
    given = [part if isinstance(part, dict) else None for part in (shared, own)]
    if given == [None, None]:
        return None
    everywhere, here = (canonical(part or {}) for part in given)
    options = {**everywhere, **here}
    return _of_several(everywhere, here, used(entry)) if _is_of_several(entry, options) else options


def has_others(job_runtime: int, time: int, numjobs: int) -> bool:
    """Tell whether more than `numjobs` processes ran: clearly, for both times (ms) are rounded.

    One that ran less than a quarter of the longest time is not seen.
    """
    return job_runtime > (numjobs * 1.01 + 0.25) * (time + 2)


def _is_of_several(entry: dict, options: Mapping[str, object]) -> bool:
    """Tell whether others ran than the processes that the options of an entry ask for."""
    job_runtime, directions = count_of(entry.get("job_runtime")), used(entry)
    known = conditions(options)
    times = [count_of(entry[direction].get("runtime")) for direction in directions]
    if not (job_runtime and known.numjobs and times) or None in times:
        return False
    if any(_READS_TOO.search(name) for name in options):  # when all is written, or what is recorded
        return has_others(job_runtime, sum(filter(None, times)), known.numjobs)
    is_asked = all(moves(known, direction) for direction in directions if direction != "mixed")
    return not is_asked or has_others(job_runtime, max(time or 0 for time in times), known.numjobs)


def _of_several(
    shared: Mapping[str, object], own: Mapping[str, object], directions: list[str]
) -> dict[str, object]:
    """Return what the options of all jobs say, but for what one job is known to do otherwise.

    What has a default and is not said is not known.
    """
    other = {key for key, value in own.items() if value != shared.get(key)}
    other |= {name for names in DEFAULTED if not other.isdisjoint(names) for name in names}
    said = without_defaults({key: shared[key] for key in shared.keys() - other - {"numjobs"}})
    if not all(moves(conditions(said), direction) for direction in directions):
        said["rw"] = _UNKNOWN
    return said
