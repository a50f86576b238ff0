"""Arms that count at a boot: the experiment ends with everything written, and goes on where it was after it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.held import PLAN, FakeHold, FakeMeasure, fake_tools

from sparktune.errors import BootDue
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment, VisitState
from sparktune.experiment.verdict import Verdict
from sparktune.flows.ab import run as ab
from sparktune.flows.ab import visit as ab_visit
from sparktune.flows.ab.result import Results
from sparktune.flows.ab.run import run_experiment
from sparktune.flows.ab.tools import AbTools
from sparktune.model.arm_action import Action
from sparktune.model.experiment_row import ExperimentState

_STEP = {"kind": "file", "path": "/etc/x.conf", "text": "a"}
_PLAN = replace(
    PLAN,
    launcher="boot",
    arms={Arm.A: {}, Arm.B: {"steps": [_STEP]}},
    live={"command": ["ask"], "A": "0", "B": "1"},
)


class BootingHold(FakeHold):
    """Each arm is written, and counts after a boot."""

    async def set_arm(self, arm: str, plan: object) -> None:
        """Write it."""
        await super().set_arm(arm, plan)  # type: ignore[arg-type]
        message = "the arm is written, and counts when this machine has booted"
        raise BootDue(message)

    async def perform(self, actions: Sequence[Action]) -> None:
        """Bring back files, which count after a boot, too."""
        await super().perform(actions)
        message = "the original counts when this machine has booted"
        raise BootDue(message)


@pytest.fixture(autouse=True)
def _measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ab_visit, "measure_visit", FakeMeasure(1.3))


def _until_the_end(tools: AbTools, plan: Experiment) -> int:
    """Run it, boot after boot; return how often it was booted."""
    boots = 0
    while True:
        try:
            result = asyncio.run(run_experiment(tools, plan))
        except BootDue:
            assert tools.store.experiment_row(plan.id).state is ExperimentState.INTERRUPTED
            boots += 1
            continue
        assert result.verdict is Verdict.IMPROVED
        assert "they count when this machine has booted" in result.afterwards
        return boots


def test_an_experiment_goes_on_after_every_boot_and_comes_to_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three blocks of two visits, each of which is set, booted for, and gone on with: nothing is measured twice."""
    hold = BootingHold()
    tools = fake_tools(tmp_path, hold, plan=_PLAN)
    results = Results(tools.store)  # made-up runs are in no store
    monkeypatch.setattr(ab, "Results", lambda _store: results)

    assert _until_the_end(tools, _PLAN) == 6
    assert hold.did.count("after boot") == 6
    visits = tools.store.visits(_PLAN.id)
    assert [(visit.block, visit.attempt, visit.place, visit.state) for visit in visits] == [
        (block, 1, place, VisitState.DONE) for block in (1, 2, 3) for place in (0, 1)
    ]


def test_what_waits_for_a_boot_is_not_taken_back(tmp_path: Path) -> None:
    hold = BootingHold()
    tools = fake_tools(tmp_path, hold, plan=_PLAN)
    with pytest.raises(BootDue) as caught:
        asyncio.run(run_experiment(tools, _PLAN))

    assert caught.value.hint == f"boot it, and go on with: sparktune ab resume {_PLAN.id}"
    assert hold.did[-1] == "set A"
    (visit,) = tools.store.visits(_PLAN.id)
    assert visit.state is VisitState.BOOTING
