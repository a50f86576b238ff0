"""A sweep without a world: configurations that are words of a command, whose rates are made up by the test."""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.experiments import CELLS, experiment, run_result
from tests.support.held import FakeHold, fake_tools

from sparktune.deploy.sweep_arms import arm_with, planner_for
from sparktune.deploy.sweep_space import candidates_of
from sparktune.errors import NotStarted
from sparktune.experiment.design import Arm, Block
from sparktune.experiment.plan import Experiment
from sparktune.flows.ab.measure import Measured
from sparktune.flows.ab.tools import AbTools
from sparktune.flows.bench.load_watch import LoadWatch
from sparktune.flows.sweep.visit import SweepTools
from sparktune.model.arm_action import StartProcess
from sparktune.model.launcher import ArmPlan
from sparktune.model.sweep import BASELINE, Candidate, KnobRange, SweepPlan
from sparktune.model.sweep_record import SweepRecord

RANGES = (
    KnobRange(knob="flag:--x", values=("1", "2", "3"), baseline="0"),
    KnobRange(knob="flag:--y", values=("1",), baseline="0"),
)
COMMAND = ["serve", "--x", "0", "--y", "0"]


class SweepHold(FakeHold):
    """Starts every configuration but those that ``refuses`` names; ``words`` are those of the one that runs."""

    def __init__(self, refuses: Sequence[str] = ()) -> None:
        super().__init__()
        self.words: tuple[str, ...] = ()
        self.started: list[str] = []
        self._refuses = refuses

    async def set_arm(self, arm: str, plan: ArmPlan) -> None:
        """Remember the words, or refuse them."""
        await super().set_arm(arm, plan)
        start = plan.actions[0]
        assert isinstance(start, StartProcess)
        self.words = start.argv
        told = " ".join(start.argv)
        self.started.append(told)
        if any(refused in told for refused in self._refuses):
            message = f"the server did not come up: {told} is too much for it"
            raise NotStarted(message)


class SweepMeasure:
    """Stands for ``measure_visit``: ``rate_of`` gives the rate of the words that run."""

    def __init__(self, hold: SweepHold, rate_of: Callable[[Mapping[str, str]], float], noise: float = 0.0) -> None:
        self.error: BaseException | None = None
        self.at = 0  # the visit in which the error comes
        self.hangs_at = 0  # the start after which nothing is measured until something ends it
        self.visits = 0
        self.engine: Mapping[str, str] = {}  # fields of the engine that differ from now on
        self._hold, self._rate_of, self._noise = hold, rate_of, noise
        self._draw = random.Random(3)

    async def __call__(
        self,
        tools: AbTools,
        plan: Experiment,
        block: Block,
        *,
        owed: Mapping[str, int],
        earlier: Sequence[object],
        began: Callable[[Any], None],
        watch: LoadWatch,
    ) -> Measured:
        """Return a made-up result, or raise the error in its visit."""
        del plan, block, owed, earlier, watch
        self.visits += 1
        if len(self._hold.started) == self.hangs_at:
            await asyncio.Event().wait()
        if self.error is not None and self.visits == self.at:
            raise self.error
        words = self._hold.words
        rate = self._rate_of(dict(zip(words[1::2], words[2::2], strict=True))) * self._draw.lognormvariate(
            0, self._noise
        )
        values = {CELLS[0]: {"output_tok_s": (rate, rate * 1.001, rate * 0.999), "ttft_s": (1.0, 1.0, 1.0)}}
        result = run_result(values, f"r{self.visits}")
        result = replace(result, run=replace(result.run, engine=replace(result.run.engine, **self.engine)))
        tools.store.create_run(result.run)
        began(result.run)
        return Measured(result=result, owed={})


def swept(**changes: Any) -> tuple[SweepRecord, Experiment]:  # noqa: ANN401 - fields of the plan
    """Return a sweep over two flags of a command, and what holds for it."""
    plan = SweepPlan(ranges=RANGES, screened=candidates_of(RANGES), race_blocks=2, pairs=False, visit_s=10.0)
    record = SweepRecord(
        id="e1",
        created_wall_s=1e9,
        plan=replace(plan, **changes),
        baseline={"command": COMMAND},
        flags={"--x": "0", "--y": "0"},
    )
    arms = {
        Arm.A: arm_with(record, "command", Candidate(key=BASELINE)),
        Arm.B: arm_with(record, "command", record.plan.screened[0]),
    }
    return record, replace(experiment(cells=CELLS[:1]), id="e1", arms=arms, blocks=(), sweep=True)


def sweep_tools(folder: Path, hold: SweepHold, record: SweepRecord, umbrella: Experiment) -> SweepTools:
    """Return tools with a real store that has the sweep, and nothing else that is real."""
    ab = fake_tools(folder, hold, plan=replace(umbrella, id="other"))
    ab.store.create_sweep(record, umbrella)
    planner = replace(ab.planner, spec=umbrella.spec)
    return SweepTools(
        ab=replace(ab, planner=planner),
        planner_of=lambda candidate: planner_for(planner, record, candidate),
        logs=folder / "logs",
    )
