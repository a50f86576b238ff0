"""JSON lines over two file descriptors: no buffer keeps a line back from ``select``."""

__all__ = ["Lines"]

import json
import os
import select
from typing import Any

from sparktune.agent.protocol import LONGEST_LINE_BYTES

_CHUNK = 65_536


class Lines:
    """Requests come in on one descriptor, answers go out on the other."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        """Take the descriptors; they stay the caller's."""
        self._read_fd, self._write_fd, self._buffer, self._ended = read_fd, write_fd, b"", False

    def line(self) -> bytes | None:
        """Wait for the next line; None when there will be no more."""
        while b"\n" not in self._buffer and not self._ended:
            piece = os.read(self._read_fd, _CHUNK)
            self._ended = not piece or len(self._buffer) > LONGEST_LINE_BYTES
            self._buffer += piece
        line, end, rest = self._buffer.partition(b"\n")
        if not end:
            return None
        self._buffer = rest
        return line

    def receive(self) -> dict[str, Any] | None:
        """Wait for the next object; None when there will be no more. Raises ValueError for a line that is none."""
        line = self.line()
        if line is None:
            return None
        received = json.loads(line)
        if not isinstance(received, dict):
            message = "it is no object"
            raise ValueError(message)  # noqa: TRY004 - to its reader, a line is wrong in one way
        return received

    def waiting(self, most_s: float) -> bool:
        """Wait until something can be received (or nothing ever will), at most so long; tell whether it can."""
        if self._buffer or self._ended:
            return True
        return bool(select.select([self._read_fd], [], [], max(most_s, 0.0))[0])

    def send(self, answer: dict[str, Any]) -> None:
        """Write one line. Raises BrokenPipeError when nobody reads any more."""
        self.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))

    def write(self, line: str) -> None:
        """Write one line as it is. Raises BrokenPipeError when nobody reads any more."""
        data = memoryview(line.encode("utf-8", "replace") + b"\n")
        while data:
            data = data[os.write(self._write_fd, data) :]
