"""A line while it is read. Source: ECMA-48 for escape sequences."""

__all__ = ["ESCAPES", "LONGEST", "Line", "visible"]

import re
from dataclasses import dataclass
from typing import Final

from sparktune.logs.stamps import Stamp

LONGEST: Final = 20_000
"""Characters of a line that are read."""


ESCAPES: Final = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])"
"""What a terminal takes as a command, as a regular expression."""

_ESCAPES = re.compile(ESCAPES)
_CONTROL = dict.fromkeys([*range(9), *range(11, 32), 127, 0xFEFF])


def visible(text: str) -> str:
    """Return a text without escape sequences and other signs that nobody sees; line ends and tabs stay."""
    if text.isprintable():
        return text
    return (_ESCAPES.sub("", text) if "\x1b" in text else text).translate(_CONTROL)


@dataclass(slots=True)
class Line:
    """What is known of a line; ``text`` keeps the blanks that it begins with, which a traceback needs.

    ``source`` is the container that compose or the program that journald names; ``place`` the engine's own prefix with
    its stamp, equal for all lines of one message. ``stamp`` is the most certain one, ``written`` the engine's own.
    """

    text: str
    number: int
    level: str = ""
    process: str = ""
    source: str = ""
    place: str = ""
    stamp: Stamp | None = None
    written: Stamp | None = None

    def set_stamp(self, stamp: Stamp) -> None:
        """Take a stamp, unless a more certain one is known."""
        if stamp.local and self.written is None:
            self.written = stamp
        if self.stamp is None or (self.stamp.zone_s is None and stamp.zone_s is not None):
            self.stamp = stamp
