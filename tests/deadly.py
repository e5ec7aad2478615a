"""Work that dies, for the processes of a test: it imports little, so that they start at once."""

import os
import signal
from pathlib import Path


def names_unless_killed(logs, deadly, *, flags, killer, always):
    """Work that dies of one log: the first time, or each time."""
    for log in logs:
        flag = Path(flags) / log.path
        if log.path == killer and log.path not in deadly and (always or not flag.exists()):
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return [log.path for log in logs if log.path not in deadly]
