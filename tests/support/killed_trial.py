"""Run a trial and die in its second visit, while the thread is moved: ``killed_trial.py PID``."""

import asyncio
import os
import signal
import sys

from tests.support.idle_worlds import trial_of

from sparktune.flows.place.idle_watch import IdleSeen
from sparktune.flows.place.trial import TrialTools, run_trial
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.steps_hold import StepsHold
from sparktune.io.store.store import Store
from sparktune.model.step import AffinityStep, Task

__all__: list[str] = []


class _Deadly:
    """A watch that kills this process at its second visit."""

    def __init__(self) -> None:
        self._count = 0

    async def measure(self, settle_s: float, window_s: float) -> IdleSeen:
        del settle_s, window_s
        self._count += 1
        if self._count > 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return IdleSeen()


def _main(pid: int) -> None:
    trial = trial_of(pid)
    task = Task(pid=pid, tid=pid, start_time=trial.thread.start_ticks)
    with Store.open() as store, store.idle_trials.owned(trial.id):
        store.idle_trials.create(trial)
        hold = StepsHold(
            NodeTarget(name="local"),
            [AffinityStep(tasks=(task,), cpus=trial.cpus)],
            "somebody",
            lambda record: store.idle_trials.remember_held(trial.id, record),
        )
        tools = TrialTools(store=store.idle_trials, hold=hold, watch=_Deadly(), say=lambda _text: None)
        asyncio.run(run_trial(tools, trial))


if __name__ == "__main__":
    _main(int(sys.argv[1]))
