"""Which lines of a log can have one of many words, found out without looking for each word in each line.

Lines of logs repeat themselves but for their numbers. So digits are deleted from whole blocks, lines are split at
blanks, and what was looked at once is remembered: a line all of whose parts are known to tell nothing costs one look at
a set.
What is left out here has none of the words; what is let through may have none either.
"""

__all__ = ["WordFilter", "shapes_of"]

import re
from collections.abc import Iterable, Mapping

_DELETED = b'0123456789"\\'  # and what JSON puts before quotes
_UNSURE = re.compile(rb"[^ -/:-;=?-\[\]-~]|[<>&\"]")  # digits, and what JSON may write as \u003c
_MOST_PARTS = 100_000
_LONGEST_PART = 200


def shapes_of(block: bytes) -> list[bytes]:
    """Return lines as they are compared: without digits, quotes and backslashes."""
    return block.translate(None, _DELETED).split(b"\n")


class WordFilter:
    """Looks for the words of several owners; a word is found where all its pieces are."""

    def __init__(self, words: Mapping[int, Iterable[str]]) -> None:
        """Take words by the number of their owner."""
        self._pieces = [
            (owner, tuple(piece for piece in _UNSURE.split(word.encode()) if piece.strip()))
            for owner, of_owner in words.items()
            for word in of_owner
        ]
        inside, whole = set[bytes](), set[bytes]()
        for _, pieces in self._pieces:
            part, exact = _longest(pieces)
            (whole if exact else inside).add(part)
        self._whole = frozenset(whole)
        self._inside = re.compile(b"|".join(re.escape(part) for part in sorted(inside)) or rb"(?!)")
        self.silent: set[bytes] = set()

    def may_tell(self, shape: bytes) -> bool:
        """Whether a line can have a word; remembers the parts that tell nothing."""
        told = False
        if len(self.silent) > _MOST_PARTS:
            self.silent.clear()
        for part in shape.split():
            if part in self.silent:
                continue
            if part in self._whole or self._inside.search(part):
                told = True
            elif len(part) <= _LONGEST_PART:
                self.silent.add(part)
        return told

    def owners(self, shape: bytes) -> tuple[int, ...]:
        """Return whose words a line may have."""
        found = {owner: None for owner, pieces in self._pieces if all(piece in shape for piece in pieces)}
        return tuple(found)


def _longest(pieces: tuple[bytes, ...]) -> tuple[bytes, bool]:
    """Return the part between blanks that tells most, and whether blanks are on both sides of it."""
    best, exact = b"", False
    for piece in pieces:
        for found in re.finditer(rb"\S+", piece):
            if len(found[0]) > len(best):
                best, exact = found[0], found.start() > 0 and found.end() < len(piece)
    return best, exact
