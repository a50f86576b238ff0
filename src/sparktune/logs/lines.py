"""One raw line of a log taken apart: who wrote it, when, how loud, and what it says.

Source: tqdm, which draws its bars over each other with carriage returns.
"""

__all__ = ["clean", "read_line", "read_lines", "states_of"]

import re
from dataclasses import replace

from sparktune.logs.levels import told_level
from sparktune.logs.line import ESCAPES, LONGEST, Line, visible
from sparktune.logs.prefixes import peel

_LAYERS = 8
_MOST_IN_ONE = 500  # lines of one message in JSON
_ESCAPES = re.compile(ESCAPES.encode())


def clean(block: bytes) -> bytes:
    """Return whole lines without escape sequences and NULs."""
    if b"\x1b" in block:
        block = _ESCAPES.sub(b"", block)
    return block.replace(b"\0", b"") if b"\0" in block else block


def states_of(raw: bytes) -> list[bytes]:
    """Return what a line shows: of a progress bar that redraws itself only the last state, other texts each."""
    if b"\r" not in raw:
        return [raw]
    shown: list[bytes] = []
    for state in raw.split(b"\r"):
        if not state.strip():
            continue
        if shown and _bar(shown[-1]) == _bar(state):
            shown.pop()
        shown.append(state)
    return shown


def _bar(state: bytes) -> bytes:
    """Return what all states of a bar begin with."""
    return re.split(rb"\d", state, maxsplit=1)[0].strip() if b"%" in state or b"it" in state else state


def read_lines(raw: bytes, number: int) -> list[Line]:
    """Take a line apart, one or several: a progress bar redraws itself, a message in JSON has line ends in it."""
    found: list[Line] = []
    for state in states_of(raw):
        line = read_line(state, number)
        texts = line.text.split("\n", _MOST_IN_ONE) if "\n" in line.text else ()
        found += [replace(line, text=text) for text in texts] or [line]
    return found


def read_line(raw: bytes, number: int) -> Line:
    """Take one line apart; ``raw`` has no line end, and was cleaned. Raises nothing."""
    text = raw[: LONGEST * 4].decode("utf-8", "replace")[:LONGEST].rstrip()
    line = Line(text=visible(text), number=number)
    for _ in range(_LAYERS):
        if not peel(line):
            break
    if not line.level:
        line.level = told_level(line.text)
    return line
