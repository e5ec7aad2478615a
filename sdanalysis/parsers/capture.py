"""The bytes of a log -> numbered lines, and the commands at a prompt with what each printed.

What a terminal, a page or a CI system puts around the output of a tool is taken away here, once:
encodings, ANSI codes, redrawn lines, fences, and one constant prefix before each line of a block
(an indentation, `> `, `# `, a stamp of one width). A prefix is overwritten with blanks, so
that lines and columns stay those of the file.
"""

from __future__ import annotations

import re
import shlex
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import dropwhile, takewhile
from operator import attrgetter
from typing import NamedTuple

TOOLS = ("dd", "ddrescue", "fio", "hdparm", "iozone")
_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_ANSI = re.compile(
    r"\x1b\[\?2004l\r?"  # end of bracketed paste: the shell returns the carriage
    r"|\x1b\[[0-9;?]*[ -/]*[@-~]"
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # the window's title
    r"|\x1b[ -/]*[0-~]"  # a character set: `tput sgr0` sends one
)
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)[^`\n]*$", re.MULTILINE)
_PREFIXES = re.compile(r"(?:> ?)+|#+ ")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? +")

_PROMPT = re.compile(
    r"\s*(?:\(\w[\w .-]*\) ?)?"  # a virtual environment
    r"(?:\[?[\w.-]+@[\w.-]+[^$#%>\n]{0,80}[$#%>❯] ?|[\w.~/:-]{0,60}[$#%❯] "
    r"|[\w.-]{1,40}:[~/][\w.~/-]{0,60} [\w.-]{0,30}[$#%❯] |\++ |> |❯ ?"
    r"|\$(?=(?:sudo )?(?:dd|ddrescue|fio|hdparm|iozone) )"
    r'|Script started on [^\[\n]{1,60}\[COMMAND=")'  # util-linux: `script -c`
)
_LONGEST = 4000  # letters of a line with a command: the shell's words take 1 us a letter
_HEADER_END = re.compile(r'" (?:<not executed|TERM=).*')
_SHELL_WORDS = {
    *("!", "(", "{", "do", "then", "else", "sudo", "time", "nice", "ionice", "env", "nohup"),
    *("exec", "command", "doas", "stdbuf", "setsid"),
}
_FIRST = re.compile(  # a command without a prompt: else the line is prose
    rf"\s*(?:(?:\S*/)?(?:g?dd|{'|'.join(TOOLS)})(?:\.exe)?\s|\w+=|[!({{]"
    rf"|(?:{'|'.join(filter(str.isalpha, sorted(_SHELL_WORDS)))})\s)"
)
_NO_RUN = {
    *("apt", "apt-get", "brew", "dnf", "yum", "pacman", "pip", "echo", "printf", "grep", "man"),
    *("which", "whereis", "type", "cat", "ls", "vi", "vim", "nano", "rm", "killall", "pkill"),
}
# what a line with a command holds: looked for first, in a tenth of a pattern's time
_RUNS = ("dd ", "fio ", "hdparm ", "iozone ", "ddrescue ")
_PROMPTS = ("$ ", "# ", "% ", "+ ", "❯")
_SEPARATORS = set(";|&<>()\n")
_REDIRECTIONS = {"<": (0,), ">": (1,), ">>": (1,), **dict.fromkeys(("&>", "&>>", ">&"), (1, 2))}
_SET = re.compile(r"\w+=")
_IS_ARGUMENT = re.compile(r"^-|[=/]|\.(?:fio|ini)\Z")  # of a run: an option, a job file, a device
_WORKED_OUT = re.compile(r"\$\(\([^()]*\)\)|\$\([^()|;&]*\)")
_NUMBERS = b"0123456789 \n"  # what long tables are made of
_LONG = 20_000  # letters: a text from here on is looked through without them first


class Call(NamedTuple):
    """One run of a tool that a command asks for: its name, its words as the shell splits them."""

    tool: str
    words: tuple[str, ...]
    files: tuple[str, str, str] = ("", "", "")  # where its standard files are redirected
    after: str = ""  # the sign that ends it: `;`, `&&`, `&`, `|`

    def value(self, name: str) -> str | None:
        """Return the last value of an operand (`bs=4k`), None where that is not given."""
        found = [word.partition("=")[2] for word in self.words if word.startswith(f"{name}=")]
        return found[-1] if found and "$" not in found[-1] else None

    def has(self, flag: str) -> bool:
        """Tell whether a flag is given: `--direct`, or `-I` alone or among others (`-aI`)."""
        if flag.startswith("--"):
            return flag in self.words
        return any(word[:1] == "-" and word[1:2] != "-" and flag[1:] in word for word in self.words)


class Command(NamedTuple):
    """A command at a prompt: its line, that behind its last line, and the calls of tools in it."""

    line: int
    first: int
    calls: tuple[Call, ...]

    def of(self, tool: str) -> tuple[Call, ...]:
        """Return the calls of one tool."""
        return tuple(call for call in self.calls if call.tool == tool)


class Capture:
    """The text of a log; lines in `taken` are known to a reader and give neither row nor word."""

    def __init__(self, text: str) -> None:
        """Clean the decoded text of a file."""
        if "\x1b" in text:
            text = _ANSI.sub("", text)
        if "\r" in text:
            lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
            text = "\n".join(lines)
        self.taken: set[int] = set()
        self.text = text if text.isascii() else text.replace("\xa0", " ")

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; `lines[0]` is line 1."""
        lines = self.text.split("\n")
        return lines if lines[-1] else lines[:-1]

    @property
    def is_whole(self) -> bool:
        """Whether the last line has its end: nothing of it was cut off."""
        return self.text.endswith("\n")

    @cached_property
    def holds(self) -> Callable[[str], bool]:
        """Whether a sign stands in the text: of a long one, in what is no number first."""
        text = self.text
        if len(text) < _LONG:
            return text.__contains__
        words = text.encode(errors="surrogatepass").translate(None, _NUMBERS)
        return lambda sign: sign.encode().translate(None, _NUMBERS) in words and sign in text

    def without_prefix(self) -> Capture:
        """Return the capture without fences, and with blanks for the prefixes of its blocks."""
        text = self.text
        if text.startswith("{") and text.endswith(("}", "}\n")):
            return self  # fio's JSON alone, which may be long
        if any(map(self.holds, ("```", "~~~"))):
            text = _FENCE.sub("", text)
        if any(map(self.holds, ("> ", "\n>", "# "))) or _STAMP.match(text):
            text = "\n".join(_blanked(text.split("\n")))
        return self if text == self.text else Capture(text)

    def numbers(self, signs: Iterable[str]) -> list[int]:
        """Return the numbers of the lines that hold one of some signs, sorted."""
        text, found = self.text, set()
        for sign in filter(self.holds, signs):
            number, end = 1, 0
            place = text.find(sign)
            while place >= 0:
                number += text.count("\n", end, place)
                found.add(number)
                end = text.find("\n", place)
                place = text.find(sign, end) if end >= 0 else -1
        return sorted(found)

    @cached_property
    def commands(self) -> Sequence[Command]:
        """The commands at a prompt, in the order of their lines."""
        found: list[Command] = []
        for number in self.numbers(_RUNS + _PROMPTS):
            is_below = not found or number >= found[-1].first
            if is_below and (command := _command(self.lines, number)):
                found.append(command)
        return found

    def command_above(self, line: int) -> Command | None:
        """Return the command that printed a line, None where none stands above it."""
        place = bisect_left(self.commands, line, key=attrgetter("line"))
        return self.commands[place - 1] if place else None


def decode(content: bytes) -> str:
    """Return the text of a file: UTF-8 or UTF-16 by its mark, else UTF-8, else Latin-1."""
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content.decode(encoding, errors="replace").rstrip("\N{REPLACEMENT CHARACTER}")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return content.decode("utf-8", errors="replace")
        return content.decode("latin-1")


def _blanked(lines: list[str]) -> list[str]:
    """Put blanks in the place of what stands before each line of a block."""
    # A block is what stands between two blank lines, or lines of the prefix alone.
    end = 0
    for number, first in enumerate(lines):
        match = _PREFIXES.match(first.lstrip()) or _STAMP.match(first)
        if match is None or number < end:
            continue
        if match.re is _STAMP:
            stamps = [*takewhile(bool, map(_STAMP.match, lines[number:]))]
            end, width = number + len(stamps), min(len(stamp[0]) for stamp in stamps if stamp)
        else:
            prefix = first[: len(first) - len(first.lstrip())] + match[0]
            end, width = number + 1, len(prefix)
            while end < len(lines) and f"{lines[end]} ".startswith(prefix):
                end += 1
        if end - number > 1:
            lines[number:end] = [" " * width + line[width:] for line in lines[number:end]]
    return lines


def _command(lines: Sequence[str], number: int) -> Command | None:
    """Return the command that begins at a line; one of no tool where its prompt leaves no doubt."""
    text = lines[number - 1]
    prompt = _PROMPT.match(text)
    runs_tool = "dd" in text or "fio" in text or "hdparm" in text or "iozone" in text
    if len(text) > _LONGEST or (not prompt and not (runs_tool and _FIRST.match(text))):
        return None
    words = text[prompt.end() if prompt else 0 :].strip()
    if prompt and prompt[0].endswith('"'):
        words = _HEADER_END.sub("", words)
    end = number
    while words.endswith("\\") and end < len(lines):
        words = f"{words[:-1]} {lines[end].removeprefix('>').strip()}"
        end += 1
    calls = calls_in(words, is_at_prompt=bool(prompt and prompt[0].strip())) if runs_tool else ()
    sign = prompt[0].strip() if prompt and words else ""
    is_command = calls or "@" in sign or sign in ("$", "+", "++", "❯")
    return Command(number, end + 1, calls) if is_command else None


@lru_cache(maxsize=512)  # a folder of logs repeats a few commands; shlex takes 60 us
def calls_in(command: str, *, is_at_prompt: bool) -> tuple[Call, ...]:
    """Return the calls of tools in a command line; without a prompt a tool is its first word."""
    return tuple(_calls(command, is_at_prompt))


def _calls(command: str, is_at_prompt: bool) -> Iterator[Call]:
    for words, files, after in _simple_commands(command):
        plain = list(dropwhile(lambda word: word in _SHELL_WORDS or _SET.match(word), words))
        is_wrapped = is_at_prompt or len(plain) < len(words)  # docker run ..., timeout 60 ...
        if not plain or plain[0] in _NO_RUN:
            continue
        place = next((place for place, word in enumerate(plain) if tool_of(word)), None)
        if place is None:  # sh -c "sync; dd ..."
            for word in plain if is_wrapped else ():
                if " " in word and any(tool in word for tool in TOOLS):
                    yield from _calls(word, is_wrapped)
        elif place and not is_wrapped:
            return
        elif any(map(_IS_ARGUMENT.search, plain[place + 1 :])):
            yield Call(tool_of(plain[place]), tuple(plain[place + 1 :]), files, after)


def tool_of(word: str) -> str:
    """Return the tool that a word names: `/usr/bin/fio`, `iozone.exe`, `gdd`; else nothing."""
    name = word.rpartition("/")[2].removesuffix(".exe")
    return "dd" if name == "gdd" else name if name in TOOLS else ""


def _simple_commands(command: str) -> Iterator[tuple[list[str], tuple[str, str, str], str]]:
    """Yield the words of each simple command of a line, its standard files, and what ends it."""
    plain, files = list[str](), ["", "", ""]
    words = iter([*_shell_words(command), ";"])
    for word in words:
        if word in _REDIRECTIONS:
            streams = _REDIRECTIONS[word]
            if plain and plain[-1] in ("1", "2") and word[0] == ">":
                streams = (int(plain.pop()),)
            file = next(words, "")
            for stream in streams:  # `2>&1`
                files[stream] = files[int(file)] if file in ("1", "2") else file
        elif not word or not set(word) <= _SEPARATORS:
            plain.append(word)
        else:
            if plain:
                yield plain, (files[0], files[1], files[2]), word
            plain, files = [], ["", "", ""]


def _shell_words(command: str) -> list[str]:
    """Return the words of a line and the signs between them; `$` for what the shell works out."""
    if not any(sign in command for sign in "'\"\\;|&`<>#()"):
        return command.split()
    command = _WORKED_OUT.sub("$", command) if "$(" in command else command
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";|&<>()")
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:  # a quotation that is not closed
        return command.split()
