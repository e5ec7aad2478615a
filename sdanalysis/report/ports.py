"""Ports for the kernels: fixed before they start, so that no two kernels are given one.

Left to itself, each kernel manager looks for free ports and lets them go again; until its kernel
takes them, another manager may find the same ones, or the system may lend them to an outgoing
connection. The kernel is then waited for in vain. These ports lie below the range that systems
lend (32768 upwards on Linux, 49152 by RFC 6335), and each notebook of a run has its own share.
"""

import random
import socket

NAMES = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
_LENT_FROM = 32768
_FIRST = 20000


def free_ports(number: int, of: int) -> dict[str, int]:
    """Return a free port of 127.0.0.1 for each of `NAMES`, from one share (0, 1, ...) of all."""
    share = range(_FIRST + number, _LENT_FROM, of)
    found: list[int] = []
    for port in random.sample(share, len(share)):
        if _is_free(port):
            found.append(port)
        if len(found) == len(NAMES):
            return dict(zip(NAMES, found, strict=True))
    raise OSError(f"no free ports between {_FIRST} and {_LENT_FROM}")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
