"""Kernels as forks of one process: what they share, and that a notebook notices nothing else."""

import ast
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from jupyter_client import KernelManager
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from sdanalysis.report import kernels, processes, reads

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="no forks there")
ROOT = Path(__file__).parents[1]
LAUNCHER = "import sys; print('forkserver' in ' '.join(sys.orig_argv))"
STATE = """
import os, random, signal, sys, threading
import matplotlib, numpy
print({
    "folder": os.getcwd(), "path": sys.path, "arguments": sys.argv[:2], "main": __name__,
    "settings": {**{n: v for n, v in os.environ.items() if n != "JPY_SESSION_NAME"}},
    "session": os.getsid(0) == os.getpid(), "group": os.getpgid(0) == os.getpid(),
    "signals": [str(signal.getsignal(s)) for s in (signal.SIGCHLD, signal.SIGTERM)],
    "wakes": signal.set_wakeup_fd(-1), "options": str(dict(matplotlib.rcParams)),
    "backend": matplotlib.get_backend(), "threads": sorted(t.name for t in threading.enumerate()
        if t.name != "Asked for"),
    "input": sys.stdin.read(0),
    "modules": [m for m in sys.modules if m.startswith(("pytest", "_pytest"))],
})
"""
RANDOM = "import random, numpy; print(random.random(), numpy.random.rand())"


@contextmanager
def kernel(place, **options):
    """A started kernel and a function that runs code in it and returns what it prints."""
    manager = KernelManager(kernel_name="python3", transport_encryption="auto")
    manager.start_kernel(cwd=str(place), **options)
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)

    def run(code):
        printed = []
        client.execute_interactive(
            code, timeout=60, output_hook=lambda message: printed.append(message["content"])
        )
        return "".join(content.get("text", "") for content in printed)

    try:
        yield manager, run
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module", autouse=True)
def _kernels_are_forks(fork_server):
    factory = KernelProvisionerFactory.instance()
    before = factory.default_provisioner_name
    kernels.use(processes.context())
    yield
    factory.default_provisioner_name = before


def is_fork(run):
    return ast.literal_eval(run(LAUNCHER))


def test_a_kernel_is_a_fork_that_differs_in_nothing_a_notebook_asks_for(tmp_path, monkeypatch):
    with kernel(tmp_path) as (_, run):
        assert is_fork(run)
        forked = ast.literal_eval(run(STATE))
    monkeypatch.setattr(kernels.ForkedKernel, "launch_kernel", LocalProvisioner.launch_kernel)
    with kernel(tmp_path) as (_, run):
        assert not is_fork(run)
        alone = ast.literal_eval(run(STATE))
    assert forked == alone


def test_forks_draw_other_random_numbers(tmp_path):
    with kernel(tmp_path) as (_, first), kernel(tmp_path) as (_, second):
        assert set(first(RANDOM).split()) & set(second(RANDOM).split()) == set()


@pytest.mark.parametrize(("name", "text"), [("seaborn.py", "x = 1"), ("matplotlibrc", "")])
def test_what_stands_beside_a_notebook_goes_before_what_was_loaded(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with kernel(tmp_path) as (_, run):
        assert not is_fork(run)


def test_another_environment_is_no_fork(tmp_path):
    with kernel(tmp_path, env=os.environ | {"LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"}) as (_, run):
        assert not is_fork(run)


def test_a_kernel_that_dies_tells_its_exit_code_and_one_that_is_killed_the_signal(tmp_path):
    for code, expected in (("import os; os._exit(7)", 7), ("os.kill(os.getpid(), 9)", -9)):
        with kernel(tmp_path) as (manager, _):
            process = manager.provisioner.process
            client = manager.client()
            client.start_channels()
            client.execute("import os; " + code)
            assert process.wait() == expected
            assert process.poll() == expected
            client.stop_channels()


def test_a_kernel_whose_streams_are_somebodys_is_no_fork(tmp_path):
    with (
        Path(tmp_path, "errors").open("w") as errors,
        kernel(tmp_path, stderr=errors) as (_, run),
    ):
        run("import sys; print('beware', file=sys.__stderr__, flush=True)")
        assert not is_fork(run)
    assert "beware" in (tmp_path / "errors").read_text()


# A process that starts a kernel; it prints the kernel's number.
KILLED = """
import time
from jupyter_client import KernelManager
from sdanalysis.report import kernels, processes
if __name__ == "__main__":
    kernels.use(processes.context())
    manager = KernelManager(kernel_name="python3", transport_encryption="auto")
    manager.start_kernel()
    print(manager.provisioner.pid, flush=True)
    time.sleep(60)
"""


def test_a_process_that_is_killed_leaves_no_kernel():
    place = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", KILLED], env=place, stdout=subprocess.PIPE, text=True
    ) as process:
        number = int(process.stdout.readline())
        os.kill(number, 0)
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate(timeout=30)  # to the end: nobody holds the stream any more
    assert rest == ""


# Loads a part of what kernels share (that all of it says nothing, the forks above tell), then other
# modules; it prints whether kernels may be forks.
LOADING = """
import os
from sdanalysis.report import shared
print("none", shared.would_be(os.environ))
shared.loaded = shared.load(["matplotlib"])
print("some", shared.would_be(os.environ))
for name in ("quiet_one", "loud_one", "loud_one_too", "broken_one"):
    print(name, bool(shared.load([name])))
"""


def test_where_a_module_says_something_while_it_is_loaded_kernels_start_afresh(tmp_path):
    (tmp_path / "quiet_one.py").write_text("")
    (tmp_path / "loud_one.py").write_text("import warnings; warnings.warn('beware')")
    (tmp_path / "loud_one_too.py").write_text("import os; os.environ['LOUD'] = '1'")
    (tmp_path / "broken_one.py").write_text("1 / 0")
    place = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])}
    done = subprocess.run(
        [sys.executable, "-c", LOADING],
        check=True,
        env=place,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split("\n")[:-1] == [
        "none False", "some True",
        "quiet_one True", "loud_one False", "loud_one_too False", "broken_one False",
    ]  # fmt: skip
    assert done.stderr == ""


def test_a_note_begins_with_what_was_read_before_the_fork(tmp_path, monkeypatch):
    monkeypatch.setattr(reads, "known", ("a/matplotlibrc",))
    monkeypatch.setattr(reads, "listen", lambda tell: None)
    reads.record(str(tmp_path / "note"))
    assert reads.recorded(tmp_path / "note") == ["a/matplotlibrc"]
