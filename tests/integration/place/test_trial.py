"""A trial of a thread at idle: a real thread that spins, watched for real, in a world whose heat is made up."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.support.idle_worlds import COOLER, HeatedWatch, OwnHold, spinner, trial_of

from sparktune.errors import Interrupted
from sparktune.experiment.idle_result import IdleResult
from sparktune.experiment.idle_trial import OTHERS, IdleTrial
from sparktune.experiment.verdict import Verdict
from sparktune.flows.place.idle_watch import IdleSeen, IdleWatch, NodeWatch
from sparktune.flows.place.requests import Requests
from sparktune.flows.place.trial import TrialTools, run_trial
from sparktune.io.cluster import NodeTarget
from sparktune.io.store.store import Store
from sparktune.model.experiment_row import ExperimentState

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores to tell the arms apart")
_LOCAL = NodeTarget(name="local")


@pytest.fixture
def spinning() -> Iterator[subprocess.Popen[bytes]]:
    """A process whose only thread spins."""
    with spinner() as process:
        yield process


class _Busy:
    """A watch that sees a request in some of its visits."""

    def __init__(self, real: IdleWatch, busy: set[int]) -> None:
        self._real, self._busy, self._count = real, busy, 0

    async def measure(self, settle_s: float, window_s: float) -> IdleSeen:
        self._count += 1
        return (
            IdleSeen(busy="a request ran")
            if self._count in self._busy
            else await self._real.measure(settle_s, window_s)
        )


class _Ends:
    """A watch whose thread is killed at one of its visits."""

    def __init__(self, real: IdleWatch, process: subprocess.Popen[bytes], at: int) -> None:
        self._real, self._process, self._at, self._count = real, process, at, 0

    async def measure(self, settle_s: float, window_s: float) -> IdleSeen:
        self._count += 1
        if self._count == self._at:
            self._process.kill()
            self._process.wait()
        return await self._real.measure(settle_s, window_s)


class _Waits:
    """A watch whose second visit never ends."""

    def __init__(self, real: IdleWatch) -> None:
        self._real, self.waits = real, asyncio.Event()
        self._count = 0

    async def measure(self, settle_s: float, window_s: float) -> IdleSeen:
        self._count += 1
        if self._count > 1:
            self.waits.set()
            await asyncio.Event().wait()
        return await self._real.measure(settle_s, window_s)


def _real(trial: IdleTrial) -> HeatedWatch:
    return HeatedWatch(trial, NodeWatch(_LOCAL, trial.thread, Requests("")))


async def _run(trial: IdleTrial, watch: IdleWatch, hold: OwnHold | None = None) -> tuple[IdleResult, list[str]]:
    said: list[str] = []
    with Store.open() as store:
        store.idle_trials.create(trial)
        tools = TrialTools(store=store.idle_trials, hold=hold or OwnHold(trial), watch=watch, say=said.append)
        return await run_trial(tools, trial), said


async def test_a_thread_that_heats_is_found_to_and_is_given_back_its_cpus(spinning: subprocess.Popen[bytes]) -> None:
    trial = trial_of(spinning.pid)
    hold = OwnHold(trial)

    found, said = await _run(trial, _real(trial), hold)

    assert found.verdict is Verdict.IMPROVED
    effect = found.judgement.effect
    assert effect is not None
    assert effect.mean == pytest.approx(-COOLER, abs=0.3)
    assert hold.sets == [True, False, False, True, True, False, False, True, False, False], (
        "tried, ABBAAB, back in the end"
    )
    assert os.sched_getaffinity(spinning.pid) == set(trial.before)
    told = {one.name: one for one in found.sensors}
    assert OTHERS in told
    assert (told["cores used by the thread"].mean_b or 0.0) > 0.0
    assert any("not told: requests" in flag for flag in found.flags), "nobody told whether requests ran"
    assert said[-1] == "after 3 blocks: IMPROVED"
    with Store.open() as store:
        row = store.idle_trials.load("")
    assert (row.state, row.held, len(row.visits)) == (ExperimentState.DONE, {}, 6)


async def test_a_visit_with_work_in_it_is_made_again_with_its_block(spinning: subprocess.Popen[bytes]) -> None:
    """The two visits of a block have to be adjacent: half of one is not kept for later."""
    trial = trial_of(spinning.pid)

    found, said = await _run(trial, _Busy(_real(trial), {2}))

    assert found.voids == ("a request ran",)
    assert found.verdict is Verdict.IMPROVED
    assert found.visits == 8
    assert "block 1: a request ran; it is made again" in said


async def test_a_service_that_is_never_idle_ends_it(spinning: subprocess.Popen[bytes]) -> None:
    trial = trial_of(spinning.pid)

    found, _said = await _run(trial, _Busy(_real(trial), set(range(1, 100))))

    assert found.verdict is None
    assert "there was work in 6 visits" in found.why
    assert os.sched_getaffinity(spinning.pid) == set(trial.before)


async def test_a_thread_that_ends_voids_the_rest(spinning: subprocess.Popen[bytes]) -> None:
    trial = trial_of(spinning.pid)

    found, _said = await _run(trial, _Ends(_real(trial), spinning, 4))

    assert found.verdict is None
    assert found.why == "the thread has ended in block 2"
    assert len(found.blocks) == 1


async def test_ctrl_c_gives_the_thread_back_its_cpus(spinning: subprocess.Popen[bytes]) -> None:
    trial = trial_of(spinning.pid)
    watch = _Waits(_real(trial))
    task = asyncio.create_task(_run(trial, watch))
    await watch.waits.wait()
    assert os.sched_getaffinity(spinning.pid) == set(trial.cpus)

    task.cancel()

    with pytest.raises(Interrupted, match="the thread has the CPUs that it had"):
        await task
    assert os.sched_getaffinity(spinning.pid) == set(trial.before)
    with Store.open() as store:
        row = store.idle_trials.load(trial.id)
    assert row.state is ExperimentState.INTERRUPTED
    assert [visit.state.value for visit in row.visits] == ["done", "void"]


class _Asked:
    """An engine that ran a request."""

    async def idle_since_last(self, asker: str) -> bool:
        del asker
        return False


async def test_the_watch_stops_at_once_when_a_request_runs(spinning: subprocess.Popen[bytes]) -> None:
    """What it measured until then is not of an idle node, however long it settled before."""
    trial = trial_of(spinning.pid)

    seen = await NodeWatch(_LOCAL, trial.thread, _Asked()).measure(3000.0, 0.5)  # type: ignore[arg-type]

    assert seen.busy == "a request ran"
    assert not seen.readings


async def test_the_watch_knows_a_thread_from_a_later_one_with_its_number(spinning: subprocess.Popen[bytes]) -> None:
    trial = trial_of(spinning.pid)
    other = replace(trial.thread, start_ticks=trial.thread.start_ticks - 1)

    seen = await NodeWatch(_LOCAL, other, Requests("")).measure(0.0, 0.5)

    assert seen.ended
