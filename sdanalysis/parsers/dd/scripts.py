"""A script, pasted or known by what it prints -> the reports below that it printed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.dd.beside import Place, Script, fits
from sdanalysis.parsers.dd.commands import LOOP, Command, CommandLine, command_line
from sdanalysis.parsers.dd.ending import Run
from sdanalysis.parsers.dd.words import counts, has_figures, is_quiet, is_timed
from sdanalysis.parsers.variables import filled

_APART = 10  # lines of a shell between two commands of a script
_SHELL = re.compile(
    r"\s*(?:[#{}:.!\[]|(?:sudo |time )?(?:echo|printf|sync|sleep|rm|cat|cp|mkdir|touch|cd|ls|date"
    r"|free|export|local|set|then|fi|if|function|hdparm|fio|iozone|u?mount|swapoff|blockdev|sysctl|exit"
    r"|exec|wait|lsblk|df|du|stat|vmtouch)\b|\w{1,40}\s?\(\)|[A-Za-z_]\w*=)"
)
_LOOPS = 4  # lines above the first command in which a loop may begin
_BRANCH = re.compile(r"\s*(?:el(?:se|if)|case)\b")
_FENCE = ("```", "~~~")


class KnownScript(NamedTuple):
    """What a known script prints above a run, and the block size and the blocks of that run.

    Each that writes does so with `conv=fsync`, hence waits for the medium.
    """

    words: str
    block_size: int
    blocks: int
    op: str = "write"
    adjoins: bool = False  # the words stand right above the report, else they begin the log


_KNOWN = (
    # microsd-benchmarks.sh: bs=8k count=50k
    KnownScript("Raspberry Pi Dramble microSD benchmarks", 8 * 1024, 50 * 1024),
    # Storage.sh of PiBenchmarks: bs=4k count=80k, since 2023 count=130k
    KnownScript("Running dd tests ...", 4 * 1024, 80 * 1024),
    KnownScript("Running dd tests ...", 4 * 1024, 130 * 1024),
    # rpi-benchmark of AikonCWD and its copies: bs=1M count=512, and that file with bs=1M
    KnownScript("Running DD WRITE test...", 1024 * 1024, 512, adjoins=True),
    KnownScript("Running DD READ test...", 1024 * 1024, 512, "read", adjoins=True),
)


def filled_in(shown: list[Line]) -> list[Line]:
    """Return the lines, their commands with the values of the variables that lines above set."""
    asked = [index for index, line in enumerate(shown) if "$" in line.text and "dd " in line.text]
    lines = list(shown) if asked else shown
    for index in asked:
        number, text = shown[index]
        if not has_figures(text) and command_line(text):
            lines[index] = Line(number, filled(text, shown, index))
    return lines


def scripts(shown: Sequence[Line]) -> list[Script]:
    """Return the scripts of a page: commands without a prompt, and only a shell's words between."""
    asked = {index: line for index in range(len(shown)) if (line := _asked(shown[index].text))}
    if sum(len(line.commands) for line in asked.values()) < 2:
        return []
    found: list[Script] = []
    held: list[int] = []
    for index, line in asked.items():
        if held and not _goes_on(shown, held[-1] + 1, index):
            found += _script(shown, held, asked)
            held = []
        if not line.prompted:
            held.append(index)
    return found + _script(shown, held, asked)


def _asked(text: str) -> CommandLine | None:
    """Return the commands of a line that runs them."""
    line = command_line(text) if "dd" in text else None
    is_run = line and line.commands and not is_timed(text) and not has_figures(text)
    return line if is_run else None


def _goes_on(shown: Sequence[Line], start: int, stop: int) -> bool:
    """Tell whether the lines between two commands are a shell's."""
    return stop - start < _APART and all(_is_shell(line.text) for line in shown[start:stop])


def _is_shell(text: str) -> bool:
    if text.lstrip().startswith(_FENCE) or counts(text):
        return False
    return bool(_SHELL.match(text) or _BRANCH.match(text) or LOOP.search(text))


def _script(
    shown: Sequence[Line], held: Sequence[int], asked: Mapping[int, CommandLine]
) -> list[Script]:
    """Return the script whose commands stand in these lines, if each is run once and in turn."""
    commands = tuple(command for index in held for command in asked[index].commands)
    if len(set(commands)) < 2:
        return []
    texts = [line.text for line in shown[max(held[0] - _LOOPS, 0) : held[-1]]]
    is_looped = any(LOOP.search(text) or _BRANCH.match(text) for text in texts)
    is_straight = all(asked[index].in_turn and not asked[index].repeats for index in held)
    return [Script(held[0], held[-1], commands)] if is_straight and not is_looped else []


def in_turn(
    shown: Sequence[Line], places: Sequence[Place], pasted: Sequence[Script]
) -> dict[int, Command]:
    """Return the commands of reports that a script above printed, by where these begin.

    Of a group of as many reports as the script has commands each must be one that its command can
    have made, and one all that its command asks for; where no command says how much, there must be
    several groups, and no others.
    """
    if not pasted:
        return {}
    found: dict[int, Command] = {}
    groups = _groups(shown, places)
    for group in groups:
        above = [script for script in pasted if script.last < group[0].first]
        commands = above[-1].commands if above else ()
        pairs = list(zip(commands, group, strict=False))
        if len(commands) != len(group) or not all(fits(*pair) for pair in pairs):
            continue
        is_all = any(command.asked == place.size for command, place in pairs)
        is_open = not any(command.asked for command in commands)
        is_sure = is_open and len(groups) > 1 and len({*map(len, groups)}) == 1
        if is_all or is_sure:
            found.update((place.first, command) for command, place in pairs)
    return found


def _groups(shown: Sequence[Line], places: Sequence[Place]) -> list[list[Place]]:
    """Return the reports that adjoin, but those right below a command of a session."""
    groups: list[list[Place]] = []
    since = 0
    for place in places:
        between = [line.text for line in shown[since : place.first]]
        asked = filter(None, map(command_line, between))
        if groups and all(map(is_quiet, between)):
            groups[-1].append(place)
        elif any(line.prompted for line in asked):
            groups.append([])
        else:
            groups.append([place])
        since = place.last + 1
    return [group for group in groups if group]


def known_script(lines: Sequence[Line], run: Run) -> KnownScript | None:
    """Return the known script that printed a report of as many bytes as its own has."""
    for script in _KNOWN:
        if run.transfer.size == script.block_size * script.blocks and _is_above(lines, script, run):
            return script
    return None


def _is_above(lines: Sequence[Line], script: KnownScript, run: Run) -> bool:
    """Tell whether a script's words stand above a report, right above it where they must."""
    if not script.adjoins:
        last = run.transfer.line.number
        return any(script.words in line.text for line in lines if line.number <= last)
    near = range(run.first - 2, run.first)
    texts = [line.text for line in lines if line.number in near and line.text.strip()]
    return bool(texts) and script.words in texts[-1]
