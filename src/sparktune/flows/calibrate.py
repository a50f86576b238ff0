"""Measure this machine as a load generator: its own error and cost, and how far it can go."""

__all__ = ["PLAN", "QUICK_PLAN", "CalibrationPlan", "Say", "calibrate", "find_knee"]

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparktune import __version__
from sparktune.bench.accuracy import limit_of
from sparktune.flows.reference_load import run_load
from sparktune.host.cpulist import CpuSet
from sparktune.io.reference.process import ReferenceProcess
from sparktune.model.calibration import Calibration, Knee, Limit, Load, LoadResult
from sparktune.units import Ratio, Seconds, format_count

_ALLOWED: Ratio = 0.01
_TTFT_S: Seconds = 0.2
_TRIES = 2

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationPlan:
    """``waves`` of each ``concurrency`` at ``itl_s`` between chunks; then rising ``step_rates`` in chunks per second.

    A step spreads its rate over ``step_streams`` and lasts ``step_s``. ``cores`` are those that the client
    keeps to, as it would beside a server that it measures; none named: all.
    """

    concurrency: tuple[int, ...] = (1, 8, 32, 128)
    itl_s: Seconds = 0.010
    chunks: int = 100
    waves: int = 4
    step_rates: tuple[int, ...] = (1600, 6400, 12_800, 25_000, 32_000, 40_000, 50_000, 64_000)
    step_streams: int = 128
    step_s: Seconds = 1.5
    cores: CpuSet = frozenset()

    def loads(self) -> tuple[Load, ...]:
        """Return the loads at each concurrency."""
        return tuple(
            Load(concurrency=streams, ttft_s=_TTFT_S, itl_s=self.itl_s, chunks=self.chunks, waves=self.waves)
            for streams in self.concurrency
        )

    def steps(self) -> tuple[Load, ...]:
        """Return the loads of rising chunk rate."""
        return tuple(self._step(rate) for rate in self.step_rates)

    def _step(self, rate: int) -> Load:
        itl_s = self.step_streams / rate
        chunks = max(2, round(self.step_s / itl_s))
        return Load(concurrency=self.step_streams, ttft_s=_TTFT_S, itl_s=itl_s, chunks=chunks)


PLAN = CalibrationPlan()
QUICK_PLAN = CalibrationPlan(chunks=50, waves=1, step_rates=(6400, 25_000, 50_000), step_s=0.5)


def calibrate(plan: CalibrationPlan, say: Say) -> Calibration:
    """Run the plan against a reference server of its own; ``say`` gets a line per load. Raises SparktuneError."""
    with ReferenceProcess() as server:
        points = []
        for load in plan.loads():
            say(f"{load.concurrency} streams at {format_count(round(load.chunks_per_s))} chunks/s")
            points.append(run_load(server, load, plan.cores))
        knee = find_knee(server, plan.steps(), say, plan.cores)
    return Calibration(
        points=tuple(points),
        knee=knee,
        tool_version=__version__,
        python=platform.python_version(),
        kernel=platform.release(),
        machine=platform.machine(),
        cores=len(os.sched_getaffinity(0)),
    )


def find_knee(server: ReferenceProcess, steps: Sequence[Load], say: Say, cores: CpuSet = frozenset()) -> Knee:
    """Raise the chunk rate until a step does not hold, twice: one disturbance is not the machine's limit."""
    tried: list[tuple[LoadResult, Limit]] = []
    held_per_s: float | None = None
    for load in steps:
        for _ in range(_TRIES):
            say(f"{format_count(round(load.chunks_per_s))} chunks/s over {load.concurrency} streams")
            result = run_load(server, load, cores)
            limit = limit_of(result, _ALLOWED)
            tried.append((result, limit))
            if limit is Limit.NONE:
                break
        if limit is not Limit.NONE:
            break
        held_per_s = result.written_per_s
    return Knee(steps=tuple(tried), held_per_s=held_per_s, limit=_end(tried), allowed=_ALLOWED)


def _end(tried: Sequence[tuple[LoadResult, Limit]]) -> Limit:
    """Name what ended the search: the client as soon as it failed at a rate that the server did reach."""
    if not tried or tried[-1][1] is Limit.NONE:
        return Limit.NONE
    last_tries = {limit for _, limit in tried[-_TRIES:]}
    return Limit.CLIENT if Limit.CLIENT in last_tries else Limit.SERVER
