"""A run: one execution of a workload against one endpoint, and where its numbers come from."""

__all__ = ["Provenance", "Run", "RunState"]

from dataclasses import dataclass
from enum import Enum

from sparktune.model.engine import EngineFacts
from sparktune.model.workload import Workload
from sparktune.units import Seconds


class RunState(Enum):
    """Where a run stands. A run that a crash ended stays RUNNING in the store and can be resumed."""

    RUNNING = "running"
    DONE = "done"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What produced the numbers. ``argv`` has secrets removed."""

    tool_version: str
    python: str
    kernel: str
    machine: str
    hostname: str
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Identity and circumstances of a run. ``id`` is short, sortable by time and unique in the store."""

    id: str
    created_wall_s: Seconds
    base_url: str
    workload: Workload
    engine: EngineFacts
    provenance: Provenance
    state: RunState = RunState.RUNNING
