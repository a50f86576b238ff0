"""Record one wave over open connections."""

__all__ = ["OnRequest", "WaveRecording", "record_wave"]

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType

from sparktune.host.cpulist import CpuSet
from sparktune.io.load.calm import calm_interpreter, collect_young
from sparktune.io.load.clock import Clocks
from sparktune.io.load.cores import on_cores
from sparktune.io.load.health import HealthMeter
from sparktune.io.load.late import LateStreams
from sparktune.io.load.loop import WaveLoop
from sparktune.io.load.record import record
from sparktune.io.load.stream import Stream
from sparktune.io.load.target import Limits
from sparktune.io.load.timebase import Timebase
from sparktune.io.load.timeslice import short_time_slice
from sparktune.model.recording import Recording
from sparktune.model.trial import ClientHealth
from sparktune.units import Seconds

OnRequest = Callable[[int, Recording], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveRecording:
    """One wave: a recording per payload, in their order; ``started_wall_s`` is the Unix time before the first send."""

    recordings: tuple[Recording, ...]
    health: ClientHealth
    started_wall_s: Seconds


def record_wave(
    streams: Sequence[Stream],
    limits: Limits,
    *,
    wake_fd: int,
    on_request: OnRequest | None,
    clocks: Clocks,
    late: LateStreams | None = None,
    cores: CpuSet = frozenset(),
) -> tuple[WaveRecording, Exception | None]:
    """Run the loop over streams that are open or have ended; also return the first exception of ``on_request``.

    Those of ``late`` are opened and sent when they are due. The loop runs on ``cores``, where any are named.
    """
    with calm_interpreter(), short_time_slice(), on_cores(cores):
        desk = _Desk(timebase=Timebase(clocks), meter=HealthMeter(), on_request=on_request)
        started_wall_s = time.time()
        WaveLoop(streams, limits, wake_fd=wake_fd, tick=desk.tick, hand_over=desk.hand_over, late=late).run()
    recordings = tuple(stream.recording for stream in streams if stream.recording is not None)
    health = desk.meter.result(recordings, clock_step_s=desk.timebase.largest_step_s)
    return WaveRecording(recordings=recordings, health=health, started_wall_s=started_wall_s), desk.failure.first


class _FirstFailure:
    """Swallows the exceptions of a block and keeps the first; KeyboardInterrupt and the like go on."""

    first: Exception | None = None

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.first = self.first or error
        return True


@dataclass(slots=True, kw_only=True)
class _Desk:
    """What the loop reports to: clocks and health at each tick, and each stream that ended."""

    timebase: Timebase
    meter: HealthMeter
    on_request: OnRequest | None
    failure: _FirstFailure = field(default_factory=_FirstFailure)

    def tick(self) -> None:
        self.timebase.mark()
        self.meter.sample()
        collect_young()

    def hand_over(self, stream: Stream) -> None:
        # A step of the wall clock since the last tick must be known before stamps are converted.
        self.timebase.mark()
        recording = record(stream, self.timebase)
        if self.on_request is not None:
            with self.failure:
                self.on_request(stream.index, recording)
