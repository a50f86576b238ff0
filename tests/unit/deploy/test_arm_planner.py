"""Two ways to run the same: each arm by its own launcher, both read back, and what the first one was comes back."""

from collections.abc import Mapping
from typing import Any

import pytest

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.model.arm_action import RunCommand
from sparktune.model.launcher import ArmSpec, LiveJson

_COMMAND: Mapping[str, Any] = {"command": ["serve", "--port", "1"]}
_SWITCHED: Mapping[str, Any] = {"switch": ["/usr/bin/true"]}
_LIVE = {"model": {"http": "/v1/models", "keys": "data.0.id", "A": "x", "B": "y"}}


def _planner(top: str, a: Mapping[str, Any], b: Mapping[str, Any], live: Mapping[str, Any] = _LIVE) -> ArmPlanner:
    planner = ArmPlanner(launcher=top, spec=ArmSpec(arms={"A": a, "B": b}, live=live))
    planner.check()
    return planner


_MIXED = [
    ("command", _COMMAND, {"launcher": "attach", **_SWITCHED}),
    ("attach", {"launcher": "command", **_COMMAND}, _SWITCHED),
    ("attach", _SWITCHED, {"launcher": "command", **_COMMAND}),
    ("command", {"launcher": "attach", **_SWITCHED}, _COMMAND),
]


@pytest.mark.parametrize(("top", "a", "b"), _MIXED)
def test_both_arms_are_read_back_by_what_is_declared_for_them(
    top: str, a: Mapping[str, Any], b: Mapping[str, Any]
) -> None:
    """The reader of an arm is declared once for both, and each launcher knows its own arm alone."""
    planner = _planner(top, a, b)
    for arm, wanted in (("A", "x"), ("B", "y")):
        readers = [reader for reader in planner.plan(arm).readers if isinstance(reader, LiveJson)]
        assert [reader.wanted for reader in readers] == [wanted]


@pytest.mark.parametrize(("top", "a", "b"), _MIXED)
def test_a_reader_without_a_name_is_split_as_well(top: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> None:
    assert _planner(top, a, b, _LIVE["model"]).plan("B").readers


@pytest.mark.parametrize(("top", "a", "b"), _MIXED)
def test_only_the_way_of_arm_a_brings_it_back(top: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> None:
    switched = [action for action in _planner(top, a, b).original() if isinstance(action, RunCommand)]
    assert len(switched) == ("switch" in a)


def test_a_part_that_is_named_twice_is_refused() -> None:
    """It would be stopped and started twice in a visit, and its file edited by two of the same steps."""
    part = {"node": "spark1", "unit": "vllm.service"}
    planner = ArmPlanner(launcher="systemd", spec=ArmSpec(arms={"A": {}, "B": {"env": {"X": 1}}}, where=(part, part)))
    with pytest.raises(ValueError, match=r"node: spark1, unit: vllm\.service} is there twice"):
        planner.check()
