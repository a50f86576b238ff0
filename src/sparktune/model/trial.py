"""A trial: one wave of streams of one cell, with what the server and the client said about it."""

__all__ = ["ClientHealth", "Phase", "Request", "Trial"]

from dataclasses import dataclass
from enum import Enum

from sparktune.model.cell import Cell
from sparktune.model.counters import CounterDelta, GaugeSample
from sparktune.model.recording import StampSource
from sparktune.model.timeline import Timeline
from sparktune.units import Nanoseconds, Ratio, Seconds, Tokens


class Phase(Enum):
    """Why a wave was sent. Only MEASURE enters a result; the others are kept and marked."""

    WARMUP = "warmup"
    CONTEXT = "context"  # loads the context of a cell with depth
    MEASURE = "measure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One decoded request. ``stream`` is its place in the wave, from 0; instants are monotonic nanoseconds.

    ``prompt_sha256`` is the hex digest of the first 256 characters of what was sent (nonce included): equal values
    mean that a cached prefix was possible. ``prompt_tokens_asked`` 0: the length was not known before it was sent.
    """

    stream: int
    prompt_sha256: str
    prompt_tokens_asked: Tokens
    output_tokens_asked: Tokens
    send_start_ns: Nanoseconds
    send_end_ns: Nanoseconds
    end_ns: Nanoseconds
    timeline: Timeline

    @property
    def ok(self) -> bool:
        """Whether the request ended as it should and may be measured."""
        return self.timeline.failure is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientHealth:
    """How well the client itself kept up during one wave.

    ``cpu_ratio`` is CPU seconds of the measuring process over wall seconds (1.0 = one core). ``lag_*`` is how late the
    process woke up after data had arrived (kernel stamp to wake-up); None with user-space stamps, where it cannot be
    known. ``send_skew_s`` is how far the sends were from the plan: for a wave that is sent at once the time from the
    first to the last send, for planned arrivals the largest delay after the planned instant. ``cores`` are the CPUs it
    ran on.
    ``clock_step_s`` is the largest jump of the wall clock against the monotonic clock during the wave.
    """

    wall_s: Seconds
    cpu_ratio: Ratio
    lag_p99_s: Seconds | None
    lag_max_s: Seconds | None
    send_skew_s: Seconds
    cores: tuple[int, ...]
    source: StampSource
    clock_step_s: Seconds = 0.0
    reads: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One wave. ``index`` counts within its cell and phase from 0; ``started_wall_s`` is Unix time.

    ``counters`` is None when the server offers no counters; ``gauges`` are scrapes taken while the wave ran.
    """

    cell: Cell
    index: int
    phase: Phase
    started_wall_s: Seconds
    requests: tuple[Request, ...]
    health: ClientHealth
    counters: CounterDelta | None = None
    gauges: tuple[GaugeSample, ...] = ()

    @property
    def completed(self) -> tuple[Request, ...]:
        """The requests that ended as they should."""
        return tuple(request for request in self.requests if request.ok)
