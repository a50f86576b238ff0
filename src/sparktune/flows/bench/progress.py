"""What a flow tells while it works; a terminal draws it, ``--quiet`` and tests ignore it."""

__all__ = ["Progress", "SilentProgress", "WaveView"]

from dataclasses import dataclass
from typing import Protocol

from sparktune.model.cell import Cell
from sparktune.model.trial import Phase
from sparktune.units import Seconds, TokensPerSecond


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveView:
    """One look at a running wave. ``tok_s`` is estimated from bytes, with the last wave's bytes per token."""

    cell: Cell
    phase: Phase
    waves_done: int
    waves_total: int
    open_streams: int
    tok_s: TokensPerSecond | None
    left_s: Seconds | None


class Progress(Protocol):
    """The listener of a flow."""

    def say(self, text: str) -> None:
        """Take one line that should stay: a step done, a warning."""

    def wave(self, view: WaveView) -> None:
        """Take the state of the running wave; called a few times a second."""

    def close(self) -> None:
        """Take notice that nothing more will come."""


class SilentProgress:
    """Listens and shows nothing."""

    def say(self, text: str) -> None:
        """Drop the line."""

    def wave(self, view: WaveView) -> None:
        """Drop the view."""

    def close(self) -> None:
        """Do nothing."""
