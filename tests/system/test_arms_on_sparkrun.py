"""Recipes as arms, by a real sparkrun and a real docker: read from inside, told apart by labels, stopped by id."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.support.arms import hold_settings
from tests.support.service_arms import planner_of, read_in_turn, restored
from tests.support.sparkrun_node import SparkrunNode, sparkrun_node

from sparktune.io.launching.hold import Hold

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def sparkrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkrunNode]:
    """Lead the program to that sparkrun."""
    with sparkrun_node(tmp_path) as node:
        for name, value in node.environment.items():
            monkeypatch.setenv(name, value)
        yield node


@pytest.mark.timeout(600)
async def test_arms_are_read_from_inside_and_everything_comes_back(tmp_path: Path, sparkrun: SparkrunNode) -> None:
    recipe = sparkrun.recipe.read_bytes()
    where = [{"node": "", "recipe": str(sparkrun.recipe), "cluster": "lab"}]
    b = {"options": {"slots": 4}, "env": {"LIMIT": 2}, "executor_args": "--cpuset-cpus 0"}
    settings = hold_settings(tmp_path, sparkrun.port)
    planner = await planner_of("sparkrun", {"A": {}, "B": b}, where, settings)
    hold = Hold(settings, remember=lambda _record: None)

    found = await read_in_turn(hold, planner, "AB")

    assert _plain(found[0]) == {"LIMIT": "1", "--slots": "3"}
    assert _plain(found[1]) == {"LIMIT": "2", "--slots": "4"}
    await restored(hold, planner)
    assert sparkrun.recipe.read_bytes() == recipe
    assert sparkrun.docker.run("ps", "--all", "--quiet") == "", "nothing ran before, and nothing does now"


@pytest.mark.timeout(600)
async def test_what_runs_with_more_than_arm_a_says_is_refused(tmp_path: Path, sparkrun: SparkrunNode) -> None:
    """Sparkrun knows nothing of the cores: it would come back on all of them."""
    sparkrun.sparkrun(
        *("run", str(sparkrun.recipe), "--cluster=lab", "--offline", "--no-auto-detect", "--no-follow"),
        *("-o", "slots=5", "--executor-args", "--cpuset-cpus 0"),
    )
    where = [{"node": "", "recipe": str(sparkrun.recipe), "cluster": "lab"}]
    settings = hold_settings(tmp_path, sparkrun.port)

    planner = await planner_of("sparkrun", {"A": {}, "B": {"env": {"LIMIT": 2}}}, where, settings)
    with pytest.raises(ValueError, match="slots is 5 there, 3 in arm A"):
        planner.plan("B")
    a = {"options": {"slots": 5}}
    planner = await planner_of("sparkrun", {"A": a, "B": {**a, "env": {"LIMIT": 2}}}, where, settings)
    with pytest.raises(ValueError, match="records executor_args nowhere"):
        planner.plan("B")


def _plain(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values of the two settings by their own names."""
    found = {name.rpartition(" ")[2]: value for name, value in values.items()}
    return {name: value for name, value in found.items() if name in {"LIMIT", "--slots"}}
