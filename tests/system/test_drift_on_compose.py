"""Drift on a real docker: what was earned, what compose's files say, and what the containers' own processes have."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.compose_project import ComposeProject, compose_project

from sparktune.errors import ExitCode
from sparktune.flows.drift import DriftWish, drift_exit, drift_rows, observe_drift
from sparktune.io.cluster import NodeTarget
from sparktune.io.drift.service import DriftTargets
from sparktune.model.drift import DriftRow, DriftStatus, ServicePlace
from sparktune.report.drift.json import drift_json
from sparktune.report.drift.verdict import verdict

pytestmark = pytest.mark.root

_EARNED: Mapping[str, Any] = {"knob": "LIMIT", "value": {"env": {"LIMIT": "2"}}, "scope": {"service": "house"}}


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


def _look(
    project: ComposeProject, *where: Mapping[str, Any], earned: tuple[Mapping[str, Any], ...] = ()
) -> tuple[DriftRow, ...]:
    place = ServicePlace(name="house", launcher="compose", where=where, endpoint=f"http://127.0.0.1:{project.port}/v1")
    names = dict.fromkeys(str(one.get("node") or "") for one in where)
    targets = DriftTargets(nodes={name: NodeTarget(name=name or "local") for name in names})
    wish = DriftWish(place=place, targets=targets, earned=earned, earned_file="earned.yaml" if earned else "")
    return drift_rows(asyncio.run(observe_drift(wish)))


def _row(rows: tuple[DriftRow, ...], key: str, node: str = "local") -> DriftRow:
    return next(row for row in rows if row.key == key and row.node == node)


def _texts(row: DriftRow) -> tuple[str | None, ...]:
    return tuple(None if one is None else one.text for one in (row.earned, row.file, row.live))


def test_earned_two_file_one_live_one_is_found(project: ComposeProject) -> None:
    """The story that this command is for: nobody noticed that a file had gone back to the old value."""
    project.up("server")

    rows = _look(project, {"node": "", "service": "server"}, earned=(_EARNED,))

    row = _row(rows, "env.LIMIT")
    assert row.status is DriftStatus.FILE_DRIFT
    assert _texts(row) == ("2", "1", "1")
    assert drift_exit(rows) is ExitCode.DIFFERENCES
    assert "LIMIT on local: earned 2, file 1, live 1" in verdict(rows)
    said = json.loads(drift_json("house", rows))
    told = next(one for one in said["rows"] if one["key"] == "LIMIT")
    assert (told["earned"], told["file"], told["live"], told["status"]) == ("2", "1", "1", "FILE DRIFT")


def test_a_service_as_its_files_say_has_not_drifted(project: ComposeProject) -> None:
    """Literals, variables of .env and flags: no row of a service that was just brought up may part from anything."""
    project.up("server")
    entry = {**_EARNED, "value": {"env": {"LIMIT": "1"}}}

    rows = [
        row for row in _look(project, {"node": "", "service": "server"}, earned=(entry,)) if row.aspect == "settings"
    ]

    assert [(row.key, row.why) for row in rows if row.status.is_drift or row.also] == []
    assert _row(tuple(rows), "env.LIMIT").status is DriftStatus.OK
    assert _texts(_row(tuple(rows), "env.DEPTH")) == (None, "5", "5")


def test_a_file_that_was_edited_and_not_applied_is_not_live(project: ComposeProject) -> None:
    project.up("server")
    file = project.folder / "compose.yaml"
    file.write_text(file.read_text().replace('LIMIT: "1"', 'LIMIT: "2"'))

    rows = _look(project, {"node": "", "service": "server"}, earned=(_EARNED,))

    row = _row(rows, "env.LIMIT")
    assert row.status is DriftStatus.NOT_LIVE
    assert _texts(row) == ("2", "2", "1")
    assert row.survives is False
    assert drift_exit(rows) is ExitCode.DIFFERENCES


def test_an_entrypoint_that_sets_the_variable_itself_is_not_live(project: ComposeProject) -> None:
    """The declaration says 1, and the process has 9: only its own environment tells."""
    project.up("shadowed")

    rows = _look(project, {"node": "", "service": "shadowed"})

    row = _row(rows, "env.LIMIT")
    assert row.status is DriftStatus.NOT_LIVE
    assert _texts(row) == (None, "1", "9")


def test_two_nodes_that_differ_in_one_variable_are_named(project: ComposeProject) -> None:
    """Two containers stand for two nodes, brought up with two values: each is as its own start, and they differ."""
    project.up("server", environment={"DEPTH": "5"})
    project.up("rank1", environment={"DEPTH": "7"})

    rows = _look(project, {"node": "spark1", "service": "server"}, {"node": "spark2", "service": "rank1"})

    one, other = (_row(rows, "env.DEPTH", node) for node in ("spark1", "spark2"))
    assert DriftStatus.NODES_DIFFER in (one.status, *one.also)
    assert DriftStatus.NODES_DIFFER in (other.status, *other.also)
    assert "spark1 has 5, spark2 7" in one.why


def test_a_service_that_does_not_run_is_unreadable_and_not_dropped(project: ComposeProject) -> None:
    file = str(project.folder / "compose.yaml")
    entry = {**_EARNED, "value": {"env": {"LIMIT": "1"}}}

    rows = _look(project, {"node": "", "file": file, "service": "server"}, earned=(entry,))

    row = _row(rows, "env.LIMIT")
    assert row.status is DriftStatus.UNREADABLE
    assert row.file is not None
    assert row.file.value == "1"
    assert "nothing runs" in row.why
    settings = [row for row in rows if row.aspect == "settings"]
    assert drift_exit(settings) is ExitCode.FAILED
