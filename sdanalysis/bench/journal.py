"""What happened in a session, one line an event, each on the disk before the next thing happens."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

Event = dict[str, Any]


class Journal:
    """The file `journal.jsonl` of a session: it is only ever added to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, event: str, **facts: object) -> None:
        """Write an event; when this returns, it survives a power cut."""
        line = json.dumps({"event": event, "at": round(time.time(), 3), **facts}) + "\n"
        new = not self.path.exists()
        with self.path.open("a+b") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read() != b"\n":
                    file.write(b"\n")  # a half line of a power cut stays half
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        if new:
            keep_names(self.path.parent)

    def events(self) -> Iterator[Event]:
        """Yield what happened; a half line of a power cut is no event."""
        content = self.path.read_bytes() if self.path.exists() else b""
        for line in content.split(b"\n")[:-1]:
            with suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict) and "event" in event:
                    yield event


def write_whole(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a file so that after a power cut the old one or the whole new one is there."""
    part = path.with_name(f"{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    keep_names(path.parent)


def keep_names(folder: Path) -> None:
    """Bring a folder's names to its disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
