"""Standard output and error that may be closed, full or gone: none of that may cost a measurement.

Source: signal(7) and write(2): a pipe without a reader fails with EPIPE, a full disk with ENOSPC, a terminal that was
closed with EIO. Python's own note on SIGPIPE: what is still buffered must go to the null device, or its last flush
complains.
"""

__all__ = ["steady_streams"]

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO, cast

from sparktune.errors import SparktuneError

_PLAIN: Final = str.maketrans(
    {
        "…": "...",
        "→": "->",
        "←": "<-",
        "↑": "^",
        "▲": "^",
        "▼": "v",
        "·": "-",
        "×": "x",  # noqa: RUF001 - the very letter
        "÷": "/",
        "≠": "!=",
        "°": " deg ",
    }
    | {"✓": "ok", "✕": "x", "■": "#", "░": ".", "─": "-"}
    | dict(zip("▁▂▃▄▅▆▇█", "12345678", strict=True))  # a curve stays one
)
_NAME: Final = "sparktune-plain"


@contextmanager
def steady_streams() -> Iterator[None]:
    """Inside the block a failing stderr is ignored, and a stdout that nobody reads any more takes everything.

    A stdout that cannot hold what is written raises SparktuneError. Streams that were closed from the start are the
    null device: a file would have their number else, and a child would take it for its own stdin.
    """
    out, error = sys.stdout, sys.stderr
    _fill_gaps()
    # Path has nothing shorter for it.
    with open(os.devnull, "w", encoding="utf-8") as nowhere, open(os.devnull, encoding="utf-8") as nothing:  # noqa: PTH123
        _speak_plainly(out, error)
        sys.stdin = sys.stdin or nothing
        sys.stdout = cast("TextIO", _Steady(out or nowhere, must_hold=True))
        sys.stderr = cast("TextIO", _Steady(error or nowhere, must_hold=False))
        try:
            yield
        finally:
            sys.stdout, sys.stderr = out, error


def _fill_gaps() -> None:
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest number that is free


def _speak_plainly(*streams: TextIO | None) -> None:
    """Let streams whose encoding has not every letter write what comes nearest, else the letter's code."""
    codecs.register_error(_NAME, _plain)
    for stream in streams:
        encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
        if isinstance(stream, io.TextIOWrapper) and encoding != "utf8":
            stream.reconfigure(errors=_NAME)


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(letter if letter.isascii() else ascii(letter)[1:-1] for letter in letters), error.end


class _Steady:
    """Passes everything on to a stream, and bears its failing."""

    def __init__(self, stream: TextIO, *, must_hold: bool) -> None:
        self._stream = stream
        self._must_hold = must_hold
        self._lost: SparktuneError | None = None

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._say_lost()
        try:
            self._stream.write(text)
        except OSError as error:
            self._bear(error)
        return len(text)

    def flush(self) -> None:
        self._say_lost()
        try:
            self._stream.flush()
        except OSError as error:
            self._bear(error)

    def _bear(self, error: OSError) -> None:
        """Send what is still to come nowhere, and say so where it matters."""
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
        if self._must_hold and not isinstance(error, BrokenPipeError):
            message = f"the output cannot be written: {error.strerror or error}"
            hint = "free some space or write it elsewhere; runs and experiments are stored: sparktune runs list"
            self._lost = SparktuneError(message, hint=hint)
            raise self._lost from error

    def _say_lost(self) -> None:
        """Raise again what was raised: whoever tries streams out, as typer does, may have taken it for an answer."""
        if self._lost is not None:
            raise self._lost
