"""Who looks on while a run sends: is told of the load, and may refuse the next cell."""

__all__ = ["LoadWatch", "Unobserved"]

from typing import Protocol

from sparktune.io.load.client import Progress as LoadProgress
from sparktune.model.cell import Cell
from sparktune.model.trial import Trial
from sparktune.units import Nanoseconds


class LoadWatch(Protocol):
    """The onlooker of a run."""

    def before(self, cell: Cell) -> None:
        """Take notice that a cell is next, before anything of it is sent; raises what ends the run instead."""

    def look(self, load: LoadProgress, at_ns: Nanoseconds) -> None:
        """Take the state of the running wave; called about twice a second."""

    def running(self, requests: int, at_ns: Nanoseconds) -> None:
        """Take how many requests the server says that it works on, while a wave runs; about once a second."""

    def finished(self, trial: Trial, at_ns: Nanoseconds) -> None:
        """Take a wave that has ended."""


class Unobserved:
    """Nobody looks on."""

    def before(self, cell: Cell) -> None:
        """Refuse nothing."""

    def look(self, load: LoadProgress, at_ns: Nanoseconds) -> None:
        """Drop it."""

    def running(self, requests: int, at_ns: Nanoseconds) -> None:
        """Drop it."""

    def finished(self, trial: Trial, at_ns: Nanoseconds) -> None:
        """Drop it."""
