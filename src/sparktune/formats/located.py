"""Text that was decoded from a part of a file, each character with its place there; and the numbers of lines."""

__all__ = ["Lines", "Located", "line_of", "one_line", "whole"]

import bisect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from sparktune.model.document import Span


def _same(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """``text`` as it reads; character i of it was made of the file's characters ``starts[i]`` to ``ends[i]``.

    ``before`` and ``after`` are the places in the file where the text begins and ends. ``encode`` turns a text that is
    to stand inside into what the file needs there (quotes doubled, for one) and raises ValueError for what cannot
    stand there; None where nothing may be put in, and ``fixed`` says why.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    before: int
    after: int
    encode: Callable[[str], str] | None = _same
    fixed: str = ""

    def span(self, start: int, end: int) -> Span:
        """Return the file's part that characters ``start`` to ``end`` were made of; a gap where they are none."""
        if start >= end:
            place = self.starts[start] if start < len(self.starts) else self.after
            return Span(start=place, end=place)
        return Span(start=self.starts[start], end=self.ends[end - 1])

    def place(self, index: int) -> int:
        """Return where in the file character ``index`` begins, the end for the one behind the last."""
        return self.starts[index] if index < len(self.starts) else self.after

    def behind(self, index: int) -> int:
        """Return the place in the file right behind the characters before ``index``."""
        return self.ends[index - 1] if index else self.before


def whole(text: str, start: int = 0, end: int | None = None) -> Located:
    """Return a part of a file's text as it stands."""
    last = len(text) if end is None else end
    return Located(
        text=text[start:last],
        starts=tuple(range(start, last)),
        ends=tuple(range(start + 1, last + 1)),
        before=start,
        after=last,
    )


class Lines:
    """The lines of a text, numbered from 1."""

    def __init__(self, text: str) -> None:
        """Find the line ends once."""
        self._begins = list(accumulate((len(line) for line in text.split("\n")), lambda sum_, size: sum_ + size + 1))

    def at(self, place: int) -> int:
        """Return the number of the line in which a character stands."""
        return bisect.bisect_left(self._begins, place) + 1


def line_of(text: str, start: int) -> tuple[int, int]:
    """Return where the line behind the one of ``start`` begins, and where that one ends, its line end left out."""
    found = text.find("\n", start)
    if found < 0:
        return len(text), len(text) - text.endswith("\r", start)
    return found + 1, found - (found > start and text[found - 1] == "\r")


def one_line(text: str) -> str:
    """Return a text that has no line breaks. Raises ValueError for one that does."""
    if "\n" in text or "\r" in text:
        message = "a value of several lines cannot stand there"
        raise ValueError(message)
    return text
