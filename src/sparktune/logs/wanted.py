"""Who wants to see which lines of a log."""

__all__ = ["Shown", "Wanted"]

from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.logs.words import WordFilter
from sparktune.model.log import LogReader, LogSignature

_MOST_SHAPES = 20_000
_LONGEST_SHAPE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Whom lines of one shape are shown to. ``starts``: such a line may be the first of a start."""

    readers: tuple[LogReader, ...]
    signatures: tuple[LogSignature, ...]
    echoes: bool
    starts: bool


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
        self._owners: tuple[LogReader | LogSignature, ...] = (*readers, *signatures)
        self._echo, self._error, self._start = (len(self._owners) + more for more in range(3))
        self._words = WordFilter(
            {
                **{number: owner.words for number, owner in enumerate(self._owners)},
                self._echo: echo,
                self._error: error,
                self._start: start,
            }
        )
        self._known: dict[bytes, Shown | None] = {}
        self.silent = self._words.silent.issuperset

    def of_shape(self, shape: bytes) -> Shown | None:
        """Return whom lines of a shape are shown to, None for nobody."""
        if shape in self._known:
            return self._known[shape]
        shown = self._look(shape) if self._words.may_tell(shape) else None
        if len(shape) <= _LONGEST_SHAPE:
            if len(self._known) >= _MOST_SHAPES:
                self._known.clear()
            self._known[shape] = shown
        return shown

    def _look(self, shape: bytes) -> Shown | None:
        owners = self._words.owners(shape)
        if not owners:
            return None
        those = [self._owners[owner] for owner in owners if owner < len(self._owners)]
        return Shown(
            readers=tuple(one for one in those if isinstance(one, LogReader)),
            signatures=tuple(one for one in those if isinstance(one, LogSignature)),
            echoes=self._echo in owners,
            starts=self._start in owners,
        )
