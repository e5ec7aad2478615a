"""The process that kernels are forks of: it has loaded what notebooks import, once for all.

`shared` starts it, in the environment of the kernels to be; `kernels` asks it. It answers each
connection with the number of a new process, later with its exit code, and ends the process
when the connection is closed. It ends itself, and all kernels, with the process that started it.

A kernel so made is what it would be on its own: where what it would have loaded is something else
(a module beside the notebook, another matplotlibrc), it starts afresh.
"""

import contextlib
import gc
import io
import json
import os
import select
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module, util
from pathlib import Path
from typing import Any

from sdanalysis.report import reads

PLACE = "KERNELS_OF_SDANALYSIS"  # the address, in the environment of who asks
LENGTH = struct.Struct("!i")  # of a request, of a number in an answer
KERNEL = "ipykernel_launcher"
# Of the environment, what the modules do not look at while they are loaded.
_OF_A_RUN = ("JPY_", "PYTEST_", "SDANALYSIS_SVG", "COLUMNS", "LINES", "PWD", "OLDPWD", PLACE, "_")
_NO_FORKS = ("win32", "darwin")  # macOS: what numpy computes with there breaks in a fork
INLINE = "module://matplotlib_inline.backend_inline"  # what a kernel draws with, unless told
_SERVE = (
    "import sys; sys.path[:1] = filter(None, sys.path[:1]); "
    "from sdanalysis.report.forks import serve; serve(*map(int, sys.argv[1:]))"
)
_FIRST = ("ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "IPython.core.magics")
# What most notebooks of the project load, at once or where they use it.
_LOADED = (
    "numpy.random", "pandas", "PIL.PngImagePlugin", "scipy.stats", "matplotlib.pyplot",
    "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "seaborn",
    "sdanalysis.audit", "sdanalysis.claims", "sdanalysis.dataset", "sdanalysis.my_card",
    "sdanalysis.plots.show", "sdanalysis.plots", "sdanalysis.sources.explain", "sdanalysis.stats",
)  # fmt: skip


@contextlib.contextmanager
def shared(*, at_once: bool) -> Iterator[str]:
    """Hold ready what kernels are forks of; yields its address, empty where there are no forks.

    Where the environment names one that is ready, it is that one. It loads what kernels share at
    once, or when there is a first kernel.
    """
    if os.environ.get(PLACE) or sys.platform in _NO_FORKS:
        yield os.environ.get(PLACE, "")
        return
    folder = tempfile.mkdtemp(prefix="kernels-")
    address = str(Path(folder, "s"))
    waits, alive = os.pipe()  # closed when this process ends, however it does
    process = None
    try:
        process = _start(address, waits)
        if at_once:
            with socket.socket(socket.AF_UNIX) as first:
                first.connect(address)
        yield address
    finally:
        os.close(alive)
        if process:
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _start(address: str, waits: int) -> subprocess.Popen[bytes]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        ends = (listener.fileno(), waits)
        command = [sys.executable, "-c", _SERVE, *map(str, ends)]
        environment = {name: text for name, text in os.environ.items() if name != PLACE}
        process = subprocess.Popen(
            command, pass_fds=ends, stdin=subprocess.DEVNULL, start_new_session=True,
            env=environment,
        )  # fmt: skip
    os.close(waits)
    return process


def serve(listening: int, alive: int) -> None:
    """Be a kernel for each connection to a socket, until a pipe is closed.

    The modules are loaded when the first connection is made; each must be a request or be closed.
    Where loading them says anything, or changes the environment, nothing is served: a notebook
    would have heard it. Kernels are then started as they always were.
    """
    listener = socket.socket(fileno=listening)
    if alive in select.select([listener, alive], [], [])[0]:
        return
    alone = set(load(_FIRST, {"JPY_PARENT_PID": str(os.getpid())}) or ())
    heard: list[str | None] = []
    reads.listen(heard.append)
    loaded = load(_LOADED, {"MPLBACKEND": os.environ.get("MPLBACKEND") or INLINE})
    if not alone or loaded is None or threading.active_count() > 1:
        return
    reads.known = tuple(heard)
    drawn_by = _matplotlibrc()
    gc.collect()
    gc.freeze()  # shared with every kernel, and never looked through again
    request = _Nursery(listener, alive).wait()
    if request is None:
        os._exit(0)  # the kernels have ended; to take down a thousand modules takes its time
    if _matplotlibrc() != drawn_by or _beside({name for name in loaded - alone if "." not in name}):
        os.execve(request["command"][0], request["command"], request["environment"])
    _be_kernel()


def load(names: tuple[str, ...], environment: Mapping[str, str]) -> set[str] | None:
    """Import modules; return the names of all that are loaded, `None` if anything was said."""
    before, said = dict(os.environ), io.StringIO()
    os.environ.update(environment)
    during = dict(os.environ)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            for name in names:
                import_module(name)
    except Exception:  # the notebook that needs it will say so
        return None
    finally:
        same = dict(os.environ) == during
        _become_environment(before)
    return set(sys.modules) if same and not said.getvalue() else None


def settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what of an environment may decide what a module is once it is loaded."""
    return {name: text for name, text in environment.items() if not name.startswith(_OF_A_RUN)}


class _Nursery:
    """Forks a process for each request, and tells whoever asked what became of it."""

    def __init__(self, listener: socket.socket, alive: int) -> None:
        self._listener, self._alive = listener, alive
        self._asked_by: dict[int, socket.socket] = {}
        self._ended, ended = os.pipe()
        for end in (self._ended, ended):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ended, warn_on_full_buffer=False)
        self._selector = selectors.DefaultSelector()
        self._hear(listener, self._answer)
        self._hear(self._ended, self._reap)
        self._wakes = ended

    def _hear(self, source: Any, answer: Callable[[], Any]) -> None:
        self._selector.register(source, selectors.EVENT_READ, answer)

    def wait(self) -> dict[str, Any] | None:
        """Return the request of the process that this one has become; `None` at the end."""
        self._selector.register(self._alive, selectors.EVENT_READ, None)
        while True:
            for key, _ in self._selector.select():
                if key.data is None:
                    for pid in self._asked_by:
                        _kill(pid)
                    return None
                request = key.data()
                if request:
                    return request

    def _answer(self) -> dict[str, Any] | None:
        """Fork for whoever has asked; return the request in the process that is to be a kernel."""
        connection, _ = self._listener.accept()
        streams: list[int] = []
        try:
            request = receive(connection, streams)
            if settings(request["environment"]) != settings(os.environ):
                raise ValueError
            pid = self._fork(connection)
        except (OSError, ValueError):  # it would be another kernel, or whoever asked is no more
            connection.close()
            request, pid = None, -1
        if pid == 0:
            _become(request, streams)
            return request
        for stream in streams:
            os.close(stream)
        return None

    def _fork(self, connection: socket.socket) -> int:
        pid = os.fork()
        if pid == 0:
            connection.close()
            self._forget()
        else:
            self._asked_by[pid] = connection
            self._hear(connection, lambda: self._end(pid, connection))
            _tell(connection, pid)
        return pid

    def _end(self, pid: int, connection: socket.socket) -> None:
        self._selector.unregister(connection)
        connection.close()
        _kill(pid)

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._ended, 4096)
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                connection = self._asked_by.pop(pid)
                if connection.fileno() >= 0:
                    self._selector.unregister(connection)
                    _tell(connection, os.waitstatus_to_exitcode(status))
                    connection.close()

    def _forget(self) -> None:
        """Close all that the new process must not hold open."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        self._listener.close()
        for connection in self._asked_by.values():
            connection.close()
        for end in (self._alive, self._ended, self._wakes):
            os.close(end)


def receive(connection: socket.socket, streams: list[int]) -> dict[str, Any]:
    """Return a request; add the files that are to be the standard streams of its process."""
    head, files, *_ = socket.recv_fds(connection, LENGTH.size, 2)
    streams += files
    if len(head) < LENGTH.size:
        raise ConnectionError
    return json.loads(connection.recv(LENGTH.unpack(head)[0], socket.MSG_WAITALL))


def _tell(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # it is no more
        connection.sendall(LENGTH.pack(number))


def _kill(pid: int) -> None:
    """End a process and what it started; one that has no session of its own yet, alone."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            end(pid, signal.SIGKILL)


def _become(request: Mapping[str, Any], streams: list[int]) -> None:
    """Take session, streams, environment, folder and arguments of a kernel; seed what is random."""
    os.setsid()
    for number, stream in enumerate(streams, start=1):
        os.dup2(stream, number)
        os.close(stream)
    _become_environment(request["environment"])
    os.chdir(request["folder"])
    launcher = util.find_spec(KERNEL)
    sys.argv[:] = [launcher.origin or KERNEL if launcher else KERNEL, *request["command"][3:]]
    sys.modules["numpy.random"].seed()  # Python's own is seeded anew in every fork


def _become_environment(environment: Mapping[str, str]) -> None:
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    for name, value in environment.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def _matplotlibrc() -> str:
    return sys.modules["matplotlib"].matplotlib_fname()  # one of this folder goes first


def _beside(names: set[str]) -> bool:
    """Whether a module of this folder would be found before one that is loaded."""
    here = Path.cwd().iterdir() if os.access(".", os.R_OK) else ()
    return any(_elsewhere(name) for name in names & {path.name.partition(".")[0] for path in here})


def _elsewhere(name: str) -> bool:
    places = [os.path.realpath(place) for place in getattr(sys.modules[name], "__path__", ())]
    return os.path.realpath(name) not in places


def _be_kernel() -> None:
    """Run a kernel, which ends this process."""
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()
