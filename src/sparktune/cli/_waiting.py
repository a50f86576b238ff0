"""Say on a terminal for which nodes a command waits: one that is off costs ten seconds of silence."""

__all__ = ["WaitingLine", "waiting_said"]

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

from sparktune.io.transport.awaited import names_awaited
from sparktune.report.bench.words import one_line
from sparktune.units import Seconds

_EVERY_S: Final[Seconds] = 1.0
_PATIENCE_S: Final[Seconds] = 2.0  # what takes less is no waiting
_MOST_NAMED: Final = 3
_CLEAR: Final = "\r\x1b[K"


class WaitingLine:
    """One line at the end of a terminal, written over by itself, and gone when the answers are there."""

    def __init__(self, stream: TextIO, names: Callable[[], tuple[str, ...]], width: int) -> None:
        """Write nothing yet."""
        self._stream, self._names, self._width = stream, names, width
        self._shown = False

    def show(self, waited_s: Seconds) -> None:
        """Say who has not answered by now."""
        names = self._names()
        if waited_s < _PATIENCE_S or not names:
            self.clear()
            return
        who = ", ".join(map(one_line, names)) if len(names) <= _MOST_NAMED else f"{len(names)} nodes"
        text = f"waiting for {who}: {waited_s:.0f} s"
        self._write(f"{_CLEAR}{text[: self._width - 1]}")
        self._shown = True

    def clear(self) -> None:
        """Take the line away, if there is one."""
        if self._shown:
            self._write(_CLEAR)
        self._shown = False

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # the terminal has gone: what the command itself writes next says so
            self._stream.write(text)
            self._stream.flush()


@contextmanager
def waiting_said() -> Iterator[None]:
    """Say on stderr who is awaited, for a block that writes nothing itself; nothing where that is no terminal."""
    stream = sys.stderr
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    with names_awaited() as names:
        line = WaitingLine(stream, names, os.get_terminal_size(stream.fileno()).columns or 80)
        ended = threading.Event()
        teller = threading.Thread(target=_tell, args=(line, ended), daemon=True)
        teller.start()
        try:
            yield
        finally:
            ended.set()
            teller.join()
            line.clear()


def _tell(line: WaitingLine, ended: threading.Event) -> None:
    began_s = time.monotonic()
    while not ended.wait(_EVERY_S):
        line.show(time.monotonic() - began_s)
