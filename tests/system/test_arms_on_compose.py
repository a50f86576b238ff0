"""Services of docker compose as arms, on a real docker: read from inside, refused when sabotaged, brought back."""

import asyncio
import json
import signal
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import hold_settings
from tests.support.compose_project import ComposeProject, compose_project
from tests.support.killed_compose import ARMS, WHERE
from tests.support.service_arms import planner_of, read_in_turn, restored

from sparktune.io.launching.hold import Hold
from sparktune.io.launching.settings import HoldSettings
from sparktune.model.arm_action import RunOnNode

pytestmark = [pytest.mark.root, pytest.mark.slow]  # the contract of launchers asks the same in less time


@pytest.fixture(scope="module")
def started() -> Iterator[ComposeProject]:
    """Run one daemon for all tests; each has its own files and its own containers."""
    with compose_project() as project:
        yield project


@pytest.fixture
def project(started: ComposeProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ComposeProject]:
    """Lead the program to that daemon, which has no containers before and after."""
    monkeypatch.setenv("DOCKER_HOST", started.docker.host)
    with started.in_folder(tmp_path / "service") as project:
        yield project


_B = {"env": {"LIMIT": 2, "DEPTH": 8, "FRESH": "x y"}, "flags": {"--slots": 4}}


async def test_arms_are_read_from_inside_and_everything_comes_back(tmp_path: Path, project: ComposeProject) -> None:
    """A literal, a variable of .env, a new entry and a flag; files byte for byte, the container as it was."""
    project.up("server")
    files, before = project.files(), project.container("server")
    settings = hold_settings(tmp_path, project.port)
    planner = await planner_of("compose", {"A": {}, "B": _B}, [{"node": "", "service": "server"}], settings)
    hold = Hold(settings, remember=lambda _record: None)

    found = await read_in_turn(hold, planner)

    a, b = _plain(found[0]), _plain(found[1])
    assert a == {"LIMIT": "1", "DEPTH": "5", "FRESH": "(not set)", "--slots": "3"}
    assert b == {"LIMIT": "2", "DEPTH": "8", "FRESH": "x y", "--slots": "4"}
    assert [_plain(one) for one in found] == [a, b, b, a]
    await restored(hold, planner)
    assert project.files() == files
    assert project.container("server") == before
    assert project.answer("/props")["total_slots"] == 3


async def test_a_file_that_was_edited_without_a_new_container_is_refused(
    tmp_path: Path, project: ComposeProject
) -> None:
    project.up("server")
    settings = hold_settings(tmp_path, project.port)
    planner = await planner_of("compose", {"A": {}, "B": _B}, [{"node": "", "service": "server"}], settings)
    hold = Hold(settings, remember=lambda _record: None)
    plan = planner.plan("B")
    lazy = replace(plan, actions=tuple(one for one in plan.actions if not isinstance(one, RunOnNode)), leave=())

    await hold.set_arm("B", lazy)
    reading = await hold.read_live(plan)
    await hold.release()

    assert not reading.ok
    assert "LIMIT" in reading.why
    assert "'1'" in reading.why or " 1" in reading.why


async def test_an_entrypoint_that_sets_the_variable_itself_is_refused(tmp_path: Path, project: ComposeProject) -> None:
    """The container is declared with the arm's value, and its process has another one."""
    project.up("shadowed")
    settings = hold_settings(tmp_path, project.port)
    arms = {"A": {}, "B": {"env": {"LIMIT": 2}}}
    planner = await planner_of("compose", arms, [{"node": "", "service": "shadowed"}], settings)
    hold = Hold(settings, remember=lambda _record: None)
    await hold.perform(planner.begin())
    plan = planner.plan("B")

    await hold.set_arm("B", plan)
    reading = await hold.read_live(plan)
    await restored(hold, planner)

    assert not reading.ok
    assert "LIMIT" in reading.why
    assert "9" in reading.why


async def test_a_variable_of_the_image_that_is_to_be_gone_is_refused(tmp_path: Path, project: ComposeProject) -> None:
    project.up("server")
    settings = hold_settings(tmp_path, project.port)
    arms = {"A": {}, "B": {"env": {"BAKED": None}}}
    planner = await planner_of("compose", arms, [{"node": "", "service": "server"}], settings)
    hold = Hold(settings, remember=lambda _record: None)
    await hold.perform(planner.begin())
    plan = planner.plan("B")

    await hold.set_arm("B", plan)
    reading = await hold.read_live(plan)
    await restored(hold, planner)

    assert not reading.ok
    assert "BAKED" in reading.why
    assert "image" in reading.why


async def test_one_rank_that_was_not_started_anew_is_refused(tmp_path: Path, project: ComposeProject) -> None:
    """Two ranks, and only the second one is created anew: the first one still has the old settings."""
    project.up("rank1", "server")
    settings = hold_settings(tmp_path, project.port)
    where = [{"node": "", "service": "rank1"}, {"node": "", "service": "server"}]
    planner = await planner_of("compose", {"A": {}, "B": {"env": {"DEPTH": 8}}}, where, settings)
    hold = Hold(settings, remember=lambda _record: None)
    plan = planner.plan("B")
    half = replace(
        plan,
        actions=tuple(one for one in plan.actions if not (isinstance(one, RunOnNode) and one.argv[-1] == "rank1")),
        leave=(),
    )

    await hold.set_arm("B", half)
    reading = await hold.read_live(plan)
    await hold.release()

    assert not reading.ok
    assert "rank1" in reading.why
    assert "DEPTH" in reading.why


async def test_a_service_that_is_not_what_its_file_says_is_refused_before_anything_is_touched(
    tmp_path: Path, project: ComposeProject
) -> None:
    project.up("server", environment={"DEPTH": "77"})  # a variable of somebody's shell
    settings = hold_settings(tmp_path, project.port)
    planner = await planner_of("compose", {"A": {}, "B": _B}, [{"node": "", "service": "server"}], settings)

    with pytest.raises(ValueError, match="DEPTH is '77' in the container, '5' by the files") as failed:
        planner.plan("A")
    assert "could not be brought back" in str(failed.value)


async def test_a_kill_at_any_record_loses_nothing(tmp_path: Path, project: ComposeProject) -> None:
    """Files byte for byte and the server as it was, wherever the experiment died: a sample of the places."""
    project.up("server")
    files, before = project.files(), project.container("server")
    settings = hold_settings(tmp_path, project.port)
    at = 1
    while not (tmp_path / "ended").exists():
        (tmp_path / "record.json").unlink(missing_ok=True)
        words = ("-m", "tests.support.killed_compose", str(tmp_path), str(project.port), str(at))
        child = await asyncio.create_subprocess_exec(sys.executable, *words)
        code = await child.wait()
        assert (tmp_path / "ended").exists() or code == -signal.SIGKILL

        await _recovered(tmp_path, settings)

        assert project.files() == files, f"killed at record {at}"
        assert project.container("server") == before, f"killed at record {at}"
        assert project.answer("/props")["total_slots"] == 3, f"killed at record {at}"
        at += 3
    assert at > 1 + 3, "it was never killed"


async def _recovered(folder: Path, settings: HoldSettings) -> None:
    """Do what resuming does: what is left is taken back, and what ran before is brought back."""
    record = json.loads((folder / "record.json").read_text())
    kept: list[Mapping[str, Any]] = [record]
    recovered = await Hold.recover(record, settings, remember=kept.append)
    assert recovered.left == ()
    hold = Hold(settings, remember=kept.append, record=kept[-1])
    planner = await planner_of("compose", ARMS, WHERE, settings)
    await hold.perform(hold.keep_original(planner.original(), begins=False))


def _plain(values: Mapping[str, str]) -> dict[str, str]:
    """Return values by the setting's own name, without those of one start."""
    found = {name.rpartition(" ")[2]: value for name, value in values.items()}
    return {name: value for name, value in found.items() if name not in {"started", "image"}}
