"""The bytes of a log: from a file or standard input, unpacked, and never more than a limit."""

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable
from functools import partial

from sdanalysis.errors import BinaryError, LeftOutError, SdAnalysisError
from sdanalysis.paths import STANDARD_INPUT, LeftOut

MOST_BYTES = 2 * 2**30  # of one log, as it lies and unpacked
_PIECE = 2**16  # bytes that are read together of what has no size; most logs are shorter
_READ_ONLY = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # Windows has two kinds of files
GZIP, _UTF_16 = b"\x1f\x8b", (b"\xff\xfe", b"\xfe\xff")
_TEXT = bytes(range(32, 256)) + b"\t\n\r\x0b\x0c\x08\x1b\x07"


def read_bytes(path: str, most: int = MOST_BYTES) -> bytes:
    """Return what a file, or standard input, holds; OSError where the system does not give it.

    SdAnalysisError for more than `most` bytes, and for what begins as no text does: neither is
    read to its end, for it may have none.
    """
    if isinstance(path, LeftOut):
        raise LeftOutError(f"not read, for {path.why}")
    if path == STANDARD_INPUT:
        return _in_pieces(sys.stdin.buffer.read, most)
    # by its descriptor, for there are thousands: a fifth of the time of Path's, half of open's
    descriptor = os.open(path, _READ_ONLY)
    try:
        status, read = os.fstat(descriptor), partial(os.read, descriptor)
        size = status.st_size if stat.S_ISREG(status.st_mode) else 0
        if size > most:
            raise too_much(most)
        if size > _PIECE:
            _refuse_binary(read(_PIECE))
            os.lseek(descriptor, 0, os.SEEK_SET)  # its parts would be copied into one
        return _in_pieces(read, most, size + 1 if size else _PIECE)  # 0: a pipe, or in /proc
    finally:
        os.close(descriptor)


def unpacked(content: bytes, most: int = MOST_BYTES) -> bytes:
    """Return the text of a log; nothing of a blank one."""
    if content.startswith(GZIP):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
                content = _in_pieces(file.read, most)
        except (OSError, EOFError, zlib.error) as error:
            text = f"found a damaged gzip file ({error}), expected a whole one"
            raise SdAnalysisError(text) from error
    if not content or content.isspace():
        return b""
    _refuse_binary(content)
    return content


def _in_pieces(read: Callable[[int], bytes], most: int, size: int = _PIECE) -> bytes:
    parts, left = list[bytes](), most
    while part := read(min(size, left + 1)):
        left -= len(part)
        if left < 0:
            raise too_much(most)
        if not parts and len(part) == _PIECE:
            _refuse_binary(part)
        parts.append(part)
    return b"".join(parts)


def _refuse_binary(first: bytes) -> None:
    """Refuse what has control codes in a third of its first bytes: a crash may leave some NULs."""
    head = first[:4096]
    if 3 * len(head.translate(None, _TEXT)) > len(head) and not first.startswith((GZIP, *_UTF_16)):
        raise BinaryError("found binary data, expected the text of a benchmark log")


def too_much(most: int) -> SdAnalysisError:
    """Return what is said of a log that is longer than the limit."""
    text = f"found more than {most} bytes, expected at most so many"
    return SdAnalysisError(f"{text} (--max-bytes, or max_bytes of sdanalysis.parse, allows more)")
