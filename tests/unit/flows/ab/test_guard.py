"""A visit under guards: what is being done ends when a limit is crossed, and a lost node costs its block as a whole."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.experiments import CELLS, experiment
from tests.support.guarded import GIB, FakeWatch, memory, trip
from tests.support.held import PLAN, FakeHold, FakeMeasure, fake_tools
from tests.support.trials import make_trial

from sparktune.errors import ArmFailed, ConnectFailed, NodeUnreachable
from sparktune.experiment.plan import Experiment, VisitState
from sparktune.experiment.protection import OnLostNode, Protection
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.flows.ab import visit as ab_visit
from sparktune.flows.ab.guard import Guarded, Tripped
from sparktune.flows.ab.load import VisitLoad
from sparktune.flows.ab.run import run_experiment
from sparktune.flows.ab.tools import AbTools
from sparktune.io.load.client import Progress as LoadProgress
from sparktune.model.experiment_row import ExperimentState
from sparktune.model.guard import Limits, LoadTick, Phase

_LOST = NodeUnreachable("spark1: the link is down")


@pytest.fixture
def hold() -> FakeHold:
    return FakeHold()


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> FakeMeasure:
    fake = FakeMeasure(1.3)
    monkeypatch.setattr(ab_visit, "measure_visit", fake)
    return fake


def _plan(**protection: Any) -> Experiment:  # noqa: ANN401 - fields of Protection
    return replace(PLAN, protection=Protection(**protection))


def _run(tools: AbTools, plan: Experiment) -> ExperimentResult:
    return asyncio.run(run_experiment(tools, plan))


def _tools(folder: Path, hold: FakeHold, watch: FakeWatch, plan: Experiment) -> AbTools:
    return fake_tools(folder, hold, plan=plan, watch=watch.open)


@pytest.mark.parametrize("stop_engine", [False, True])
def test_a_trip_under_load_ends_it_and_is_the_verdict(
    tmp_path: Path, hold: FakeHold, measure: FakeMeasure, *, stop_engine: bool
) -> None:
    measure.hangs = True
    plan = _plan(stop_engine=stop_engine)
    tools = _tools(tmp_path, hold, FakeWatch({Phase.IDLE: [trip()]}), plan)
    result = _run(tools, plan)

    assert result.verdict is Verdict.STOPPED
    assert result.why.startswith("memory-floor on spark1 (idle): 2.9 GiB available, the floor is 3.0 GiB; the visit")
    (visit,) = tools.store.visits(plan.id)
    assert (visit.state, visit.trip) == (VisitState.STOPPED, trip())
    assert visit.unwatched == ("swap on spark1: /proc/vmstat cannot be read",)
    assert ("kill" in hold.did) is stop_engine
    assert hold.did[-2:] == ["release", "perform 0"]
    assert [(curve.node, curve.lowest, curve.swing) for curve in result.curves] == [("spark1", 10 * GIB, 10 * GIB)]


@pytest.mark.usefixtures("measure")
def test_a_trip_while_an_arm_starts_gives_the_start_up(tmp_path: Path) -> None:
    class Slow(FakeHold):
        async def set_arm(self, arm: str, plan: object) -> None:
            await super().set_arm(arm, plan)  # type: ignore[arg-type]
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.did.append("given up")
                raise

    hold, plan = Slow(), _plan(stop_engine=True)
    result = _run(_tools(tmp_path, hold, FakeWatch({Phase.STARTING: [trip()]}), plan), plan)

    assert "(starting)" in result.why
    assert "the start was given up" in result.why
    assert hold.did[:3] == ["set A", "kill", "given up"]


@pytest.mark.usefixtures("measure")
def test_a_trip_in_the_tail_stops_an_arm_that_looked_fine(tmp_path: Path, hold: FakeHold) -> None:
    """Swapping has been seen to come a minute after the load was over."""

    async def slowly(_: float) -> None:
        await asyncio.sleep(5)

    plan = _plan()
    watch = FakeWatch({Phase.TAIL: [trip("swapping")]})
    tools = replace(_tools(tmp_path, hold, watch, plan), sleep=slowly)
    result = _run(tools, plan)

    assert result.verdict is Verdict.STOPPED
    assert "(tail): swapping" in result.why
    assert tools.store.visits(plan.id)[0].live_after == {}


@pytest.mark.usefixtures("measure")
def test_without_a_trip_each_visit_goes_through_its_phases(tmp_path: Path, hold: FakeHold) -> None:
    plan, watch = _plan(), FakeWatch()
    result = _run(_tools(tmp_path, hold, watch, plan), plan)

    assert result.verdict is Verdict.IMPROVED
    assert watch.phases == [Phase.STARTING, Phase.IDLE, Phase.TAIL] * 6
    assert len(result.curves) == 6


def test_an_engine_that_cannot_be_killed_is_told_and_the_verdict_stands(
    tmp_path: Path, hold: FakeHold, measure: FakeMeasure
) -> None:
    measure.hangs = True
    hold.fails["kill"] = ArmFailed("it does not end")
    plan = _plan(stop_engine=True)
    result = _run(_tools(tmp_path, hold, FakeWatch({Phase.IDLE: [trip()]}), plan), plan)

    assert result.verdict is Verdict.STOPPED
    assert "the engine could not be stopped: it does not end" in result.why


def test_a_lost_node_stops_it_and_its_block_counts_for_nothing(
    tmp_path: Path, hold: FakeHold, measure: FakeMeasure
) -> None:
    measure.hangs = True
    plan = _plan()
    tools = _tools(tmp_path, hold, FakeWatch({Phase.IDLE: [_LOST]}), plan)
    with pytest.raises(NodeUnreachable, match="the link is down") as caught:
        _run(tools, plan)

    assert f"sparktune ab resume {plan.id}" in caught.value.hint
    assert tools.store.experiment_row(plan.id).state is ExperimentState.INTERRUPTED
    (visit,) = tools.store.visits(plan.id)
    assert (visit.state, visit.lost) == (VisitState.VOID, "spark1: the link is down")
    assert hold.did[-2:] == ["release", "perform 0"]


@pytest.mark.usefixtures("measure")
def test_a_lost_node_is_waited_for_and_its_block_measured_again_as_a_whole(tmp_path: Path, hold: FakeHold) -> None:
    hold.fails["release"] = NodeUnreachable("still down")  # the first time that it is asked
    plan = _plan(on_lost_node=OnLostNode.RETRY)
    watch = FakeWatch({Phase.STARTING: [_LOST]})

    async def a_moment(_: float) -> None:
        await asyncio.sleep(0.02)

    async def set_arm(arm: str, plan: object) -> None:
        await FakeHold.set_arm(hold, arm, plan)  # type: ignore[arg-type]
        await asyncio.sleep(0.05)

    hold.set_arm = set_arm  # type: ignore[method-assign]
    tools = replace(_tools(tmp_path, hold, watch, plan), sleep=a_moment)
    result = _run(tools, plan)

    assert result.verdict is Verdict.IMPROVED
    attempts = [(visit.block, visit.attempt, visit.state) for visit in tools.store.visits(plan.id)][:3]
    assert attempts == [(1, 1, VisitState.VOID), (1, 2, VisitState.DONE), (1, 2, VisitState.DONE)]


def test_a_node_that_is_lost_again_and_again_ends_it(tmp_path: Path, hold: FakeHold, measure: FakeMeasure) -> None:
    measure.hangs = True
    plan = _plan(on_lost_node=OnLostNode.RETRY, retries=2)
    tools = _tools(tmp_path, hold, FakeWatch({Phase.IDLE: [_LOST] * 9}), plan)
    with pytest.raises(NodeUnreachable, match="block 1 lost a node 3 times"):
        _run(tools, plan)

    assert [visit.attempt for visit in tools.store.visits(plan.id)] == [1, 2, 3]


def test_a_server_that_is_missed_before_its_node_is_a_lost_node(
    tmp_path: Path, hold: FakeHold, measure: FakeMeasure
) -> None:
    """The connection breaks at once, and ssh takes its time: without waiting for it the server would be blamed."""
    measure.error = ConnectFailed("nobody answers")
    plan = _plan()
    tools = _tools(tmp_path, hold, FakeWatch({Phase.IDLE: [_LOST]}), plan)
    with pytest.raises(NodeUnreachable):
        _run(tools, plan)

    assert tools.store.visits(plan.id)[0].lost


class _Cancelled(Exception):
    """The work ended in good order."""


def test_ctrl_c_reaches_what_runs_under_guards() -> None:
    async def work() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise _Cancelled from None

    async def interrupted() -> None:
        async with FakeWatch().open(Protection()) as watch:
            task = asyncio.create_task(Guarded(watch, None).run(work()))
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(_Cancelled):
                await task

    asyncio.run(interrupted())


_TWO_STEPS = experiment(cells=CELLS).workload.cells


def test_a_heavier_cell_is_not_begun_without_memory_for_it() -> None:
    """4 GiB went with the first cell, and twice the tokens would leave 1 GiB: the host is not asked to try."""
    watch = FakeWatch()
    load = VisitLoad(watch, Limits(), watch.phase, gated=True)
    watch.memory = memory(9.0)
    load.before(_TWO_STEPS[0])
    watch.memory = memory(9.0, 5.0)
    with pytest.raises(Tripped, match=r"c2 was not begun: spark1: 5\.0 GiB were left with 96 tokens") as caught:
        load.before(_TWO_STEPS[1])

    assert caught.value.trip.guard == "steps-up"
    assert "192 tokens would leave 1.0 GiB, the floor is 3.0 GiB" in str(caught.value)


def test_what_the_server_runs_is_held_against_the_most_that_may_be_ours() -> None:
    """Its count is older than ours: a wave that is just ending would look like somebody else's requests."""
    watch = FakeWatch()
    load = VisitLoad(watch, Limits(), watch.phase, gated=False)
    load.before(_TWO_STEPS[1])
    load.heard(LoadTick(monotonic_ns=5, unanswered_s=0.5))
    load.running(3, 6)
    load.look(LoadProgress(bytes_received=5, reads=1, open_streams=1, finished=1), 7)

    told = [(tick.server_running, tick.in_flight, tick.unanswered_s) for tick in watch.ticks]
    assert told == [(None, 0, 0.5), (3, _TWO_STEPS[1].concurrency, 0.5), (None, 1, 0.5)]


def test_guards_are_told_of_the_load_and_of_a_first_prefill() -> None:
    watch = FakeWatch()
    load = VisitLoad(watch, Limits(), watch.phase, gated=False)
    load.before(_TWO_STEPS[1])
    load.look(LoadProgress(bytes_received=5, reads=1, open_streams=2, finished=1), 7)
    load.before(_TWO_STEPS[0])

    assert [(tick.requests, tick.failed, tick.in_flight) for tick in watch.ticks] == [(3, 0, 2)]
    assert watch.phases == [Phase.FIRST_PREFILL]


def test_guards_are_told_how_requests_failed() -> None:
    """Of "1 of 4 requests failed" alone nobody knows where to look."""
    watch = FakeWatch()
    load = VisitLoad(watch, Limits(), watch.phase, gated=False)
    whole = {"outputs": [10, 20]}
    waves = [[whole, {"failure": "stall"}], [{"failure": "stall"}, {"failure": "timeout"}]]
    for index, streams in enumerate(waves):
        load.finished(make_trial({"streams": streams}, cell=_TWO_STEPS[1], index=index), index + 1)

    assert [(tick.failed, tick.failed_how) for tick in watch.ticks] == [(1, "stall"), (3, "mostly stall")]
