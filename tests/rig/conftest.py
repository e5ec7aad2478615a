"""Says on which ground the runner is tested."""

import shutil

from ground import chosen, grounds

TOOLS = ("dd", "fio", "hdparm", "iozone")


def pytest_report_header():
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    used = ", ".join([*chosen(), "players"])
    return [
        f"media of known speed: {used} (here are {', '.join(grounds())})",
        f"tools that are not installed: {', '.join(missing) or 'none'}",
    ]
