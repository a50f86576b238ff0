"""The order of an experiment: what is set, read, measured, restored; and what ends it."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.held import PLAN, FakeHold, FakeMeasure, fake_tools

from sparktune.errors import (
    ArmFailed,
    ConnectFailed,
    Interrupted,
    NodeUnreachable,
    SparktuneError,
    UnknownModel,
    UsageError,
)
from sparktune.experiment.plan import VisitState
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.flows.ab import run as ab
from sparktune.flows.ab import visit as ab_visit
from sparktune.flows.ab.run import resume, run_experiment
from sparktune.flows.ab.tools import AbTools
from sparktune.model.arm_action import RunOnNode
from sparktune.model.experiment_row import ExperimentRow, ExperimentState


@pytest.fixture
def hold() -> FakeHold:
    return FakeHold()


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> FakeMeasure:
    fake = FakeMeasure(1.3)
    monkeypatch.setattr(ab_visit, "measure_visit", fake)
    return fake


def _run(tools: AbTools) -> ExperimentResult:
    return asyncio.run(run_experiment(tools, PLAN))


def _row(tools: AbTools) -> ExperimentRow:
    return tools.store.experiment_row(PLAN.id)


def test_arms_alternate_and_a_verdict_ends_it_at_the_first_look(
    tmp_path: Path, hold: FakeHold, measure: FakeMeasure
) -> None:
    tools = fake_tools(tmp_path, hold)
    result = _run(tools)

    assert result.verdict is Verdict.IMPROVED
    assert measure.visits == 6
    assert [did for did in hold.did if did.startswith("set")] == [
        f"set {arm}" for arm in ("A", "B", "B", "A", "A", "B")
    ]
    assert hold.did[-2:] == ["release", "perform 0"]
    assert (_row(tools).state, _row(tools).verdict) == (ExperimentState.DONE, "IMPROVED")
    assert _row(tools).deviation is not None
    assert "nothing ran at its address before" in result.afterwards


@pytest.mark.usefixtures("measure")
def test_an_accepted_winner_is_set_last_and_no_longer_held(tmp_path: Path, hold: FakeHold) -> None:
    tools = fake_tools(tmp_path, hold, accept=True)
    result = _run(tools)

    assert hold.did[-1] == "set B"
    assert result.afterwards == "the winner (arm B) is live: arm = B"
    assert not _row(tools).holds


@pytest.mark.usefixtures("measure")
def test_a_winner_that_cannot_be_set_gives_way_to_the_original(tmp_path: Path, hold: FakeHold) -> None:
    class Weary(FakeHold):
        async def set_arm(self, arm: str, plan: object) -> None:
            if len(self.did) > 11:
                message = "no memory"
                raise NodeUnreachable(message)
            await super().set_arm(arm, plan)  # type: ignore[arg-type]

    del hold
    weary = Weary()
    result = _run(fake_tools(tmp_path, weary, accept=True))

    assert result.verdict is Verdict.IMPROVED
    assert weary.did[-2:] == ["release", "perform 0"]
    assert "the winner could not be set (no memory)" in result.afterwards


def test_what_is_not_live_is_not_measured(tmp_path: Path, hold: FakeHold, measure: FakeMeasure) -> None:
    hold.refused = frozenset("B")
    tools = fake_tools(tmp_path, hold)
    result = _run(tools)

    assert result.verdict is Verdict.INVALID
    assert result.why.startswith("V09: block 1, arm B was not live: it is not")
    assert measure.visits == 1
    assert [record.state for record in tools.store.visits(PLAN.id)] == [VisitState.DONE, VisitState.REFUSED]


def test_an_arm_without_a_rate_ends_it_after_its_block(tmp_path: Path, hold: FakeHold, measure: FakeMeasure) -> None:
    """No later block could give a verdict: hours of measuring for an INVALID that was known after minutes."""
    measure.uncounted = frozenset("B")
    result = _run(fake_tools(tmp_path, hold))

    assert result.verdict is Verdict.INVALID
    assert "(arm B: the server does not say)" in result.why
    assert measure.visits == 2


def test_a_setting_that_changes_ends_it(tmp_path: Path, hold: FakeHold, measure: FakeMeasure) -> None:
    """Each visit reads twice: the fourth reading is the end of the second visit."""
    hold.changes_on_read = 4
    result = _run(fake_tools(tmp_path, hold))

    assert result.verdict is Verdict.INVALID
    assert "V18: block 1, arm B: arm went from B to another during the visit" in result.why
    assert measure.visits == 2


def test_a_reading_that_fails_once_is_asked_again(tmp_path: Path, hold: FakeHold, measure: FakeMeasure) -> None:
    """A server that is slow for a moment has changed nothing: hours of measuring are not lost to it."""
    hold.silent_on_reads = {4, 5}
    result = _run(fake_tools(tmp_path, hold))

    assert result.verdict is not Verdict.INVALID
    assert result.blocks
    assert measure.visits > 2


def test_a_setting_that_cannot_be_read_any_more_is_not_said_to_have_changed(
    tmp_path: Path, hold: FakeHold, measure: FakeMeasure
) -> None:
    hold.silent_on_reads = range(4, 7)
    result = _run(fake_tools(tmp_path, hold))

    assert result.verdict is Verdict.INVALID
    assert "V18: block 1, arm B: arm could not be read after the trials" in result.why
    assert measure.visits == 2


def test_a_server_that_dies_stops_it(tmp_path: Path, hold: FakeHold, measure: FakeMeasure) -> None:
    hold.gone = "killed by signal 9"
    measure.error = ConnectFailed("nobody answers")
    result = _run(fake_tools(tmp_path, hold))

    assert result.verdict is Verdict.STOPPED
    assert "the server of arm A is gone: killed by signal 9" in result.why


def test_a_server_that_others_run_and_that_is_gone_is_an_error_after_the_original_is_back(
    tmp_path: Path, hold: FakeHold, measure: FakeMeasure
) -> None:
    measure.error = ConnectFailed("nobody answers", hint="go on with: sparktune bench --resume r1")
    tools = fake_tools(tmp_path, hold)
    with pytest.raises(ConnectFailed) as caught:
        _run(tools)

    assert caught.value.hint == f"go on with: sparktune ab resume {PLAN.id}"
    assert hold.did[-2:] == ["release", "perform 0"]
    assert _row(tools).state is ExperimentState.INTERRUPTED
    assert [record.why for record in tools.store.visits(PLAN.id)] == ["nobody answers"]


def test_an_arm_that_never_came_up_is_to_be_fixed_not_resumed(tmp_path: Path, hold: FakeHold) -> None:
    """A stored experiment keeps its arms: to resume it would fail in the same way again."""
    hold.fails["set A"] = ArmFailed("the server did not come up: it ended with exit code 2", hint="run it by hand")
    with pytest.raises(ArmFailed) as caught:
        _run(fake_tools(tmp_path, hold))

    fix = "fix arm A and start a new experiment: a stored one cannot be edited"
    assert caught.value.hint == f"run it by hand; {fix}"


@pytest.mark.parametrize(
    "error",
    [UnknownModel("the server does not serve m"), UsageError("the server serves 2 models, and none was named")],
    ids=["unknown-model", "several-models"],
)
def test_an_arm_that_does_not_answer_what_is_asked_is_to_be_fixed_too(
    tmp_path: Path, hold: FakeHold, measure: FakeMeasure, error: SparktuneError
) -> None:
    measure.error = error
    with pytest.raises(type(error)) as caught:
        _run(fake_tools(tmp_path, hold))

    assert "fix arm A and start a new experiment" in caught.value.hint
    assert "ab resume" not in caught.value.hint


@pytest.mark.usefixtures("measure")
def test_an_arm_that_was_measured_before_can_be_resumed(tmp_path: Path, hold: FakeHold) -> None:
    """It came up once, as it is written: what keeps it down now is something else."""

    class Late(FakeHold):
        async def set_arm(self, arm: str, plan: object) -> None:
            if len(self.did) > 6:
                message = "something answers at 127.0.0.1:8080 already"
                raise ArmFailed(message)
            await super().set_arm(arm, plan)  # type: ignore[arg-type]

    del hold
    with pytest.raises(ArmFailed) as caught:
        _run(fake_tools(tmp_path, Late()))

    assert caught.value.hint == f"go on with: sparktune ab resume {PLAN.id}"


@pytest.mark.parametrize("error", [asyncio.CancelledError(), Interrupted("ended by Ctrl-C")])
def test_an_interruption_restores(tmp_path: Path, hold: FakeHold, measure: FakeMeasure, error: BaseException) -> None:
    measure.error = error
    tools = fake_tools(tmp_path, hold)
    with pytest.raises(Interrupted, match="nothing ran at its address before") as caught:
        _run(tools)

    assert f"sparktune ab resume {PLAN.id}" in caught.value.hint
    assert [record.state for record in tools.store.visits(PLAN.id)] == [VisitState.VOID]


@pytest.mark.usefixtures("measure")
def test_a_service_that_did_not_run_before_is_not_asked_for_a_proof(tmp_path: Path, hold: FakeHold) -> None:
    """It was put back as it was, stopped: arm A is not live, and that is right."""
    hold.refused = frozenset({""})
    tools = fake_tools(tmp_path, hold)
    stopped = (RunOnNode(node="", argv=("docker", "compose", "rm", "--force", "vllm")),)
    _run(replace(tools, planner=tools.planner.bringing_back(stopped)))

    assert hold.did[-1] == "perform 1"
    assert _row(tools).afterwards == "the files are as they were, and the service does not run, as before"


@pytest.mark.usefixtures("measure")
@pytest.mark.parametrize("accept", [False, True], ids=["original", "winner"])
def test_what_was_restored_is_not_touched_again(
    tmp_path: Path, hold: FakeHold, monkeypatch: pytest.MonkeyPatch, *, accept: bool
) -> None:
    """What runs now may be in use: to bring it back once more would restart it for nothing."""
    tools = fake_tools(tmp_path, hold, accept=accept)
    ended = _run(tools)
    hold.did.clear()
    monkeypatch.setattr(ab, "experiment_result", lambda *_: ended)  # the runs of these visits were never stored
    asyncio.run(resume(tools, PLAN, restore_only=True))

    assert hold.did == []
    assert _row(tools).afterwards == ended.afterwards


@pytest.mark.usefixtures("measure")
def test_what_cannot_be_restored_is_still_held(tmp_path: Path, hold: FakeHold) -> None:
    hold.fails["perform 0"] = NodeUnreachable("spark2: no way there")
    tools = fake_tools(tmp_path, hold)
    with pytest.raises(NodeUnreachable) as caught:
        _run(tools)

    assert f"then: sparktune ab resume {PLAN.id} --restore-only" in caught.value.hint
    assert f"sparktune ab show {PLAN.id}" in caught.value.hint
    assert _row(tools).verdict == "IMPROVED"


def test_a_hopeless_experiment_ends_when_nobody_wants_to_go_on(
    tmp_path: Path, hold: FakeHold, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMeasure(1.0, noise=0.6)
    monkeypatch.setattr(ab_visit, "measure_visit", fake)
    tools = fake_tools(tmp_path, hold, go_on=False)
    result = _run(tools)

    assert result.verdict is Verdict.INCONCLUSIVE
    assert "the chance of a verdict by the last one was" in result.why
    assert fake.visits in {6, 10}


def test_it_goes_to_the_last_look_when_somebody_does(
    tmp_path: Path, hold: FakeHold, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMeasure(1.0, noise=0.6)
    monkeypatch.setattr(ab_visit, "measure_visit", fake)
    result = _run(fake_tools(tmp_path, hold))

    assert result.verdict is Verdict.INCONCLUSIVE
    assert fake.visits == 16
