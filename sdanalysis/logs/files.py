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
from sdanalysis.parsers.capture import is_binary
from sdanalysis.paths import STANDARD_INPUT, LeftOut

MOST_BYTES = 2 * 2**30  # of one log, as it lies and unpacked
_PIECE = 16_384  # bytes that are read first: most logs are shorter
_LARGEST_PIECE = 2**26
_READ_ONLY = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # Windows has two kinds of files
_GZIP = b"\x1f\x8b"
_BINARY = "found binary data, expected the text of a benchmark log"


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
        if size == 0:  # a pipe, or a file in /proc
            return _in_pieces(read, most)
        if size <= _PIECE:
            content = read(size + 1)  # one more than there is: all of it was read
            return content if len(content) == size else content + _in_pieces(read, most - size)
        _refuse_binary(read(_PIECE))
        os.lseek(descriptor, 0, os.SEEK_SET)  # its parts would be copied into one
        return _in_pieces(read, most, size + 1)
    finally:
        os.close(descriptor)


def unpacked(content: bytes, most: int = MOST_BYTES) -> bytes:
    """Return the text of a log; nothing of a blank one."""
    if content.startswith(_GZIP):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
                content = _in_pieces(file.read, most)
        except (OSError, EOFError, zlib.error) as error:
            text = f"found a damaged gzip file ({error}), expected a whole one"
            raise SdAnalysisError(text) from error
    if not content or content.isspace():
        return b""
    if is_binary(content):
        raise BinaryError(_BINARY)
    return content


def _in_pieces(read: Callable[[int], bytes], most: int, size: int = _PIECE) -> bytes:
    """Return all that a function gives when it is called until it gives nothing."""
    parts: list[bytes] = []
    left = most
    while part := read(min(size, left + 1)):
        left -= len(part)
        if left < 0:
            raise too_much(most)
        if not parts and len(part) == _PIECE:
            _refuse_binary(part)
        parts.append(part)
        if len(part) == size:  # a long file takes fewer readings
            size = min(2 * size, _LARGEST_PIECE)
    return b"".join(parts)


def _refuse_binary(first: bytes) -> None:
    if is_binary(first) and first[:2] != _GZIP:
        raise BinaryError(_BINARY)


def too_much(most: int) -> SdAnalysisError:
    """Return what is said of a log that is longer than the limit."""
    text = f"found more than {most} bytes, expected at most so many"
    return SdAnalysisError(f"{text} (--max-bytes, or max_bytes of sdanalysis.parse, allows more)")
