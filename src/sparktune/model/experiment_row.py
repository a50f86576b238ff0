"""An experiment in a list: what is known of it without looking at its visits."""

__all__ = ["ExperimentRow", "ExperimentState"]

from dataclasses import dataclass
from enum import Enum

from sparktune.units import Ratio, Seconds


class ExperimentState(Enum):
    """Where an experiment stands; one that a crash ended stays RUNNING, and can be resumed like an INTERRUPTED one."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRow:
    """``why`` says why it ended before its plan did; ``verdict`` is "" while there is none.

    ``deviation`` is that of its blocks' log ratios, None below two blocks. ``afterwards`` says what was set in the end,
    and how that was seen. ``holds``: something that it started or
    applied has not been taken back.
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
