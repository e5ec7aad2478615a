"""Ends what a run of notebooks started, however the run ends: by itself, or killed.

    python guard.py FOLDER

It waits until nobody holds the other end of its standard input. Then it kills every process whose
environment names the folder as that of its run, and removes the folder. It imports nothing of the
package, for it starts with every run.
"""

import contextlib
import os
import shutil
import sys
import time

RUN = "SDANALYSIS_RUN"  # the variable that names the folder of a run, in all that it starts
_AGAIN = 0.3  # seconds after which a process that was just being started has its environment


def main(folder: str) -> None:
    """Wait for the end of the run, and clear up after it."""
    is_done = sys.stdin.buffer.read() == b"done"
    while _kill_all(folder) or not is_done:
        is_done = True
        time.sleep(_AGAIN)
    shutil.rmtree(folder, ignore_errors=True)


def _kill_all(folder: str) -> bool:
    """Kill the processes of a run; return whether there were any."""
    import psutil

    found = False
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and process.environ().get(RUN) == folder:
                found = True
                process.kill()
    return found


if __name__ == "__main__":
    main(sys.argv[1])
