"""Which earlier prompt a prompt begins like, and for how long; told by keyed digests.

A prompt is cut into units of at most 64 characters, which never reach over the end of a message; the digest of a unit
covers everything before it. So what is shared is exact where messages end, and to 64 characters within one. Behind the
first 8 million characters, more than any model reads, the rest of a message is one unit: 200 MB take no minute.
"""

__all__ = ["PrefixTree", "SharedPrefix"]

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparktune.bench.traffic.asked import Piece

_UNIT_CHARS = 64
_DIGEST_BYTES = 16
_FINE_UNITS = 1 << 17  # of one prompt: those behind it are as long as their message
_MOST_UNITS = 1_000_000  # about 200 MB: beginnings that nobody repeated for long are forgotten beyond it


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPrefix:
    """``chars`` of the prompt are the beginning of request ``number``; ``whole``: that request's whole prompt is."""

    number: int
    chars: int
    whole: bool


class PrefixTree:
    """The beginnings of all prompts so far, as digests; their key stays here and makes them worthless elsewhere."""

    def __init__(self, key: bytes, *, most_units: int = _MOST_UNITS) -> None:
        """Begin empty; ``key`` are up to 64 random bytes."""
        self._key = key
        self._most = most_units
        self._owner: dict[bytes, int] = {}
        self._units: dict[int, int] = {}
        self.forgotten = 0

    def add(self, number: int, pieces: Sequence[Piece]) -> SharedPrefix | None:
        """Remember the prompt of request ``number``, and return what an earlier one shares with it."""
        owner, chars, shared_units, units = None, 0, 0, 0
        for digest, size in self._digests(pieces):
            units += 1
            known = self._owner.pop(digest, None)
            if known is None or shared_units < units - 1:
                self._owner[digest] = number if known is None else known
                continue
            self._owner[digest] = known  # now the one that was used last
            owner, chars, shared_units = known, chars + size, units
        self._units[number] = units
        self._forget()
        whole = owner is not None and self._units.get(owner) == shared_units
        if owner is None or (chars < _UNIT_CHARS and not whole):  # names of roles, which all prompts begin with
            return None
        return SharedPrefix(number=owner, chars=chars, whole=whole)

    def name(self, text: str) -> bytes:
        """Return a digest that stands for a text, in this object only."""
        return hashlib.blake2b(text.encode(errors="replace"), digest_size=_DIGEST_BYTES, key=self._key).digest()

    def _digests(self, pieces: Sequence[Piece]) -> Iterator[tuple[bytes, int]]:
        before, key = b"", self._key
        for unit, chars in _units(pieces):
            data = before + unit.encode(errors="replace")
            before = hashlib.blake2b(data, digest_size=_DIGEST_BYTES, key=key).digest()
            yield before, chars

    def _forget(self) -> None:
        excess = len(self._owner) - self._most
        if excess > 0:
            self.forgotten += excess
            for digest in [digest for digest, _ in zip(self._owner, range(excess), strict=False)]:
                del self._owner[digest]


def _units(pieces: Sequence[Piece]) -> Iterator[tuple[str, int]]:
    """Yield the units of a prompt, each with the characters that it counts for."""
    count = 0
    for piece in pieces:
        text, start = piece.text, 0
        picture = piece.chars != len(text)
        while start < len(text):
            end = len(text) if picture or count >= _FINE_UNITS else start + _UNIT_CHARS
            unit = text[start:end]
            yield unit, piece.chars if picture else len(unit)
            start, count = end, count + 1
