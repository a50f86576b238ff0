"""Logs that a user names, read once and in pieces: plain or gzip, rotated, growing, or from standard input.

A log is never held in memory. What ends early - a gzip file that was cut off, a disk that fails - is read as far as it
goes, and says so. Sources: logrotate(8) (``x.log.1``, ``x.log.2.gz``, ``x.log-20261114.gz``), docs.docker.com,
json-file (``ID-json.log.1``).
"""

__all__ = ["STDIN", "read_log_file", "read_rotated", "rotated_files"]

import os
import re
import stat
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Final

from sparktune.errors import UsageError
from sparktune.logs.scan import LogScan
from sparktune.model.log import ReadLog
from sparktune.units import Bytes, Seconds

STDIN: Final = "-"
_PIECE: Final[Bytes] = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_GZIP_BITS: Final = 31  # of zlib: a gzip header, and the largest window
_INHERITED: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")  # <(docker logs NAME) of a shell
_OTHERS: Final = {
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc FILE | sparktune logs -"),
    b"\xfd7zXZ\x00": ("xz", "xz -dc FILE | sparktune logs -"),
    b"BZh": ("bzip2", "bzip2 -dc FILE | sparktune logs -"),
    b"PK\x03\x04": ("zip", "unpack it, and name the log in it"),
    b"\xff\xfe": ("UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE | sparktune logs -"),
    b"\xfe\xff": ("UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE | sparktune logs -"),
    b"LPKSHHRH": ("a journal of systemd", "journalctl --file FILE -o short-iso | sparktune logs -"),
}
_NO_TEXT: Final = bytes(one for one in range(1, 32) if one not in b"\a\b\t\n\v\f\r\x1b")  # zeros: a copy, a power cut
_MOST_NO_TEXT: Final = 0.05
_ROTATED: Final = re.compile(r"(?:\.(?P<number>\d{1,4})|[-.](?P<date>\d{8}(?:-?\d{4,6})?))(?:\.gz)?")
_HINT: Final = "look at the path, and whether you may read it"


def read_log_file(name: str, node: str = "") -> ReadLog:
    """Read one log; ``-`` is standard input. Raises UsageError for what is no log or cannot be read."""
    return _read((name,), name, node)


def read_rotated(name: str, node: str = "") -> ReadLog:
    """Read a log with those that were rotated away from it, the oldest first, as one. Raises UsageError."""
    return _read(tuple(str(path) for path in rotated_files(Path(name))), name, node)


def rotated_files(path: Path) -> tuple[Path, ...]:
    """Return what was rotated away from a log, the oldest first, then the log itself, each once.

    Where a file is there both packed and not, the packed one is being written, and is left out.
    """
    found: dict[str, tuple[tuple[int, str], Path]] = {}
    try:
        names = sorted(one.name for one in path.parent.iterdir())
    except OSError:
        names = []
    for name in names:
        match = _ROTATED.fullmatch(name.removeprefix(path.name)) if name.startswith(path.name) else None
        if match is not None:
            age = (-int(match["number"]), "") if match["number"] else (-10_000, match["date"])
            found.setdefault(name.removesuffix(".gz"), (age, path.with_name(name)))
    older = [one for _, one in sorted(found.values(), key=lambda one: one[0])]
    return (*older, path)


def _read(names: Sequence[str], shown: str, node: str) -> ReadLog:
    scan: LogScan | None = None
    troubles = []
    size = 0
    for name in names:
        with _opened(name) as stream:
            if scan is None:
                scan = LogScan("standard input" if shown == STDIN else shown, node, reference_s=_written_s(stream))
            trouble = _Trouble()
            for piece in _pieces(stream, name, trouble):
                scan.feed(piece)
                size += len(piece)
            if trouble.text:
                troubles.append(f"{name}: {trouble.text}" if len(names) > 1 else trouble.text)
    if scan is None or (not size and not troubles):
        message = f"{shown} is empty"
        raise UsageError(
            message, hint="look whether the engine writes there; docker logs NAME shows what a container wrote"
        )
    log = scan.result()
    return replace(log, unreadable="; ".join(troubles)) if troubles else log


class _Trouble:
    """Why a file was not read to its end."""

    text = ""


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    if name == STDIN:
        yield sys.stdin.buffer
        return
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe that nobody writes to
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        message = f"{name} cannot be read: {reason or error}"
        raise UsageError(message, hint=_HINT) from None
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind) and not (stat.S_ISFIFO(kind) and name.startswith(_INHERITED)):
        os.close(descriptor)
        raise _no_file(name, kind)
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "rb") as stream:
        yield stream


def _no_file(name: str, kind: int) -> UsageError:
    if stat.S_ISDIR(kind):
        return UsageError(f"{name} is a folder", hint=f"name the logs in it, for instance {name.rstrip('/')}/*.log")
    if stat.S_ISFIFO(kind):
        return UsageError(f"{name} is a pipe", hint=f"read it as standard input: sparktune logs - < {name}")
    return UsageError(f"{name} is no file", hint="name the file that the engine's log is in")


def _told(stream: IO[bytes]) -> os.stat_result | None:
    """Return what is known of a regular file, None for a pipe and the like."""
    try:
        told = os.fstat(stream.fileno())
    except (OSError, ValueError):  # a stream that is no file at all
        return None
    return told if stat.S_ISREG(told.st_mode) else None


def _written_s(stream: IO[bytes]) -> Seconds:
    """Return when a file was last written; of a pipe, now."""
    told = _told(stream)
    return time.time() if told is None else told.st_mtime


def _pieces(stream: IO[bytes], name: str, trouble: _Trouble) -> Iterator[bytes]:
    """Yield what a file has now: one that grows as fast as it is read ends, too."""
    told = _told(stream)
    raw = _raw(stream, None if told is None else told.st_size, trouble)
    try:
        first = next(raw, b"")
        for magic, (kind, hint) in _OTHERS.items():
            if first.startswith(magic):
                message = f"{name} is {kind}, not the text of a log"
                raise UsageError(message, hint=hint.replace("FILE", name))
        if not first.startswith(_GZIP):
            _check_text(first, name)
            yield from _with_text(chain((first,), raw), trouble)
            return
        unpacked = _unpacked(chain((first,), raw), trouble)
        begin = next(unpacked, b"")
        _check_text(begin, name)
        yield from _with_text(chain((begin,), unpacked), trouble)
    except OSError as error:
        trouble.text = f"not read to its end: {error.strerror or error}"
    except zlib.error as error:
        trouble.text = f"not read to its end, what is packed in it is damaged: {error}"


def _check_text(data: bytes, name: str) -> None:
    """Raise UsageError for what is no text: no line of it is known, and that would read like no failure."""
    written = data.replace(b"\0", b"")
    if len(data) - len(data.translate(None, _NO_TEXT)) > _MOST_NO_TEXT * len(written):
        message = f"{name} is not the text of a log"
        raise UsageError(message, hint="name the file that the engine's log is in")


def _with_text(pieces: Iterable[bytes], trouble: _Trouble) -> Iterator[bytes]:
    """Pass pieces on; say at the end where all of it was zeros: "no failure in 1 line" would be said of it.

    Zeros alone are what a power cut leaves of a file. Many of them before text are a log that was cut while its writer
    went on.
    """
    size, written = 0, False
    for piece in pieces:
        size += len(piece)
        written = written or bool(piece.strip(b"\0"))
        yield piece
    if size and not written:
        trouble.text = trouble.text or "it holds nothing but zero bytes, as files do after a power cut"


def _raw(stream: IO[bytes], size: Bytes | None, trouble: _Trouble) -> Iterator[bytes]:
    left = size
    while left is None or left > 0:
        piece = stream.read(_PIECE if left is None else min(_PIECE, left))
        if not piece:
            if left is not None:
                trouble.text = "it became shorter while it was read"
            return
        left = None if left is None else left - len(piece)
        yield piece


def _unpacked(pieces: Iterable[bytes], trouble: _Trouble) -> Iterator[bytes]:
    """Yield what is packed with gzip, in one part or several, in pieces of bounded size."""
    unpacker = zlib.decompressobj(_GZIP_BITS)
    begun = False
    for piece in pieces:
        data = piece
        while data:
            if unpacker.eof:
                if not data.startswith(_GZIP[:1]):
                    return  # zeros that a tape or a copy filled it up with
                unpacker = zlib.decompressobj(_GZIP_BITS)
            yield unpacker.decompress(data, _PIECE)
            begun = True
            data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    if begun and not unpacker.eof:
        trouble.text = "not read to its end: the packed file ends in the middle"
