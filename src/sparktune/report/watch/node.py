"""What is known of watched things: a node, an engine, and questions that are asked more seldom."""

__all__ = ["Answered", "WatchedEngine", "WatchedNode"]

from dataclasses import dataclass
from typing import Generic, TypeVar

from sparktune.bench.engine_look import EngineLook
from sparktune.host.core_types import CoreSplit
from sparktune.host.live import Frame
from sparktune.units import Seconds

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedNode:
    """``split`` None where there are no fast and slow cores; ``frame`` None until two samples are there.

    ``failure`` says why there is no answer; the frame before it is gone with it.
    """

    name: str
    split: CoreSplit | None = None
    frame: Frame | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedEngine:
    """The server of a service. ``engine`` is its name and version; ``untold`` why its numbers are not known."""

    service: str
    engine: str = ""
    model: str = ""
    look: EngineLook | None = None
    untold: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Generic[_T]):
    """A question that is asked again every ``every_s`` seconds (0: once); instants are the watcher's monotonic clock.

    ``items`` is the newest answer, None while there is none; ``why`` says why the last attempt brought none.
    ``asking`` is true while the next answer is awaited.
    """

    every_s: Seconds
    items: tuple[_T, ...] | None = None
    at_s: Seconds | None = None
    took_s: Seconds | None = None
    why: str = ""
    asking: bool = False
