"""The file of a recording: lines that are whole or not there, for the eyes of its owner only."""

__all__ = ["TraceFile"]

import os
from pathlib import Path

from sparktune.errors import UsageError

_MODE = 0o600


class TraceFile:
    """Appends lines. A line that cannot be written whole is taken back; the next one is tried again."""

    def __init__(self, descriptor: int) -> None:
        """Take over an open file."""
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size
        self.error = ""

    @staticmethod
    def create(path: Path) -> int:
        """Create a file that was not there, and return its descriptor. Raises UsageError."""
        try:
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, _MODE)
        except FileExistsError:
            message = f"{path} is there already, and a recording goes into a file of its own"
            raise UsageError(message, hint="name another one with --out, or move it away") from None
        except OSError as error:
            message = f"{path} cannot be created: {error.strerror or error}"
            raise UsageError(message, hint="name another place with --out FILE") from None

    def append(self, line: bytes) -> bool:
        """Write a line; false when it is not in the file, and ``error`` says why then."""
        left = memoryview(line)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            self.error = error.strerror or str(error)
            self._take_back()
            return False
        self._size += len(line)
        self.error = ""
        return True

    def sync(self) -> None:
        """Force what was written to the disk. Raises OSError."""
        os.fsync(self._descriptor)

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError as error:  # nothing is left to try: the reader skips a line that is cut off
            self.error = f"{self.error}; and it ends in half a line ({error.strerror or error})"
