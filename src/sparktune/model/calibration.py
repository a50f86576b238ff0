"""What a calibration finds: this machine's own error and cost when it measures a server whose timings are known."""

__all__ = ["Accuracy", "Calibration", "Knee", "Limit", "Load", "LoadResult", "Spread", "Written"]

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sparktune.model.trial import ClientHealth
from sparktune.units import Nanoseconds, Ratio, Seconds, Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One answer as the server wrote it, by its own log; instants are monotonic nanoseconds.

    ``origin_ns`` is when the request arrived at the server. The call that sent output chunk i, with ``tokens[i]`` in
    it, ran from ``before_ns[i]`` to ``after_ns[i]``. ``late_max_ns`` is how late a chunk was against the schedule.
    """

    origin_ns: Nanoseconds
    before_ns: Sequence[Nanoseconds]
    after_ns: Sequence[Nanoseconds]
    tokens: Sequence[Tokens]
    late_max_ns: Nanoseconds = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Errors, in size: their number, median, mean, 99th percentile (None below 459 values) and maximum."""

    n: int
    median: float
    mean: float
    p99: float | None
    maximum: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The client's figures against the server's log; None where no request ended well.

    ``stamp_s``: how far the client's arrival stamp of an output chunk lies outside the server's send call for it.
    ``ttft_s``: how far the client's time from send to first output lies outside the server's from the request's arrival
    to the send call of the first chunk. ``rate``: how far a stream's decode rate lies outside what the send calls of
    its first and last chunk allow, relative to that. ``failed`` requests did not end well, or did not decode to the
    chunks that were written.
    """

    requests: int
    failed: int
    chunks: int
    tokens: Tokens
    stamp_s: Spread | None
    ttft_s: Spread | None
    rate: Spread | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What the reference server is asked to do: ``waves`` of ``concurrency`` streams with ``chunks`` chunks each."""

    concurrency: int
    ttft_s: Seconds
    itl_s: Seconds
    chunks: int
    waves: int = 1

    @property
    def chunks_per_s(self) -> float:
        """The chunk rate of all streams together, as asked for."""
        return self.concurrency / self.itl_s


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """One load, measured. ``written_per_s`` is the chunk rate that the server reached by its own log.

    CPU seconds are those of this process per 1,000 output tokens: while the waves ran, and to decode them afterwards.
    ``late_max_s`` is how late the server itself was, at most. ``health`` has one entry per wave. ``failed_how`` is how
    most of the requests failed, in one line; "" where none did, or none says how.
    """

    load: Load
    accuracy: Accuracy
    written_per_s: float | None
    late_max_s: Seconds
    wave_cpu_s_per_1k: Seconds | None
    decode_cpu_s_per_1k: Seconds | None
    health: tuple[ClientHealth, ...]
    failed_how: str = ""


class Limit(Enum):
    """What ended a step of rising chunk rate."""

    NONE = "none"  # it held
    CLIENT = "client"  # this machine's error passed the limit
    SERVER = "server"  # the reference server did not reach the rate: nothing is known beyond


@dataclass(frozen=True, slots=True, kw_only=True)
class Knee:
    """How far the chunk rate can rise. ``steps`` holds each rate with its limit; a step that fails is tried again.

    ``held_per_s`` is the highest chunk rate, as written, at which no error passed ``allowed``; None when none held.
    ``limit`` says what ended the search; NONE when all steps held.
    """

    steps: tuple[tuple[LoadResult, Limit], ...]
    held_per_s: float | None
    limit: Limit
    allowed: Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """All of it, with the machine that it holds for; ``cores`` are those this process may use."""

    points: tuple[LoadResult, ...]
    knee: Knee
    tool_version: str
    python: str
    kernel: str
    machine: str
    cores: int
