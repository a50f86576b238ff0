"""Parts of an experiment that touch the world by their arguments alone: the gate, the cost, the steadfast end."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.experiments import CELLS, experiment

from sparktune.errors import ChangeFailed, Interrupted
from sparktune.experiment.protection import Protection
from sparktune.flows.ab.cost import cost_words
from sparktune.flows.ab.gate import SensorGate, Sensors, hottest
from sparktune.flows.ab.tools import to_the_end
from sparktune.io.store.store import Store
from sparktune.model.experiment_row import ExperimentState
from sparktune.model.launcher import ArmPlan
from sparktune.units import Seconds

PLAN = ArmPlan(actions=(), readers=(), takes="restart")


class _Gate(SensorGate):
    """A gate whose machine has these temperatures, one after the other; the last one stays."""

    def __init__(self, temperatures: list[float | None], first: float | None = None) -> None:
        self.said: list[str] = []
        self.clock = 0.0
        self._left = temperatures
        super().__init__((), self.said.append, self._pass, lambda: self.clock, first)

    async def read(self) -> Sensors:
        now = self._left.pop(0) if len(self._left) > 1 else self._left[0]
        return {} if now is None else {"spark1 temperature_c": now, "spark1 mem_available_bytes": 1e9}

    async def _pass(self, seconds: Seconds) -> None:
        self.clock += seconds


def _wait(gate: SensorGate) -> Mapping[str, float]:
    started = asyncio.run(gate.wait())
    return {**started.sensors, **dict.fromkeys(started.notes, 0.0)}


def test_the_first_visit_waits_for_nothing_and_sets_the_mark() -> None:
    gate = _Gate([50.0, 51.9])
    assert hottest(_wait(gate)) == 50.0
    assert hottest(_wait(gate)) == 51.9
    assert gate.said == []


def test_a_hotter_machine_is_waited_for() -> None:
    """Whoever goes second would else be measured on a hotter machine."""
    gate = _Gate([50.0, 60.0, 55.0, 52.0])
    _wait(gate)
    assert hottest(_wait(gate)) == 52.0
    assert gate.clock == 10.0
    assert "waiting for 52" in gate.said[0]


def test_a_machine_that_stays_hot_is_measured_in_the_end_and_that_is_noted() -> None:
    gate = _Gate([70.0], first=50.0)
    notes = [name for name in _wait(gate) if "began at 70 degrees" in name]
    assert notes == ["began at 70 degrees, 20 more than the first, after the longest wait"]
    assert 600 < gate.clock <= 610


def test_no_sensors_are_said_once() -> None:
    gate = _Gate([None])
    _wait(gate)
    _wait(gate)
    assert [line for line in gate.said if "no sensors" in line] == gate.said
    assert len(gate.said) == 1


def test_a_gate_without_nodes_reads_nothing() -> None:
    async def never(_: Seconds) -> None:
        raise AssertionError

    gate = SensorGate((), lambda _: None, never, lambda: 0.0)
    assert asyncio.run(gate.read()) == {}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "runs.sqlite3") as opened:
        yield opened


def test_the_cost_is_unknown_until_a_run_says_it(store: Store) -> None:
    time, finds = cost_words(store, experiment(), PLAN)
    assert time == "cost: 16 visits; how long they take is told after the first block, no earlier run says it"
    said = "can detect, four times in five: 7.6 % by block 8 (4.2 % on a quiet machine, 14.7 % on a noisy one)"
    assert finds == said
    assert max(map(len, (time, finds))) <= 100, "a person reads it before saying yes"


def test_the_cost_of_waves_that_are_known_is_one_short_line(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """16 visits, two cells of 10 s, each with three trials and three waves of warm-up."""
    monkeypatch.setattr(Store, "usual_wave_s", lambda *_: 10.0)
    plan = replace(experiment(cells=CELLS[:2]), protection=Protection(tail_s=0))
    watched = replace(plan, protection=Protection())

    assert cost_words(store, watched, PLAN)[0].startswith("cost: about 48 min 00 s for 16 visits"), "the quiet minutes"
    time, _ = cost_words(store, plan, PLAN)
    live, _ = cost_words(store, plan, replace(PLAN, takes="live"))

    assert (
        time
        == "cost: about 32 min 00 s for 16 visits, 12 min 00 s to the first look; setting an arm comes on top of each"
    )
    assert live == "cost: about 48 min 00 s for 16 visits, 18 min 00 s to the first look"


def test_what_was_measured_before_plans_the_next_experiment(store: Store) -> None:
    earlier = experiment()
    store.create_experiment(earlier)
    store.end_experiment(earlier.id, ExperimentState.DONE, deviation=0.02)
    _, finds = cost_words(store, experiment(), PLAN)
    assert finds.startswith("can detect, four times in five: ")
    assert finds.endswith(" by block 8 (noise as in e1)")


def test_two_blocks_find_nothing_and_that_is_said_before(store: Store) -> None:
    assert "anecdote" in cost_words(store, experiment(blocks=2, cells=CELLS), PLAN)[1]


async def _interrupted_twice(work: asyncio.Future[str]) -> str:
    said: list[str] = []
    task = asyncio.ensure_future(to_the_end(work, said.append))
    await asyncio.sleep(0)
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not task.done()
    assert "first everything is brought back" in said[0]
    work.set_result("done")
    return await task


def test_what_must_be_brought_back_is_brought_back_before_an_interruption_counts() -> None:
    async def run() -> None:
        with pytest.raises(Interrupted, match="everything was brought back first"):
            await _interrupted_twice(asyncio.get_running_loop().create_future())

    asyncio.run(run())


def test_what_cannot_be_brought_back_is_told_as_it_is() -> None:
    async def fails() -> None:
        message = "still there"
        raise ChangeFailed(message)

    with pytest.raises(ChangeFailed, match="still there"):
        asyncio.run(to_the_end(fails(), lambda _: None))


def test_an_end_without_interruption_is_a_result() -> None:
    async def works() -> int:
        return 7

    assert asyncio.run(to_the_end(works(), lambda _: None)) == 7
