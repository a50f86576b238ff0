"""The compose launcher on a real docker daemon; see ``launcher_parts``."""

__all__ = ["compose_parts"]

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from tests.support.arms import hold_settings
from tests.support.compose_project import ComposeProject, compose_project
from tests.support.launcher_parts import Parts, Shared

from sparktune.model.launcher import ArmSpec

_ARM_B = {"env": {"LIMIT": 2}, "flags": {"--slots": 4}}


@contextmanager
def compose_parts(folder: Path, _port: int, shared: Shared) -> Iterator[Parts]:
    """One container of a project; it ran with three slots before."""
    started = shared.of(compose_project)
    with (
        mock.patch.dict(os.environ, {"DOCKER_HOST": started.docker.host}),
        started.in_folder(folder / "service") as one,
    ):
        one.up("server")
        yield Parts(
            launcher="compose",
            spec=ArmSpec(arms={"A": {}, "B": _ARM_B}, where=({"node": "", "service": "server"},)),
            settings=hold_settings(folder, one.port, memory_still_s=1.0),
            tells="--slots",
            alive=lambda: [int(pid) for pid in _pids(one)],
            sabotage={
                "it died": lambda: _each(one, "kill"),
                "it was started anew": lambda: _each(one, "restart", "--time", "1"),
                "its file was edited and it was made anew": lambda: _edited(one),
            },
            never_ready={"flags": {"--no-such-flag": 4}},
            files=(one.folder / "compose.yaml", one.folder / ".env"),
            ran_before=True,
            slots={"A": "3", "B": "4"},
        )


def _ids(project: ComposeProject) -> list[str]:
    return project.docker.run("ps", "--quiet").split()


def _pids(project: ComposeProject) -> list[str]:
    ids = _ids(project)
    return project.docker.run("inspect", "--format", "{{.State.Pid}}", *ids).split() if ids else []


def _each(project: ComposeProject, *words: str) -> None:
    project.docker.run(*words, *_ids(project))


def _edited(project: ComposeProject) -> None:
    file = project.folder / "compose.yaml"
    before = file.read_text()
    try:
        file.write_text(before.replace("--slots 4", "--slots 5").replace('"4"', '"5"'))
        assert file.read_text() != before
        project.up("server")
    finally:
        file.write_text(before)
