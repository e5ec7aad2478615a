"""Kernels that share what all of them load: each is a fork of a process that has loaded it.

That process is the fork server of multiprocessing, as for the pool of `processes`. Where there is
none, or `shared` knows better, a kernel starts as it does everywhere else.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

_NAME = "sdanalysis-forks"
_LAUNCHER = [sys.executable, "-m", "ipykernel_launcher"]
_KNOWN = {"cwd", "env", "extra_arguments", "kernel_id"}  # what a fork can be given


def use(how: Any) -> None:
    """Let the kernels that this process starts be forks, by a context of multiprocessing."""
    ForkedKernel.how = how
    factory = KernelProvisionerFactory.instance()
    entry = f"{__name__}:{ForkedKernel.__name__}"
    factory.provisioners[_NAME] = EntryPoint(_NAME, entry, factory.GROUP_NAME)
    factory.default_provisioner_name = _NAME


class ForkedKernel(LocalProvisioner):
    """Starts a kernel as a fork where it can, as a process of its own where it cannot."""

    how: Any = None

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        """Start a kernel; return how it is reached."""
        quiet = getattr(options.get("stderr"), "name", "") == os.devnull
        known = _KNOWN | {"stderr"} if quiet else _KNOWN
        ordinary = cmd[:3] == _LAUNCHER and options.keys() <= known
        if self.how.get_start_method() != "forkserver" or not ordinary:
            return await super().launch_kernel(cmd, **options)
        self.cwd = options.get("cwd") or Path.cwd()
        environment = {**(options.get("env") or os.environ), "JPY_PARENT_PID": str(os.getpid())}
        given = (cmd, environment, str(self.cwd), quiet)
        self.process = _Fork(self.how.Process(target=_be, args=given))
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class _Fork:
    """What `LocalProvisioner` asks of a Popen, of a process of multiprocessing."""

    stdin = stdout = stderr = None

    def __init__(self, process: Any) -> None:
        process.start()
        self._process, self.pid = process, process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self) -> int | None:
        self._process.join()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def _be(command: Sequence[str], environment: Mapping[str, str], folder: str, quiet: bool) -> None:
    """Be the kernel of a command, until it or the process that asked for it ends."""
    from sdanalysis.report import shared

    os.setsid()  # Ctrl-C is not for kernels
    os.chdir(folder)
    if quiet:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    if not shared.would_be(environment):
        os.execve(command[0], command, environment)
    threading.Thread(target=_end_with_parent, name="Asked for", daemon=True).start()
    _become(environment)
    sys.path[:] = shared.loaded.path
    launcher, parent = sys.modules["ipykernel_launcher"].__file__, os.getppid()
    sys.argv[:] = [launcher, *command[3:], f"--IPKernelApp.parent_handle={parent}"]
    gc.set_threshold(100_000, 50, 100)  # what is loaded is no garbage, and a report soon ends
    sys.modules["numpy.random"].seed()  # Python's own is seeded anew in every fork
    sys.modules["ipykernel.kernelapp"].launch_new_instance()


def _become(environment: Mapping[str, str]) -> None:
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)
