"""A thread that really spins, moved for real, on a machine whose heat is made up: it follows the CPUs of the thread."""

__all__ = ["COOLER", "HeatedWatch", "OwnHold", "spinner", "trial_of"]

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.support.idle_trials import plan_of

from sparktune.experiment.design import blocks_of
from sparktune.experiment.idle_trial import HOTTEST_ZONE, IdleTrial, Reading, Sensor, ThreadId
from sparktune.flows.place.idle_watch import IdleSeen, IdleWatch

COOLER = 5.0
_GRAIN = (0.0, 0.1, -0.1, 0.05)  # no two visits measure the same
_STARTED = 19


@contextmanager
def spinner() -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process whose only thread wants a core always."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield process
        finally:
            process.kill()


def trial_of(pid: int, *, blocks: int = 3) -> IdleTrial:
    """Return a trial of a process's first thread with hardly any waiting; it is moved to the last of its CPUs."""
    before = tuple(sorted(os.sched_getaffinity(pid)))
    start = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[_STARTED])
    return replace(
        plan_of(),
        node="local",
        thread=ThreadId(pid=pid, tid=pid, start_ticks=start, name="python3", process="python3"),
        before=before,
        cpus=before[-1:],
        blocks=blocks_of(blocks, (), lambda: 0.25),
        settle_s=0.0,
        window_s=0.6,
    )


class OwnHold:
    """Moves a thread of this user: the same port as the agent's transactions, and needs no root."""

    def __init__(self, trial: IdleTrial) -> None:
        """Touch nothing."""
        self._trial = trial
        self.sets: list[bool] = []

    async def set(self, *, applied: bool) -> bool:
        """Move it, or move it back; False when it has ended."""
        self.sets.append(applied)
        try:
            os.sched_setaffinity(self._trial.thread.tid, self._trial.cpus if applied else self._trial.before)
        except ProcessLookupError:
            return False
        return True

    async def release(self) -> tuple[str, ...]:
        """Move it back."""
        await self.set(applied=False)
        return ()


class HeatedWatch:
    """What the real watch sees, and a zone beside it that is cooler while the thread is where it was moved."""

    def __init__(self, trial: IdleTrial, real: IdleWatch) -> None:
        """Touch nothing."""
        self._trial, self._real, self.visits = trial, real, 0

    async def measure(self, settle_s: float, window_s: float) -> IdleSeen:
        """Measure, and add the zone."""
        seen = await self._real.measure(settle_s, window_s)
        moved = os.sched_getaffinity(self._trial.thread.tid) == set(self._trial.cpus) if not seen.ended else False
        heat = 57.0 - COOLER * moved + _GRAIN[self.visits % len(_GRAIN)]
        self.visits += 1
        return replace(seen, readings={**seen.readings, HOTTEST_ZONE: Reading(kind=Sensor.HEAT, mean=heat)})
