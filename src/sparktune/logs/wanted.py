"""Who wants to see which lines of a log."""

__all__ = ["Shown", "Wanted"]

from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.logs.words import WordFilter
from sparktune.model.log import LogReader, LogSignature

_MOST_SHAPES = 20_000
_LONGEST_SHAPE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """Whom lines with the same words are shown to.

    ``starts``: such a line may be the first of a start. ``only_facts``: there is nothing in it but facts;
    ``only_signatures``: nothing but what has a signature, or is an error.
    """

    readers: tuple[LogReader, ...]
    signatures: tuple[LogSignature, ...]
    echoes: bool
    starts: bool
    only_facts: bool
    only_signatures: bool


class Wanted:
    """Tells of a line without its numbers whom it is shown to; remembers what it told."""

    def __init__(
        self,
        readers: Sequence[LogReader],
        signatures: Sequence[LogSignature],
        *,
        echo: Sequence[str],
        error: Sequence[str],
        start: Sequence[str],
    ) -> None:
        """Take those who want lines, and the words of settings, of errors and of starts."""
        owners: list[tuple[LogReader | LogSignature | str, str]] = [
            *((reader, word) for reader in readers for word in reader.words),
            *((signature, word) for signature in signatures for word in signature.words),
            *(("echo", word) for word in echo),
            *(("error", word) for word in error),
            *(("start", word) for word in start),
        ]
        self._owners = [owner for owner, _ in owners]
        self._words = WordFilter(word for _, word in owners)
        self._of_shape: dict[bytes, Shown] = {}
        self._of_words: dict[tuple[int, ...], Shown | None] = {(): None}
        self.silent = self._words.silent.issuperset

    def of_shape(self, shape: bytes, parts: Sequence[bytes]) -> Shown | None:
        """Return whom lines of a shape are shown to, None for nobody; the same for the same words."""
        if shape in self._of_shape:
            return self._of_shape[shape]
        words = self._words.found(shape, parts)
        if words not in self._of_words:
            self._of_words[words] = self._shown(words)
        shown = self._of_words[words]
        if shown is not None and len(shape) <= _LONGEST_SHAPE:  # the others are told by their parts
            if len(self._of_shape) >= _MOST_SHAPES:
                self._of_shape.clear()
            self._of_shape[shape] = shown
        return shown

    def _shown(self, words: tuple[int, ...]) -> Shown:
        owners = [self._owners[word] for word in words]
        return Shown(
            readers=tuple({owner.words: owner for owner in owners if isinstance(owner, LogReader)}.values()),
            signatures=tuple({owner.id: owner for owner in owners if isinstance(owner, LogSignature)}.values()),
            echoes="echo" in owners,
            starts="start" in owners,
            only_facts=all(isinstance(owner, LogReader) for owner in owners),
            only_signatures=all(isinstance(owner, LogSignature) or owner == "error" for owner in owners),
        )
