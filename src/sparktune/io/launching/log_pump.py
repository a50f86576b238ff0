"""The program that writes what a started server says: ``python -m sparktune.io.launching.log_pump FILE``.

A program of its own, so that a server that talks costs the stopwatch nothing, and goes on talking when this program's
parent has died. The first line of its stdin is a JSON list of texts that are written as ``***``, and that nobody else
sees. FILE never grows beyond bounds: its beginning is kept as FILE.first, and of the rest the end.
"""

__all__ = ["main", "paths_of"]

import json
import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO

from sparktune.redact import MASK, redact_text

_MOST_BYTES = 4 * 1024 * 1024
_LONGEST_LINE = 16_384


def paths_of(log: Path) -> tuple[Path, ...]:
    """Return all files of a log, in the order in which they were written."""
    return (log.with_name(log.name + ".first"), log.with_name(log.name + ".before"), log)


class _Log:
    """A file that is set aside when it has become too long."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        self._path, self._most_bytes = path, most_bytes
        self._file = self._open()
        self._size = 0

    def write(self, data: bytes) -> None:
        if self._size + len(data) > self._most_bytes:
            self._file.close()
            first, before, _now = paths_of(self._path)
            self._path.replace(before if first.exists() else first)
            self._file, self._size = self._open(), 0
        self._file.write(data)
        self._file.flush()
        self._size += len(data)

    def close(self) -> None:
        self._file.close()

    def _open(self) -> BinaryIO:
        return os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def pump(source: BinaryIO, path: Path, most_bytes: int = _MOST_BYTES) -> None:
    """Write every line of the source, without secrets, until it ends."""
    hidden = [str(text) for text in json.loads(source.readline() or b"[]")]
    log = _Log(path, most_bytes)
    try:
        while line := source.readline(_LONGEST_LINE):
            text = line.decode("utf-8", "replace")
            for secret in hidden:
                text = text.replace(secret, MASK)
            log.write(redact_text(text).encode())
    finally:
        log.close()


def main() -> None:
    """Write stdin to the file that is named."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # its end is that of what it listens to
    pump(sys.stdin.buffer, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
