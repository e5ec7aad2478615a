"""A medium with players for the tools: what `sdanalysis bench` does, without a card."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

from sdanalysis.bench import step

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(__file__).parent / "corpus"
PLAYERS = Path(__file__).parent / "players"


def recorded(tool):
    """Return what a tool printed: a run of microsd-benchmarks.sh, one of fio."""
    if tool == "fio":
        return (CORPUS / "fio" / "json-randrw--3.25.log").read_text(encoding="utf-8")
    text = (CORPUS / "mixed" / "dramble-script--3.429.log").read_text(encoding="utf-8")
    parts = re.findall(r"Running (\w+) test\.\.\.\n(.*?)(?=\n\nRunning |\Z)", text, re.S)
    return f"{dict(parts)[tool]}\n".lstrip("\n" if tool == "dd" else "")


class Bench:
    """A medium with a user's files, players on PATH, and the runner in a process of its own."""

    def __init__(self, folder):
        self.medium, self.session, self.tools = folder / "medium", folder / "s", folder / "tools"
        self.medium.mkdir(parents=True)
        self.tools.mkdir()
        (self.medium / "test").write_text("a user's own")
        foreign = self.medium / f"{step.PREFIX}foreign"
        foreign.mkdir()
        (foreign / "test").write_text("somebody's")
        for tool in ("dd", "fio", "hdparm", "iozone"):
            (self.tools / tool).symlink_to(PLAYERS / "player.sh")
            (self.tools / f"{tool}.txt").write_text(recorded(tool))

    def start(self, *words, **environment):
        variables = {"PATH": str(self.tools), "MEDIUM": str(self.medium), "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            [sys.executable, "-S", PLAYERS / "runner.py", self.medium, "-o", self.session, *words],
            env={**os.environ, **variables, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, *words, **environment):
        process = self.start(*words, **environment)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def logs(self):
        return {
            path.name: re.sub(r"\S+-[0-9a-f]{16}/|seconds: .*", "", path.read_text())
            for path in sorted((self.session / "logs").iterdir())
        }

    def others(self):
        """Return everything on the medium: names, contents and modes."""
        return {
            path.relative_to(self.medium): path.read_bytes()
            if path.is_file()
            else stat.S_IMODE(path.stat().st_mode)
            for path in sorted(self.medium.rglob("*"))
        }
