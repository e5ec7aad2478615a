"""Run `sdanalysis` with these arguments; at the end print its processor seconds and most memory.

Linux hands `ru_maxrss` down from the process that started this one, so its starter cannot ask.
"""

import resource
import sys
import time
from pathlib import Path


def high_water() -> float:
    """Return the most memory that this process held, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    from sdanalysis.cli import main

    main(sys.argv[1:])
    print(time.process_time(), high_water())
