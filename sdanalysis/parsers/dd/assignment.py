"""Which pasted command a report belongs to: only one that nothing contradicts.

The rule: of the lines since the result before (at most 15), a command is the report's when it
stands there alone, or last and right above the report, behind a prompt or parted by words from
those above it and with no other report below. Several that say the same speak for as many reports;
several in one line of a shell belong to the reports that follow without anything between, in turn,
and those of a pasted script to as many reports that stand together further below (scripts.py).
Where there is none, zsh or perf may have named it right below the report. A command is
nobody's when a word beside the report says the other direction, or when it cannot
have copied so much; of several it is the report's if all others cannot.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.dd.beside import (
    BLOCK_SIZE,
    LABEL_LENGTH,
    LOOKED_BACK,
    UNFIT,
    Assignment,
    Place,
    Scripted,
    echoed,
    edited,
    fits,
    is_part,
    labels_of,
    names_other_flags,
    printed_block_size,
    titled,
    told_block_size,
)
from sdanalysis.parsers.dd.command_lines import command_lines
from sdanalysis.parsers.dd.commands import LOOP, Command, CommandLine, command_line
from sdanalysis.parsers.dd.words import (
    counts,
    has_figures,
    is_quiet,
    is_timed,
    message,
)

_ECHOED = 3  # lines that a loop writes between its runs
PROMPT = re.compile(r"(?:^|@.*|~|\])[$#%](?:\s|$)")
_ITEM = re.compile(r"\s*(?:(?:[*+•-]|[0-9]{1,3}[.)])\s{1,4})?")


class Turn(NamedTuple):
    """The commands that reports take in turn, in a loop again and again; or why they do not.

    `until`: the index of a line behind which a report has nothing to do with them. `is_taken`: the
    last of them, `last`, was that of a report. `others` stand beside them, above the same report.
    `listed`: all of them, where words part them from what they gave; each may give several reports.
    """

    commands: tuple[Command, ...] = ()
    repeats: bool = False
    why: str = ""
    until: int = 0
    is_taken: bool = False
    last: Command | None = None
    others: tuple[Command, ...] = ()
    listed: tuple[Command, ...] = ()

    def after(self, found: Assignment, last: int) -> Turn:
        """Return the turn after one report, whose last line has the index `last`."""
        if found.why:
            return self._replace(commands=())
        again = self.commands[:1] if self.repeats else ()
        left = (*self.commands[1:], *again)
        if self.commands and not left:
            until = last + LOOKED_BACK
            return self._replace(commands=(), until=until, is_taken=True, last=self.commands[-1])
        return self._replace(commands=left)


def assign(
    shown: Sequence[Line], place: Place, since: int, turn: Turn, scripted: Scripted
) -> tuple[Assignment, Turn]:
    """Return what the commands above a report say of it, and whose turn it is after it.

    `since` is the index of the first line below the report before.
    """
    above = range(max(since, place.first - LOOKED_BACK), place.first)
    if printed := _printed(shown, above, place, scripted):
        return printed
    begun = (one.first for one in scripted.scripts if one.first < above.start <= one.last)
    first = max(since, next(begun, above.start))
    while first > since and command_line(shown[first].text) and command_line(shown[first - 1].text):
        first -= 1
    above = range(first, place.first)
    turn, start = _turn(shown, above, place, turn, since)
    if not turn.commands and (timed := _timed(shown, place.last + 1)).commands:
        turn = timed
    found = _checked(shown, range(start, place.first), place, turn)
    return found, turn.after(found, place.last)


def _printed(
    shown: Sequence[Line], above: range, place: Place, scripted: Scripted
) -> tuple[Assignment, Turn] | None:
    """Return what a script says of a report that it printed, unless a word beside contradicts."""
    command = scripted.in_turn.get(place.first)
    found = _checked(shown, above[-1:], place, Turn((command,))) if command else Assignment()
    if found.command is None:
        return None
    commands = [one.commands for one in scripted.scripts if one.last < place.first][-1]
    why = "found another report below those of the commands above it, and no command of its own"
    return found, Turn(why=why, until=place.last + LOOKED_BACK, listed=commands)


def _turn(
    shown: Sequence[Line], above: range, place: Place, turn: Turn, since: int
) -> tuple[Turn, int]:
    """Return whose turn it is at a report, and where the lines below the command begin."""
    lines = command_lines(shown, above)
    lines = (place.size and _may_copy(lines)) or lines
    if not lines:
        return _continued(shown, range(since, place.first), turn, place), above.start
    index, last = lines[-1]
    below = range(index + 1, place.first)
    near = _adjoins(shown, below, messages=True)
    is_last = near and (last.prompted or _is_apart(shown, lines, place))
    others: tuple[Command, ...] = ()
    if able := _able(lines[-1:] if is_last else lines, place):
        rest = [line for number, line in lines if number != able[0]]
        if _are_parted(shown, lines):  # the same ones stand for one run
            rest = [line for line in rest if line.commands != able[1].commands]
        others = tuple(each for line in rest for each in line.commands)
        index, last = able
        lines, below = [able], range(index + 1, place.first)
    if (len(lines) == 1 or is_last) and (able or _is_in_turn(shown, last, below, place)):
        repeats = last.repeats or _is_in_loop(shown, index)
        listed = (*last.commands, *others) if not _adjoins(shown, below) else ()
        return Turn(last.commands, repeats, others=others, listed=listed), below.start
    if len(told := {command for _, line in lines for command in line.commands}) == 1:
        return Turn((*told,) * len(lines)), below.start
    numbers = ", ".join(str(shown[number].number) for number, _ in lines)
    where = f"line{'s' * (len(lines) > 1)} {numbers}"
    why = f"found several commands above it ({where}), expected one"
    listed = tuple(command for _, line in lines for command in line.commands)
    return Turn(why=why, until=place.first + LOOKED_BACK, listed=listed), below.start


def _may_copy(lines: Sequence[tuple[int, CommandLine]]) -> list[tuple[int, CommandLine]]:
    """Return the lines without commands of `count=0`, which copy nothing."""
    kept = (
        (index, line._replace(commands=tuple(one for one in line.commands if one.blocks != 0)))
        for index, line in lines
    )
    return [(index, line) for index, line in kept if line.commands]


def _able(lines: Sequence[tuple[int, CommandLine]], place: Place) -> tuple[int, CommandLine] | None:
    """Return the line with the only command that can have made a report; None if there is none.

    It stands there alone, or in a pipe of several, of which two have a report each.
    """
    commands = [command for _, line in lines for command in line.commands]
    is_pipe = len(lines) == 1 and not lines[0][1].in_turn and len(set(commands)) > 1
    able = _only(commands, place) if len(lines) > 1 or is_pipe else None
    if able is None:
        return None
    if is_pipe:
        rest = [command for command in commands if command != able]
        (index, line), asked = lines[0], (able, *(rest if len(rest) == 1 else ()))
        return index, line._replace(commands=asked)
    alone = [(index, line) for index, line in lines if line.commands == (able,)]
    return alone[0] if alone else None


def _only(commands: Sequence[Command], place: Place) -> Command | None:
    """Return the only one of several commands that can have made a report, and bears it out."""
    size, counts = place.size, place.counts
    if not size and counts != (0, 0):
        return None  # it cannot be read
    able = [
        command
        for command in dict.fromkeys(commands)
        if (command.fits(size, counts, place.begun) if size else command.blocks == 0)
    ]
    exact = [one for one in able if one.asked == size]
    if exact and all(one.endless for one in able if one not in exact):
        able = exact  # what never ends gives all that it is asked for, but to an error
    return able[0] if len(able) == 1 and able[0].is_borne_out(size, counts) else None


def _are_parted(shown: Sequence[Line], lines: Sequence[tuple[int, CommandLine]]) -> bool:
    """Tell whether words part the last command from the one above it."""
    return len(lines) > 1 and not _adjoins(shown, range(lines[-2][0] + 1, lines[-1][0]))


def _is_apart(
    shown: Sequence[Line], lines: Sequence[tuple[int, CommandLine]], place: Place
) -> bool:
    """Tell whether words part the last command from those above it, and no second report follows.

    Several reports below several commands are theirs, nobody knows whose.
    """
    if not _are_parted(shown, lines):
        return False
    if lines[-2][1].commands == lines[-1][1].commands:
        return True
    for line in shown[place.last + 1 : place.last + 1 + LOOKED_BACK]:
        if command_line(line.text):
            return True
        if has_figures(line.text):
            return False
    return True


def _timed(shown: Sequence[Line], below: int) -> Turn:
    """Return the command that zsh names with its times right below a report."""
    if below == len(shown) or not is_timed(shown[below].text):
        return Turn()
    line = command_line(shown[below].text)
    return Turn(line.commands) if line and len(line.commands) == 1 else Turn()


def _continued(shown: Sequence[Line], between: range, turn: Turn, place: Place) -> Turn:
    """Return the turn at a report without a command of its own since the one before.

    In a loop with others at work, what these print may stand between runs of as many blocks: all of
    them, if its source never ends. In a list below a command, all items of as many bytes are its.
    """
    if turn.last and _is_next_item(shown, between, place):
        return turn._replace(commands=(turn.last,))
    if (turn.is_taken or turn.why) and between.stop <= turn.until:
        return _of_others(shown, between, turn, place)
    if turn.why:
        return Turn()
    if not turn.commands or _adjoins(shown, between):
        return turn
    texts = [shown[index].text for index in between]
    loops = turn.repeats and len(set(turn.commands)) == 1
    command = turn.commands[0]
    most = LOOKED_BACK if sum(place.counts or ()) == command.blocks else _ECHOED
    is_other = is_part(command, place) and not any(map(message, texts))
    if loops and not is_other and len(texts) <= most and not any(map(PROMPT.search, texts)):
        return turn
    return Turn()


def _of_others(shown: Sequence[Line], between: range, turn: Turn, place: Place) -> Turn:
    """Return the turn at a report below one that only one of several commands can have made."""
    able = _only((turn.last, *turn.others), place) if turn.last else None
    if able and able in turn.others:
        others = tuple(other for other in turn.others if other != able)
        return Turn((able,), others=others, listed=turn.listed)
    if turn.listed and (again := _again(shown, between, turn, place)):
        return Turn((again,), listed=turn.listed)
    if turn.why:
        return turn
    why = "found another report below the one of the command above it, and no command of its own"
    return turn._replace(why=why, is_taken=False, last=None)


def _again(shown: Sequence[Line], between: range, turn: Turn, place: Place) -> Command | None:
    """Return the listed command that has one more report, below words as the first: all it asks."""
    able = _only(turn.listed, place)
    if able is None or _adjoins(shown, between):
        return None
    ends = (shown[between.start - 1].text, shown[place.first].text)
    comments = any(text.lstrip().startswith("#") for text in ends)
    texts = [shown[index].text for index in between]
    is_shell = any(PROMPT.search(text) for text in texts if not (comments and text.startswith("#")))
    return able if able.asked == place.size and not is_shell else None


def _is_next_item(shown: Sequence[Line], between: range, place: Place) -> bool:
    """Tell whether a report is an item of a list, and the report right above it one like it.

    Lines of as many bytes without their counts are one, too: somebody gathered them.
    """
    if between or place.counts or not _ITEM.fullmatch(place.before):
        return False
    above = shown[between.start - 1].text
    before, found, _ = above.partition(f"{place.size} ")
    alike = _ITEM.fullmatch(before) and bool(before.strip()) == bool(place.before.strip())
    return bool(found and alike) and counts(shown[between.start - 2].text) is None


def _is_in_turn(shown: Sequence[Line], line: CommandLine, below: range, place: Place) -> bool:
    """Tell whether the first command of a line is the one whose report comes first."""
    if len(set(line.commands)) == 1:
        return True
    return line.in_turn and place.counts is not None and _adjoins(shown, below)


def _adjoins(shown: Sequence[Line], between: range, *, messages: bool = False) -> bool:
    """Tell whether the lines mean no other run; a message may be that of a run without report."""
    return all(
        is_quiet(text) or BLOCK_SIZE.fullmatch(text) or (messages and message(text))
        for text in (shown[index].text for index in between)
    )


def _is_in_loop(shown: Sequence[Line], index: int) -> bool:
    """Tell whether one of the lines right above begins a loop that has not ended."""
    for line in reversed(shown[max(index - 4, 0) : index]):
        if "done" in line.text and re.search(r"\bdone\b", line.text):
            return False
        if len(line.text) <= LABEL_LENGTH and LOOP.search(line.text):
            return True
    return False


def _checked(shown: Sequence[Line], below: range, place: Place, turn: Turn) -> Assignment:
    """Return the command whose turn it is, unless something at the report contradicts it."""
    printed = printed_block_size(shown, below, place) or told_block_size(shown, place)
    command = turn.commands[0] if turn.commands else None
    if command is None:
        op = titled(shown, place)
        able = {one for one in turn.listed if one.op == op and fits(one, place)}
        if len(able) != 1:
            return Assignment(block_size=printed, why=turn.why, op=op)
        command = able.pop()
    if command.block_size is None:
        size = printed or echoed(shown, below, place, command)
        command = command._replace(block_size=size)
    labels = labels_of(shown, below, place)
    if printed and printed != command.block_size:
        why = f"found bs={printed} above it, and a command of bs={command.block_size}"
    elif command.op in ("write", "read") and len(labels) == 1 and command.op not in labels:
        why = f"found the word {labels.pop()!r} beside it, and the command of a {command.op}"
    elif not fits(command, place):
        commands = {*turn.commands, *turn.others, *turn.listed}
        is_alone = len(commands) == 1 and not printed and _adjoins(shown, below)
        return edited(command, place) if is_alone else Assignment(block_size=printed, why=UNFIT)
    elif command.op != "copy" and names_other_flags(shown, below, place, command):
        why = "found words beside it of other flags than those of the command above it"
        return Assignment(block_size=command.block_size, why=why, op=command.op)
    else:
        return Assignment(command, command.block_size)
    return Assignment(block_size=printed, why=why)
