"""``drift restore`` on a real docker: earned 2, file 1, live 1 on two ranks, as their processes have it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.compose_project import ComposeProject, compose_project
from tests.support.earned_limit import EARNED_LIMIT

pytestmark = [pytest.mark.root, pytest.mark.slow]  # a service is made anew many times

_RANKS = ("rank1", "server")  # in the order of where: the worker first
_RANK1_HAS = 'environment: {DEPTH: "${DEPTH:-3}"}'
_LIMITED = 'environment: {DEPTH: "${DEPTH:-3}", LIMIT: "1"}'


@pytest.fixture(scope="module")
def started() -> Iterator[ComposeProject]:
    """Run one daemon for all tests; each has its own files and its own containers."""
    with compose_project() as project:
        yield project


@pytest.fixture
def project(started: ComposeProject, tmp_path: Path) -> Iterator[ComposeProject]:
    """Two ranks that run with 1, where 2 was earned."""
    with started.in_folder(tmp_path / "service") as project:
        file = project.folder / "compose.yaml"
        file.write_text(file.read_text().replace(_RANK1_HAS, _LIMITED))
        service = {
            "endpoint": f"http://127.0.0.1:{project.port}/v1",
            "launcher": "compose",
            "where": [{"file": str(file), "service": rank} for rank in _RANKS],
        }
        (tmp_path / "sparktune.yaml").write_text(yaml.safe_dump({"services": {"house": service}}))
        (tmp_path / "earned.yaml").write_text(yaml.safe_dump(EARNED_LIMIT))
        project.up(*_RANKS)
        yield project


def test_what_was_earned_is_live_again_on_both_ranks(project: ComposeProject) -> None:
    """The story that this command is for: the file had gone back to the old value, and nobody saw it."""
    before, ids = project.files(), {rank: _inspected(project, rank)["Id"] for rank in _RANKS}
    found = _drift(project, "--json")
    assert found.returncode == 3, found.stderr
    assert _status(found.stdout) == ["FILE DRIFT"]

    done = _drift(project, "restore", "LIMIT", "--yes")

    assert done.returncode == 0, done.stderr
    file = before["compose.yaml"].decode()
    assert project.files() == {**before, "compose.yaml": file.replace('LIMIT: "1"', 'LIMIT: "2"').encode()}
    now = {rank: _inspected(project, rank) for rank in _RANKS}
    assert [now[rank]["Id"] != ids[rank] for rank in _RANKS] == [True, True]
    assert now["rank1"]["State"]["StartedAt"] < now["server"]["State"]["StartedAt"], "the worker is there first"
    assert {rank: _live(now[rank]) for rank in _RANKS} == {"rank1": {"2"}, "server": {"2"}}
    after = _drift(project)
    assert after.returncode == 0, after.stdout + after.stderr


def test_a_file_that_was_edited_and_not_applied_is_recreated_only(project: ComposeProject) -> None:
    file = project.folder / "compose.yaml"
    file.write_text(file.read_text().replace('LIMIT: "1"', 'LIMIT: "2"'))
    before, ids = project.files(), {rank: _inspected(project, rank)["Id"] for rank in _RANKS}
    found = _drift(project, "--json")
    assert found.returncode == 3, found.stderr
    assert _status(found.stdout) == ["NOT LIVE"]

    done = _drift(project, "restore", "LIMIT", "--yes")

    assert done.returncode == 0, done.stderr
    assert "No file is edited" in done.stderr
    assert project.files() == before, "byte for byte"
    now = {rank: _inspected(project, rank) for rank in _RANKS}
    assert [now[rank]["Id"] != ids[rank] for rank in _RANKS] == [True, True]
    assert {rank: _live(now[rank]) for rank in _RANKS} == {"rank1": {"2"}, "server": {"2"}}


def _drift(project: ComposeProject, *words: str) -> subprocess.CompletedProcess[str]:
    folder = project.folder.parent
    ways = {"DOCKER_HOST": project.docker.host, "SPARKTUNE_DATA": str(folder / "data")}
    return subprocess.run(
        [sys.executable, "-m", "sparktune", "drift", *words],
        cwd=folder,
        env={**os.environ, **ways},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def _status(said: str) -> list[str]:
    """Return how the rows of the setting stand, each once."""
    return sorted({row["status"] for row in json.loads(said)["rows"] if row["key"] == "LIMIT"})


def _inspected(project: ComposeProject, rank: str) -> dict[str, Any]:
    name = f"{project.folder.name}-{rank}-1"
    found: dict[str, Any] = json.loads(project.docker.run("inspect", name))[0]
    return found


def _live(container: dict[str, Any]) -> set[str]:
    """Return LIMIT as each server process of a container has it: not as the container was declared."""
    group = container["Id"]
    found = set[str]()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            inside = group in (folder / "cgroup").read_text()
            serves = b"arm_server.py" in (folder / "cmdline").read_bytes()
            words = (folder / "environ").read_bytes().decode().split("\0")
        except OSError:  # it has ended meanwhile
            continue
        if inside and serves:
            found |= {word.partition("=")[2] for word in words if word.startswith("LIMIT=")}
    return found
