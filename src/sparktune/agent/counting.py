"""Count lines of a log as they come, with no program to start: the file stays open, and only what is new is read.

Source: Documentation/ABI/testing/dev-kmsg: each read returns one record, ``PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;TEXT``,
the oldest first; EAGAIN when there is no more, EPIPE when records were overwritten before they were read.
"""

__all__ = ["Counter"]

import errno
import os
import stat
from typing import Any

from sparktune.agent.results import Result, present, unreadable, why_not
from sparktune.agent.tree import Tree

_RECORD = 8192  # a shorter buffer than a record is refused
_KERNEL_LOG = "/dev/kmsg"
_MOST_RECORDS, _MOST_PIECES = 50_000, 128  # in one tick; a log that is written faster is counted on in the next
_LONGEST_LINE = 300


class Counter:
    """The lines of one log that hold all words, from what it still has on; it is followed until it is closed."""

    def __init__(self, tree: Tree, ask: dict[str, Any]) -> None:
        """Open the log, if that can be done."""
        path = str(ask["path"])
        self._words = [str(word).encode() for word in ask["words"]]
        self._count, self._last, self._rest = 0, b"", b""
        self._is_device = path == _KERNEL_LOG and not tree.root
        self._handle, self._failure = -1, unreadable("it is no file")
        try:
            real = tree.real(path)
            # Opening another device could do something.
            if self._is_device or stat.S_ISREG(os.stat(real).st_mode):
                self._handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            self._failure = why_not(error)

    def result(self) -> Result:
        """Read what has come since; return the count, and on a second line the last of the lines."""
        if self._handle < 0:
            return dict(self._failure)
        try:
            self._read()
        except OSError as error:
            self._failure = why_not(error)
            self.close()
            return dict(self._failure)
        return present(f"{self._count}\n{self._last.decode('utf-8', 'replace')}")

    def close(self) -> None:
        """Close the log."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _read(self) -> None:
        for _ in range(_MOST_RECORDS if self._is_device else _MOST_PIECES):
            try:
                piece = os.read(self._handle, _RECORD)
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno == errno.EPIPE:
                    continue  # the next record that is still there
                raise
            if not piece:
                return
            if self._is_device:
                self._take(piece.split(b";", 1)[-1].split(b"\n", 1)[0])
                continue
            *lines, self._rest = (self._rest + piece).split(b"\n")
            self._rest = self._rest[-_RECORD:]
            for line in lines:
                self._take(line)

    def _take(self, line: bytes) -> None:
        if all(word in line for word in self._words):
            self._count += 1
            self._last = line[:_LONGEST_LINE]
