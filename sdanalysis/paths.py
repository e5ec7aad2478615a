"""Where files lie: those that arguments name, the project's data, and how a file is written."""

import errno
import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

from sdanalysis.errors import SdAnalysisError

STANDARD_INPUT = "-"
STANDARD_OUTPUT = Path("/dev/fd/1")  # not there on Windows
_PACKAGE = Path(__file__).resolve().parent
INSTALLED = (_PACKAGE / "data").is_dir()  # a wheel: setup.py laid data and notebooks in here
PROJECT = _PACKAGE if INSTALLED else _PACKAGE.parent
OTHER_DATA = "SDANALYSIS_DATA"  # names another folder of data, to the kernels of notebooks too
DATA = Path(os.environ.get(OTHER_DATA) or PROJECT / "data").absolute()
NOTEBOOKS = PROJECT / "notebooks"
TEMPLATES = _PACKAGE / "report" / "templates"  # of every page

_SESSION = frozenset(["session.toml", "journal.jsonl"])  # what `sdanalysis bench` writes

_UNFINISHED = (".sdanalysis-", ".unfinished")
_HANDED_ON = re.compile(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d{1,4})", re.ASCII)
_STREAMS = {"stdout": 1, "stderr": 2}


def check_data(data: Path | str, *names: str) -> Path:
    """Return a folder of data in which all that is named is; SdAnalysisError where some is not."""
    folder = Path(data)
    if missing := [name for name in names if not (folder / name).exists()]:
        found = f"found no {', '.join(missing)} in it" if folder.is_dir() else "found no folder"
        expected = f"expected a folder of data, laid out as {PROJECT / 'data'} is"
        raise SdAnalysisError(f"{folder}: {found}, {expected}")
    return folder


def is_in_package(path: Path) -> bool:
    """Tell whether a path lies in the installed package, in which no command writes."""
    return INSTALLED and path.resolve().is_relative_to(_PACKAGE)


class InFolder(str):
    """The path of a file that lies in a folder which was named, and was not named itself.

    Where it holds no benchmark that is worth a note, no error: a folder holds other files as well.
    """

    __slots__ = ()


class LeftOut(InFolder):
    """The path of a file that is not read, and `why`: it gets a note."""

    why: str

    def __new__(cls, path: str, why: str = "") -> "LeftOut":  # another process sets `why` later
        """Return a path with its reason."""
        made = super().__new__(cls, path)
        made.why = why
        return made


def in_project(name: str) -> str:
    """Return a file, folder or glob that is there, else the one of this name in the project."""
    if Path(name).exists() or glob.glob(name, recursive=True):  # noqa: PTH207 - an absolute one, too
        return name
    place = PROJECT / name
    return str(place) if place.exists() else f"{glob.escape(str(PROJECT))}/{name}"


def only_folders(paths: Iterable[str]) -> bool:
    """Tell whether no file was named itself: then one at least is expected to hold something."""
    return all(isinstance(path, InFolder) for path in paths)


def expand(paths: Sequence[str], include: Sequence[str] = ()) -> list[str]:
    """Return the files that the arguments name: files, folders (all below), globs, `-`.

    Of the files in a folder, with `include` only those whose name, or path below the folder, one
    of its patterns matches. They are `InFolder`, unless they are named as well.
    """
    files: dict[str, str] = {}
    for name in paths:
        for path in sorted(walk([name], include)):
            if not isinstance(path, InFolder):
                files[path] = path
            else:
                files.setdefault(path, path)
    return list(files.values())


def walk(paths: Iterable[str], include: Sequence[str] = ()) -> Iterator[str]:
    """Yield what `expand` returns, as it is found: in no order, and twice what is named twice."""
    for name in paths:
        try:
            yield from _expand_name(name, include)
        except OSError as error:
            raise SdAnalysisError(f"{name}: found {error.strerror}, expected a name") from error


def _expand_name(name: str, include: Sequence[str]) -> Iterator[str]:
    """Yield the files that one argument names."""
    path = Path(name)
    if name == STANDARD_INPUT or (path.exists() and not path.is_dir()):
        yield name
    elif path.is_dir():
        yield from _expand_folder(name, path, include)
    else:
        names = glob.glob(name, recursive=True)  # noqa: PTH207 - an absolute pattern, too
        names = [name] if path.is_symlink() else names  # it may have a `[` in its name
        matches: list[str] = [_safe_path(match) for match in names if Path(match).is_file()]
        matches += [_dangling(_safe_path(match)) for match in names if not Path(match).exists()]
        if not matches:
            raise SdAnalysisError(f"{name}: found no such file, folder or match")
        yield from matches


def _expand_folder(name: str, folder: Path, include: Sequence[str]) -> Iterator[InFolder]:
    begin = 0 if str(folder) == "." else len(str(folder)) + 1
    is_empty, is_left_out = True, True
    for path in _files_below(str(folder)):
        is_empty = False
        relative = path[begin:]
        names = (relative, relative.rpartition(os.sep)[2])
        if not include or any(fnmatch(text, pattern) for pattern in include for text in names):
            is_left_out = False
            yield path if isinstance(path, InFolder) else InFolder(path)
    if is_empty:
        raise SdAnalysisError(f"{name}: found an empty folder, expected logs in it")
    if is_left_out:
        patterns = " or ".join(include)
        raise SdAnalysisError(f"{name}: found no file that matches {patterns}, expected logs in it")


def _files_below(folder: str) -> Iterator[str]:
    """Yield the files of a folder and of those in it; no path objects, for there are thousands."""
    try:
        entries = list(os.scandir(None if folder == "." else folder))
    except PermissionError:
        return
    is_session = {entry.name for entry in entries} >= _SESSION
    if session := folder if is_session else in_session(f"{folder}/log"):  # or its folder of logs
        yield from _logs_of(session)
        return
    for entry in entries:
        path = _safe_path(entry.path.removeprefix("./"))
        if entry.is_dir(follow_symlinks=False):
            yield from _files_below(path)
        elif entry.is_symlink() and not os.path.exists(path):  # noqa: PTH110 - as scandir above
            yield _dangling(path)
        elif entry.is_file() and not is_unfinished(entry.name):
            yield path


def _dangling(path: str) -> LeftOut:
    return LeftOut(path, "it is a link that leads to no file")


def in_session(path: str) -> str | None:
    """Return the folder of the session of `sdanalysis bench` that a log lies in, else None."""
    place = path.rpartition("/")[0]  # no path object: most of thousands are in no such folder
    session, _, name = place.rpartition("/")
    if name != "logs" or not all(Path(session, file).is_file() for file in _SESSION):
        return None
    return session or "."


def _logs_of(session: str) -> Iterator[str]:
    """Yield the logs of a session; those of steps that did not end well are left out."""
    for path in Path(session, "logs").iterdir():
        name = str(path)
        if path.name.endswith(".part"):
            yield LeftOut(name, "its step was cut short, or is at work")
        elif path.name.endswith(".failed.log"):
            yield LeftOut(name, "its step did not end well")
        elif path.suffix == ".log":
            yield name


def _safe_path(path: str) -> str:
    """Return the path of a file that was found, and that may have the name `-`."""
    return f"./{path}" if path == STANDARD_INPUT else path


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to, which takes its name when it is whole; before that, all stays.

    It is written beside its place under a name that nobody can foresee, so that two writers never
    meet and no link laid there is followed. The target of a link is written and the link stays, a
    file keeps its mode; what is no file (a pipe, /dev/null) is written straight.
    """
    try:
        descriptor = _duplicate(path)
        if descriptor is None and _is_no_file(path):
            descriptor = os.open(path, os.O_WRONLY)
        if descriptor is not None:
            with os.fdopen(descriptor, "wb") as file:
                yield file
        else:
            with _replacing(Path(os.path.realpath(path))) as file:
                yield file
    except OSError as error:
        raise SdAnalysisError(f"{path}: found {error.strerror}, expected to write it") from error


def _duplicate(path: Path) -> int | None:
    """Return a new descriptor of what /dev/stdout and its like name: opened anew, it is cut."""
    match = _HANDED_ON.fullmatch(str(path))
    number = _STREAMS.get(match[1]) or int(match[2]) if match else None
    return None if number is None else os.dup(number)


def is_stream(path: Path) -> bool:
    """Tell whether a path names no file but what is handed on: /dev/stdout, a pipe, /dev/null."""
    return bool(_HANDED_ON.fullmatch(str(path))) or (_is_no_file(path) and not path.is_dir())


def _is_no_file(path: Path) -> bool:
    return path.exists() and not path.is_file()


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    """Give a file that replaces another when it is on the disk, with its mode and owner."""
    import secrets  # here, for most commands write no file

    before = target.stat() if target.exists() else None
    if before and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    unfinished = target.with_name(f"{_UNFINISHED[0]}{secrets.token_hex(12)}{_UNFINISHED[1]}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # refused where anything, a link too, has the name
    descriptor = os.open(unfinished, flags, 0o600 if before else 0o666)  # the umask takes its part
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            if before:
                _restore_mode(file.fileno(), before)
            os.fsync(file.fileno())  # else a power cut after the renaming could leave it empty
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    with suppress(OSError):  # the new name, too, where the system knows how
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _restore_mode(descriptor: int, before: os.stat_result) -> None:
    """Give a new file the owner, where we may, and the mode of the one that it replaces."""
    if not hasattr(os, "fchmod"):  # Windows
        return
    with suppress(PermissionError):
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole, or leave it as it was."""
    with writing(path) as file:
        file.write(content)


def printable(name: str) -> str:
    r"""Return a name as text that every encoding of Unicode has, other bytes as their codes.

    The system names files by bytes, of which Python keeps what is not UTF-8 as half characters.
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def is_unfinished(name: str) -> bool:
    """Tell whether a file is what a killed writer left behind: nobody's log."""
    return name.startswith(_UNFINISHED[0]) and name.endswith(_UNFINISHED[1])


def same_file(path: Path | str, paths: Iterable[Path | str]) -> str | None:
    """Return which of some files is a file of another name (a link), None where none is.

    `-` is the file that standard input comes from. A pipe or a device is nobody's file.
    """
    identity = _identity(path)
    return next((str(name) for name in paths if identity and _identity(name) == identity), None)


def _identity(path: Path | str) -> tuple[int, int] | None:
    try:
        status = os.fstat(0) if path == STANDARD_INPUT else Path(path).stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
