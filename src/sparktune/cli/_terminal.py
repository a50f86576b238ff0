"""What the terminal behind stdout can show."""

__all__ = ["colour_wanted", "columns", "fitted"]

import os
import shutil
import sys

from sparktune.report.layout import fit_lines

_NARROWEST, _WIDEST = 60, 120


def colour_wanted() -> bool:
    """Whether stdout is a terminal whose user did not decline colours (NO_COLOR, TERM=dumb)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns() -> int:
    """Return the width for prose: the terminal's, within what can be read."""
    return min(_WIDEST, max(_NARROWEST, shutil.get_terminal_size().columns))


def fitted(text: str) -> str:
    """Return text with its long lines folded to the terminal's width; as it is for a pipe that does not say COLUMNS."""
    known = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return fit_lines(text, max(_NARROWEST, shutil.get_terminal_size().columns) if known else None)
