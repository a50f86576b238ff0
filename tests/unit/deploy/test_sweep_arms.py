"""A configuration as an arm: what is moved in it is set, nothing else is, and how it is seen to be live."""

from typing import Any

import pytest

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.deploy.sweep_arms import arm_with, live_with, planner_for
from sparktune.deploy.sweep_now import engine_of_words, now_of, view_now
from sparktune.deploy.sweep_space import candidate_of, candidates_of
from sparktune.errors import UsageError
from sparktune.model.arm_action import StartProcess
from sparktune.model.launcher import ArmSpec, LiveJson
from sparktune.model.sweep import BASELINE, Candidate, KnobRange, SweepPlan
from sparktune.model.sweep_record import SweepRecord

_RANGES = (
    KnobRange(knob="max_num_seqs", values=("2", "4"), baseline="1"),
    KnobRange(knob="env:X", values=("on",)),
)
_COMMAND = "llama-server -m a.gguf --parallel 1"
_NONE = Candidate(key=BASELINE)


def _record(**changes: Any) -> SweepRecord:  # noqa: ANN401 - fields of the record
    plan = SweepPlan(ranges=_RANGES, screened=candidates_of(_RANGES))
    fields = {"engine": "llamacpp", "baseline": {"command": _COMMAND}, "flags": {"--parallel": "1"}, **changes}
    return SweepRecord(id="s", created_wall_s=0.0, plan=plan, **fields)


def test_a_flag_is_replaced_where_it_stands() -> None:
    arm = arm_with(_record(), "command", candidate_of({"max_num_seqs": "4"}))

    assert arm == {"command": ["llama-server", "-m", "a.gguf", "--parallel", "4"]}


def test_the_baseline_is_as_it_is() -> None:
    assert arm_with(_record(), "command", _NONE) == {"command": _COMMAND.split()}


def test_a_variable_goes_beside_those_of_the_baseline() -> None:
    record = _record(baseline={"command": _COMMAND, "env": {"Y": "1"}})

    assert arm_with(record, "command", candidate_of({"env:X": "on"}))["env"] == {"Y": "1", "X": "on"}


@pytest.mark.parametrize("launcher", ["compose", "systemd", "script"])
def test_a_service_gets_settings_by_name(launcher: str) -> None:
    record = _record(engine="vllm", baseline={"wait_s": 60, "flags": {"--x": 1}}, flags={})
    arm = arm_with(record, launcher, candidate_of({"max_num_seqs": "4"}))

    assert arm == {"wait_s": 60, "flags": {"--x": 1, "--max-num-seqs": "4"}}


def test_a_launcher_that_sets_no_such_thing_is_told() -> None:
    with pytest.raises(UsageError, match=r"cpuset=0-3: launcher command sets no keys"):
        arm_with(_record(), "command", candidate_of({"cpuset": "0-3"}))


def test_a_reader_wants_the_value_of_its_knob() -> None:
    reader = {"http": "/props", "keys": "total_slots", "knob": "max_num_seqs"}
    record = _record(live=reader)

    assert live_with(record, candidate_of({"max_num_seqs": "4"})) == {
        "http": "/props",
        "keys": "total_slots",
        "A": "1",
        "B": "4",
    }
    assert live_with(record, candidate_of({"env:X": "on"}))["B"] == "1", "what is not moved stays as it is"


def test_a_reader_may_say_what_the_baseline_shows() -> None:
    reader = {"http": "/x", "keys": "y", "knob": "env:X", "A": "off"}

    assert live_with(_record(live={"x": reader}), _NONE)["x"] == {"http": "/x", "keys": "y", "A": "off", "B": "off"}


@pytest.mark.parametrize(
    ("reader", "words"),
    [
        ({"http": "/x", "keys": "y", "knob": "env:X"}, "what the baseline shows for env:X is not known"),
        ({"http": "/x", "keys": "y", "knob": "block_size"}, "'block_size' is not swept"),
        ({"http": "/x", "keys": "y"}, "does not say which knob it shows"),
    ],
)
def test_a_reader_that_cannot_tell_is_refused(reader: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        live_with(_record(live=reader), _NONE)


def test_the_planner_has_the_configuration_as_arm_b_and_the_baseline_as_arm_a() -> None:
    record = _record(live={"http": "/props", "keys": "total_slots", "knob": "max_num_seqs"})
    planner = ArmPlanner(launcher="command", spec=ArmSpec(arms={"A": dict(record.baseline)}))
    found = planner_for(planner, record, candidate_of({"max_num_seqs": "2"}))

    starts = {arm: next(one for one in found.plan(arm).actions if isinstance(one, StartProcess)) for arm in "AB"}
    wanted = {arm: [one.wanted for one in found.plan(arm).readers if isinstance(one, LiveJson)] for arm in "AB"}
    assert (starts["A"].argv[-1], starts["B"].argv[-1]) == ("1", "2")
    assert wanted == {"A": ["1"], "B": ["2"]}


def test_what_runs_now_is_read_from_the_command() -> None:
    arms = {"A": {"command": _COMMAND, "env": {"LLAMA_ARG_UBATCH": 256}}}
    planner = ArmPlanner(launcher="command", spec=ArmSpec(arms=arms))
    now = now_of(planner, "llamacpp")
    view = view_now(planner)

    assert now.flags == {"-m": "a.gguf", "--parallel": "1"}
    assert now.values["parallel"] == 1
    assert now.values["ubatch_size"] == 256
    assert view is not None
    assert [part.engine for part in view.parts] == ["llamacpp"]


def test_the_engine_is_told_by_the_command() -> None:
    assert engine_of_words(("vllm", "serve", "x")) == "vllm"
    assert engine_of_words(("python", "-m", "my.server")) == ""
