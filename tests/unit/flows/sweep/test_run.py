"""A sweep's visits: each configuration set once, whatever it ends with kept, and all brought back however it ends."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.guarded import FakeWatch, trip
from tests.support.sweep_world import SweepHold, SweepMeasure, sweep_tools, swept

from sparktune.errors import (
    GuardStopped,
    Interrupted,
    NodeUnreachable,
    NotConclusive,
    NotStarted,
    RequestRejected,
    StoreError,
)
from sparktune.experiment.protection import Protection
from sparktune.flows.ab import visit as ab_visit
from sparktune.flows.ab.guard import Watching
from sparktune.flows.sweep.run import restore_sweep, run_sweep, sweep_result
from sparktune.flows.sweep.visit import SweepTools
from sparktune.model.guard import Phase
from sparktune.model.sweep import BASELINE, Stage, SweepState, VisitEnd
from sparktune.model.sweep_record import SweepRecord


def _rate(words: Mapping[str, str]) -> float:
    """One flag that helps a lot in its middle, and one that does nothing."""
    return {"0": 100.0, "1": 110.0, "2": 130.0, "3": 90.0}[words["--x"]]


class _World:
    def __init__(self, folder: Path, hold: SweepHold, monkeypatch: pytest.MonkeyPatch) -> None:
        self.hold = hold
        self.record, self.umbrella = swept()
        self.tools: SweepTools = sweep_tools(folder, hold, self.record, self.umbrella)
        self.store = self.tools.ab.store
        self.measure = SweepMeasure(hold, _rate)
        monkeypatch.setattr(ab_visit, "measure_visit", self.measure)

    def run(self) -> SweepRecord:
        return asyncio.run(run_sweep(self.tools, self.umbrella, self.store.load_sweep("e1")))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _World:
    return _World(tmp_path, SweepHold(refuses=("--x 3",)), monkeypatch)


def test_the_best_goes_to_confirmation_and_the_original_is_back(world: _World) -> None:
    record = world.run()

    assert record.winner == "flag:--x=2"
    assert record.state is SweepState.RUNNING, "what chose it decides nothing: a sweep is over when it is confirmed"
    assert world.hold.did[-2:] == ["release", "perform 0"]
    assert "nothing ran at its address before" in record.afterwards
    assert not world.store.held("e1")


def test_a_server_that_does_not_start_is_a_result_and_is_not_tried_again(world: _World) -> None:
    world.run()
    (refused,) = [visit for visit in world.store.sweep_visits("e1") if visit.key == "flag:--x=3"]

    assert refused.end is VisitEnd.INFEASIBLE
    assert "--x 3 --y 0 is too much for it" in refused.why
    assert sum("--x 3" in words for words in world.hold.started) == 1


def test_one_start_per_visit(world: _World) -> None:
    world.run()
    visits = world.store.sweep_visits("e1")

    assert len(world.hold.started) == len(visits)
    assert [visit.number for visit in visits] == list(range(1, len(visits) + 1))
    screened = Counter(visit.key for visit in visits if visit.stage is Stage.SCREEN and visit.key != BASELINE)
    assert set(screened.values()) == {1}


def test_after_an_interruption_no_visit_is_made_again(world: _World) -> None:
    world.measure.error, world.measure.at = Interrupted("stop"), 3
    with pytest.raises(Interrupted) as told:
        world.run()
    before = world.store.sweep_visits("e1")

    assert "sparktune sweep resume e1" in told.value.hint
    assert before
    assert world.store.load_sweep("e1").state is SweepState.INTERRUPTED
    assert not world.store.held("e1")

    record = world.run()
    after = world.store.sweep_visits("e1")

    assert after[: len(before)] == before
    assert record.winner == "flag:--x=2"
    screened = Counter(visit.key for visit in after if visit.stage is Stage.SCREEN and visit.key != BASELINE)
    assert set(screened.values()) == {1}


def test_a_baseline_that_does_not_start_ends_it_with_that_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be compared with it: to go on would only cost restarts."""
    world = _World(tmp_path, SweepHold(refuses=("--x 0 --y 0",)), monkeypatch)
    with pytest.raises(NotStarted, match="--x 0 --y 0 is too much"):
        world.run()

    assert world.store.sweep_visits("e1") == ()
    assert world.hold.did[-1] == "perform 0"


def test_a_workload_that_a_configuration_does_not_take_makes_it_infeasible(world: _World) -> None:
    """A shorter context refuses the longest prompt: that is an answer, and no reason to stop."""
    world.measure.error, world.measure.at = RequestRejected("the prompt is too long"), 2
    world.run()
    second = world.store.sweep_visits("e1")[1]

    assert (second.end, second.why) == (VisitEnd.INFEASIBLE, "the prompt is too long")


def test_a_setting_that_is_not_live_is_refused_and_the_sweep_goes_on(world: _World) -> None:
    world.hold.refused = frozenset({"B"})
    record = world.run()
    ends = {visit.key: visit.end for visit in world.store.sweep_visits("e1")}

    assert record.winner == ""
    assert ends["flag:--x=2"] is VisitEnd.REFUSED
    assert ends[BASELINE] is VisitEnd.MEASURED


def test_a_baseline_that_is_not_live_ends_it(world: _World) -> None:
    world.hold.refused = frozenset({"A"})
    with pytest.raises(NotConclusive, match="the baseline cannot be measured: it is not"):
        world.run()


def _trips_in(world: _World, number: int) -> None:
    """Let a guard stop the visit of that number."""
    opened = 0
    world.measure.hangs_at = number

    @asynccontextmanager
    async def watch(protection: Protection) -> AsyncIterator[Watching]:
        nonlocal opened
        opened += 1
        fake = FakeWatch({Phase.IDLE: [trip()]} if opened == number else {})
        async with fake.open(protection) as watching:
            yield watching

    world.tools = replace(world.tools, ab=replace(world.tools.ab, watch=watch))


def test_what_a_guard_stops_is_a_result_and_the_sweep_goes_on(world: _World) -> None:
    """The host was saved; whether another configuration is better is still worth knowing."""
    _trips_in(world, 2)
    record = world.run()
    stopped = [visit for visit in world.store.sweep_visits("e1") if visit.end is VisitEnd.STOPPED]

    assert [visit.number for visit in stopped] == [2]
    assert stopped[0].why.startswith("memory-floor on spark1")
    assert [visit.key for visit in world.store.sweep_visits("e1")].count(stopped[0].key) == 1
    assert record.winner != stopped[0].key


def test_a_guard_that_stops_the_baseline_ends_it(world: _World) -> None:
    _trips_in(world, 1)
    with pytest.raises(GuardStopped, match="the baseline cannot be measured: memory-floor on spark1"):
        world.run()


def test_a_node_that_is_lost_interrupts_it_and_says_how_to_go_on(world: _World) -> None:
    world.measure.error, world.measure.at = NodeUnreachable("spark2: no way there"), 2
    with pytest.raises(NodeUnreachable) as told:
        world.run()

    assert "sparktune sweep resume e1" in told.value.hint
    assert world.store.load_sweep("e1").state is SweepState.INTERRUPTED


@pytest.mark.parametrize("changes", [{"version": "9.9"}, {"name": "another"}], ids=str)
def test_another_engine_when_it_goes_on_is_refused(world: _World, changes: Mapping[str, str]) -> None:
    """An update in the night between two halves: one half of each engine is no comparison."""
    world.measure.error, world.measure.at = Interrupted("stop"), 3
    with pytest.raises(Interrupted):
        world.run()
    before = world.store.sweep_visits("e1")
    world.measure.engine = changes
    with pytest.raises(NotConclusive, match=r"the engine is .* now, and was .* in visit 1") as told:
        world.run()

    assert "bring that one back, or start a new sweep" in told.value.hint
    assert world.store.sweep_visits("e1") == before
    assert world.hold.did[-2:] == ["release", "perform 0"], "what ran before is back"
    assert not world.store.held("e1")


def test_a_full_disk_of_the_store_leaves_nothing_set(world: _World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing more can be kept, and what runs is an arm all the same: it has to go whatever the disk says."""

    def full(*_: object) -> None:
        message = "the store is full"
        raise StoreError(message, hint="free some space there")

    world.measure.error, world.measure.at = StoreError("the store is full", hint="free some space there"), 3

    def written(original: Callable[..., object]) -> Callable[..., object]:
        return lambda *words, **more: full() if world.measure.visits > 2 else original(*words, **more)

    for name in ("set_sweep", "add_sweep_visit", "remember_held", "end_experiment"):
        monkeypatch.setattr(world.store, name, written(getattr(world.store, name)))
    with pytest.raises(StoreError) as told:
        world.run()

    assert world.hold.did[-3:] == ["anyway", "release", "perform 0"]
    assert told.value.hint == "free some space there; go on with: sparktune sweep resume e1"


def test_restoring_alone_measures_nothing(world: _World) -> None:
    world.measure.error, world.measure.at = GuardStopped("somebody stopped it"), 2
    with pytest.raises(GuardStopped):
        world.run()
    visits = world.measure.visits
    record = asyncio.run(restore_sweep(world.tools, world.umbrella, world.store.load_sweep("e1")))

    assert world.measure.visits == visits
    assert "nothing does now" in record.afterwards


def test_a_metric_without_a_value_is_never_taken_for_a_result(world: _World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is measured again, and where it never has one the sweep ends without a winner instead of going round."""
    monkeypatch.setattr(ab_visit, "measure_visit", SweepMeasure(world.hold, lambda _: 0.0))
    record = world.run()
    visits = world.store.sweep_visits("e1")

    assert (record.winner, record.state) == ("", SweepState.DONE)
    assert "baseline" in record.why
    assert {visit.end for visit in visits} == {VisitEnd.VOID}
    assert {visit.why for visit in visits} == {"output_tok_s has no value above 0 in every cell"}


def test_what_it_came_to_is_computed_from_the_store_alone(world: _World) -> None:
    world.run()
    result = sweep_result(world.store, world.store.load_sweep("e1"))

    assert result.left >= 0
    assert not result.won
    assert {one.candidate.key for one in result.known} >= {BASELINE, "flag:--x=2", "flag:--y=1"}
