"""Kernels that share what all of them load: each is a fork of a process that has loaded it.

Where that cannot be (no forks on Windows and macOS, another interpreter, another environment than
that of the process, a module that warns while it is loaded), a kernel starts as it does elsewhere.
"""

import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from sdanalysis.report.forks import KERNEL, LENGTH, PLACE

_NAME = "sdanalysis-forks"
_STREAMS = ("stdout", "stderr")
_KNOWN = {"cwd", "env", "extra_arguments", "kernel_id", *_STREAMS}  # what a fork can be given


def use(address: str) -> None:
    """Let kernels that this process starts be forks of the process with an address."""
    factory = KernelProvisionerFactory.instance()
    entry = f"{__name__}:{ForkedKernel.__name__}"
    factory.provisioners[_NAME] = EntryPoint(_NAME, entry, factory.GROUP_NAME)
    factory.default_provisioner_name = _NAME
    ForkedKernel.address = address


class ForkedKernel(LocalProvisioner):
    """Starts a kernel as a fork where it can, as a process of its own where it cannot."""

    address = ""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        """Start a kernel; return how it is reached."""
        options.get("env", {}).pop(PLACE, None)
        process = _fork(self.address, cmd, options) if self.address else None
        if process is None:
            return await super().launch_kernel(cmd, **options)
        self.process, self.pid, self.pgid = process, process.pid, process.pid
        self.cwd = options.get("cwd") or Path.cwd()
        return self.connection_info


class Fork:
    """A process that another has forked for this one: what `LocalProvisioner` asks of a Popen."""

    stdin = stdout = stderr = None

    def __init__(self, connection: socket.socket, pid: int) -> None:
        """Take the number of a process, and the connection that will tell its exit code."""
        self._connection, self.pid = connection, pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code; `None` while the process runs."""
        if self.returncode is None:
            self._connection.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                self._hear_of_its_end()
        return self.returncode

    def wait(self) -> int:
        """Wait for the end of the process; return its exit code."""
        if self.returncode is None:
            self._connection.setblocking(True)
            self._hear_of_its_end()
        return self.returncode or 0

    def _hear_of_its_end(self) -> None:
        self.returncode = _number(self._connection, -signal.SIGKILL)
        self._connection.close()

    def send_signal(self, number: int) -> None:
        """Send a signal to a process that still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)


def _fork(address: str, command: Sequence[str], options: Mapping[str, Any]) -> Fork | None:
    """Ask for a process; `None` where nobody answers, or would not do it."""
    streams = [_file(options.get(name), number) for number, name in enumerate(_STREAMS, start=1)]
    ordinary = list(command[:3]) == [sys.executable, "-m", KERNEL] and options.keys() <= _KNOWN
    if not ordinary or None in streams:
        return None
    environment = {**(options.get("env") or os.environ), "JPY_PARENT_PID": str(os.getpid())}
    folder = str(Path(options.get("cwd") or "").absolute())
    request = {"command": list(command), "environment": environment, "folder": folder}
    content = json.dumps(request).encode()
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(address)
        socket.send_fds(connection, [LENGTH.pack(len(content))], streams)
        connection.sendall(content)
        pid = _number(connection, 0)
    except OSError:  # it has ended
        pid = 0
    if not pid:
        connection.close()
        return None
    return Fork(connection, pid)


def _file(stream: Any, number: int) -> int | None:
    """Return the number of the file that a stream is to be; `None` for a pipe and the like."""
    if stream is None:
        return number
    if isinstance(stream, int):
        return stream if stream >= 0 else None
    return stream.fileno()


def _number(connection: socket.socket, otherwise: int) -> int:
    """Return the next number that was told, another where the connection has ended."""
    try:
        told = connection.recv(LENGTH.size, socket.MSG_WAITALL)
    except ConnectionError:
        told = b""
    return LENGTH.unpack(told)[0] if len(told) == LENGTH.size else otherwise
