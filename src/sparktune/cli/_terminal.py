"""What the terminal behind stdout can show."""

__all__ = ["colour_wanted", "columns", "fitted", "legible"]

import os
import shutil
import sys
from contextlib import suppress
from typing import TextIO

from sparktune.report.layout import fit_lines

_NARROWEST, _WIDEST = 40, 120


def colour_wanted() -> bool:
    """Whether stdout is a terminal whose user did not decline colours (NO_COLOR, TERM=dumb)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns() -> int:
    """Return the width for prose: the terminal's, within what can be read."""
    return min(_WIDEST, max(_NARROWEST, shutil.get_terminal_size().columns))


def fitted(text: str, stream: TextIO | None = None) -> str:
    """Return text with its long lines folded to the width of a terminal, stdout's unless another stream is given.

    It stays as it is for a pipe that does not say COLUMNS.
    """
    known = _told() or _asked(sys.stdout if stream is None else stream)
    return fit_lines(text, max(_NARROWEST, known) if known else None)


def legible(text: str) -> str:
    """Return what goes to stderr: folded as reports are where that is a terminal, else as it is."""
    return fitted(text, sys.stderr) if sys.stderr.isatty() else text


def _told() -> int:
    """Return what COLUMNS says, 0 where it says nothing."""
    words = os.environ.get("COLUMNS", "")
    return int(words) if words.isascii() and words.isdigit() else 0


def _asked(stream: TextIO) -> int:
    """Return the width of the terminal behind a stream, 0 where there is none."""
    if not stream.isatty():
        return 0
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns
    return shutil.get_terminal_size().columns
