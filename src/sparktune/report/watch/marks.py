"""What screens are made of: words with a role, bars, and their forms where the terminal knows ASCII only."""

__all__ = [
    "Glyphs",
    "Line",
    "Role",
    "Span",
    "bad",
    "bar",
    "cut",
    "good",
    "line_of",
    "loads",
    "plain",
    "soft",
    "warn",
    "wrapped",
]

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from sparktune.report.bench.words import printable
from sparktune.units import Ratio


class Role(Enum):
    """What a word is, never a colour: the screen may have none."""

    PLAIN = "plain"
    HEAD = "head"
    SOFT = "soft"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Span:
    """Words in one role; nothing in them steers a terminal."""

    text: str
    role: Role = Role.PLAIN


Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyphs:
    """Letters of bars. ``steps`` go from nothing to full."""

    steps: str
    full: str
    empty: str
    rule: str

    @classmethod
    def of(cls, *, ascii_only: bool) -> "Glyphs":
        """Return those of a terminal."""
        return _ASCII if ascii_only else _BLOCKS


_PIECE: Final = re.compile(r"\s+|(?:\S*\d (?=%|(?:[KMG]iB|tok/s|[mu]?s|min|C|W|[MG]Hz)\b))?\S+")  # with its unit
_BLOCKS: Final = Glyphs(steps=" ▁▂▃▄▅▆▇█", full="█", empty="░", rule="─")
_ASCII: Final = Glyphs(steps=" .:-=+*%#", full="#", empty=".", rule="-")


def plain(text: str) -> Span:
    """Return words without a role."""
    return Span(printable(text))


def soft(text: str) -> Span:
    """Return words that matter less."""
    return Span(printable(text), Role.SOFT)


def good(text: str) -> Span:
    """Return words that say that all is well."""
    return Span(printable(text), Role.GOOD)


def warn(text: str) -> Span:
    """Return words to look at."""
    return Span(printable(text), Role.WARN)


def bad(text: str) -> Span:
    """Return words that name a fault."""
    return Span(printable(text), Role.BAD)


def line_of(line: Line) -> str:
    """Return the bare text of a line."""
    return "".join(span.text for span in line)


def cut(line: Line, width: int) -> Line:
    """Return at most ``width`` columns of a line; what is cut ends in two dots."""
    if len(line_of(line)) <= width:
        return line
    kept: list[Span] = []
    room = max(0, width - 2)
    for span in line:
        kept.append(Span(span.text[:room], span.role))
        room -= len(span.text)
        if room <= 0:
            break
    return (*kept, Span(".."[:width], Role.SOFT))


def wrapped(line: Line, width: int, *, indent: int) -> tuple[Line, ...]:
    """Break a line between words; what follows begins ``indent`` columns in. A longer word keeps a line of its own."""
    if len(line_of(line)) <= width:
        return (line,)
    lines: list[list[Span]] = [[]]
    used = 0
    for span in line:
        for piece in _PIECE.findall(span.text):
            if used + len(piece) > width and used > indent:
                lines.append([Span(" " * indent)])
                used = indent
            if piece.isspace() and used == indent and len(lines) > 1:
                continue  # a broken line begins with a word
            lines[-1].append(Span(piece, span.role))
            used += len(piece)
    return tuple(tuple(one) for one in lines)


def loads(values: Sequence[Ratio | None], glyphs: Glyphs) -> str:
    """Return one letter for each core; ``?`` where the load is not known."""
    last = len(glyphs.steps) - 1
    return "".join("?" if one is None else glyphs.steps[round(min(1.0, max(0.0, one)) * last)] for one in values)


def bar(share: Ratio, width: int, glyphs: Glyphs) -> str:
    """Return a bar of ``width`` letters, ``share`` of it full."""
    filled = round(min(1.0, max(0.0, share)) * width)
    return glyphs.full * filled + glyphs.empty * (width - filled)
