"""An experiment in a list: what is known of it without looking at its visits."""

__all__ = ["ExperimentRow", "ExperimentState"]

from dataclasses import dataclass
from enum import Enum

from sparktune.units import Ratio, Seconds

_ACTED_ON = frozenset({"IMPROVED", "EQUIVALENT"})


class ExperimentState(Enum):
    """Where an experiment stands; one that a crash ended stays RUNNING, and can be resumed like an INTERRUPTED one."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRow:
    """``why`` says why it ended before its plan did, or what stands against its verdict: a guard, a cell.

    ``verdict`` is "" while there is none.

    ``deviation`` is that of its blocks' log ratios, None below two blocks. ``afterwards`` says what was set in the end,
    and how that was seen. ``holds``: something that it started or applied has not been taken back.
    """

    id: str
    created_wall_s: Seconds
    base_url: str
    name: str
    knob: str
    metric: str
    state: ExperimentState
    why: str = ""
    verdict: str = ""
    deviation: Ratio | None = None
    afterwards: str = ""
    holds: bool = False

    @property
    def caveat(self) -> str:
        """What stands against a verdict that somebody would act upon, "" where nothing does."""
        return self.why if self.verdict in _ACTED_ON else ""

    @property
    def said(self) -> str:
        """The verdict with what stands against it in the same breath, "" while there is none."""
        return f"{self.verdict}, but {self.caveat}" if self.caveat else self.verdict
