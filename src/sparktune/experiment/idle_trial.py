"""The plan and the records of an idle trial: a thread as it is, and moved, while nothing is to do."""

__all__ = [
    "HOTTEST_CHIP",
    "HOTTEST_ZONE",
    "OTHERS",
    "IdleState",
    "IdleTrial",
    "IdleVisit",
    "Reading",
    "Sensor",
    "ThreadId",
]

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from sparktune.experiment.design import Arm, Block
from sparktune.experiment.difference import DifferenceRules
from sparktune.units import Ratio, Seconds

HOTTEST_ZONE = "hottest zone"
"""The highest of a node's thermal zones: on a GB10 all seven have one name, and nothing says which is the CPU's."""
HOTTEST_CHIP = "hottest hwmon sensor"
"""Where there are no zones: the highest temperature of all hwmon chips."""
OTHERS = "cores used by others"
"""What all other threads of the node used meanwhile."""


class IdleState(Enum):
    """How a visit ended. VOID: there was work, or it was interrupted; it counts for nothing, and is made again."""

    RUNNING = "running"
    DONE = "done"
    VOID = "void"


class Sensor(Enum):
    """What a sensor tells; its value is the unit."""

    HEAT = "C"
    POWER = "W"
    CLOCK = "GHz"
    CORES = "cores"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One sensor over a measuring window: its mean, and how far the second half lay above the first."""

    kind: Sensor
    mean: float
    rise: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadId:
    """One thread and no other: ``start_ticks`` tells it from a later one with its number."""

    pid: int
    tid: int
    start_ticks: int
    name: str = ""
    process: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleVisit:
    """One visit. ``at_s`` is the middle of its measuring window on the node's own clock.

    ``demand`` is the share of a core that the thread wanted in the window; ``idle`` whether nothing was to do all
    along, None where not all of it is told: ``untold`` names what is not. ``why`` says why it is void.
    """

    block: int
    attempt: int
    place: int
    arm: Arm
    state: IdleState
    at_s: Seconds = 0.0
    readings: Mapping[str, Reading] = field(default_factory=dict)
    demand: Ratio | None = None
    idle: bool | None = None
    untold: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleTrial:
    """What a trial was asked to do, declared before its first visit.

    Arm A is the thread with ``before``, the CPUs that it had; in arm B it has ``cpus``. ``sensor`` decides. A visit
    waits ``settle_s``, then measures for ``window_s``.
    """

    id: str
    created_wall_s: Seconds
    node: str
    thread: ThreadId
    title: str
    before: tuple[int, ...]
    cpus: tuple[int, ...]
    blocks: tuple[Block, ...]
    rules: DifferenceRules
    settle_s: Seconds
    window_s: Seconds
    seed: int
    sensor: str = HOTTEST_ZONE
    endpoint: str = ""
