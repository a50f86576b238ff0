"""Which lines of a log can have one of many words, found out without looking for each word in each line.

Lines of logs repeat themselves but for their numbers. So digits are deleted from whole blocks, lines are split at
blanks, and what was looked at once is remembered: a line all of whose parts are known to tell nothing costs one look at
a set. What is left out here has none of the words; what is let through may have none either.
"""

__all__ = ["WordFilter", "shapes_of"]

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_DELETED = b'0123456789"\\'  # and what JSON puts before quotes
_UNSURE = re.compile(rb"[^ -~]|[0-9<>&\"\\]")  # digits, and what JSON may write as \u003c
_MOST_PARTS = 100_000
_LONGEST_PART = 200


def shapes_of(block: bytes) -> list[bytes]:
    """Return lines as they are compared: without digits, quotes and backslashes."""
    return block.translate(None, _DELETED).split(b"\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """``part`` is what of it stands between blanks and tells most; ``exact``: there are blanks on both sides of it."""

    number: int
    pieces: tuple[bytes, ...]
    part: bytes
    exact: bool


class WordFilter:
    """Looks for words, which are told by their number; a line has a word where it has all pieces of it."""

    def __init__(self, words: Iterable[str]) -> None:
        """Take the words; raises ValueError for one without a letter or a sign, as digits are not looked at."""
        self._words = tuple(_word(number, word.encode()) for number, word in enumerate(words))
        self._exact = frozenset(word.part for word in self._words if word.exact)
        inside = {word.part for word in self._words if not word.exact}
        self._inside = re.compile(_any_of(inside) if inside else rb"(?!)")
        self._telling: dict[bytes, tuple[_Word, ...]] = {}
        self.silent: set[bytes] = set()

    def found(self, shape: bytes, parts: Sequence[bytes]) -> tuple[int, ...]:
        """Return the words that a line can have; ``parts`` are what stands in it between blanks."""
        likely: list[_Word] = []
        for part in parts:
            if part not in self.silent:
                likely += self._telling.get(part) or self._learn(part)
        if not likely:
            return ()
        return tuple(sorted({word.number for word in likely if all(piece in shape for piece in word.pieces)}))

    def _learn(self, part: bytes) -> tuple[_Word, ...]:
        known = len(part) <= _LONGEST_PART
        if part not in self._exact and self._inside.search(part) is None:
            if len(self.silent) >= _MOST_PARTS:
                self.silent.clear()
            if known:
                self.silent.add(part)
            return ()
        words = tuple(word for word in self._words if (word.part == part if word.exact else word.part in part))
        if len(self._telling) >= _MOST_PARTS:
            self._telling.clear()
        if known:
            self._telling[part] = words
        return words


def _word(number: int, word: bytes) -> _Word:
    pieces = tuple(piece for piece in _UNSURE.split(word) if piece.strip())
    parts = [(found, piece) for piece in pieces for found in re.finditer(rb"\S+", piece)]
    if not parts:
        message = f"{word!r} is no word to look for: it needs a letter"
        raise ValueError(message)
    found, piece = max(parts, key=lambda one: len(one[0][0]))
    exact = found.start() > 0 and found.end() < len(piece)
    return _Word(number=number, pieces=pieces, part=found[0], exact=exact)


def _any_of(words: Iterable[bytes]) -> bytes:
    """Return a pattern that finds any of some words letter by letter: alternatives would be tried one after another."""
    below: dict[bytes, set[bytes]] = {}
    for word in words:
        below.setdefault(word[:1], set()).add(word[1:])
    if b"" in below:
        return b""  # a word ends here, and what is longer has it in it
    return b"(?:" + b"|".join(re.escape(first) + _any_of(rest) for first, rest in sorted(below.items())) + b")"
