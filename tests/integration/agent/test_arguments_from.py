"""A command that takes its arguments from another one: docker inspect of whatever docker ps lists."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sparktune.agent.commands import Commands
from sparktune.agent.tree import Tree

_ASK = {
    "argv": ["docker", "inspect"],
    "arguments_from": ["docker", "ps", "-aq"],
    "limit_s": 20.0,
    "most_bytes": 10_000,
}


@pytest.fixture(name="docker")
def _docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a ``docker`` first on the path: a script that lists what it is told and echoes what it inspects."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def write(listing: str) -> None:
        program = tmp_path / "docker"
        program.write_text(f'#!/bin/sh\nif [ "$1" = ps ]; then {listing}; else shift; echo "looked at $*"; fi\n')
        program.chmod(0o755)

    return write


def test_what_is_listed_is_looked_at_in_one_command(docker: Callable[[str], None]) -> None:
    docker("echo one; echo two")

    result = Commands(Tree("")).run(_ASK)

    assert result["value"] == {"stdout": "looked at one two\n", "stderr": "", "code": 0}


def test_nothing_listed_means_nothing_is_run(docker: Callable[[str], None]) -> None:
    """``docker inspect`` without a name is an error; a node without containers has none."""
    docker("true")

    result = Commands(Tree("")).run(_ASK)

    assert result["value"] == {"stdout": "", "stderr": "", "code": 0}


def test_a_listing_that_fails_is_the_answer(docker: Callable[[str], None]) -> None:
    """Docker's complaint says more than that no container was found."""
    docker("echo permission denied >&2; exit 1")

    result = Commands(Tree("")).run(_ASK)

    assert result["value"]["stderr"] == "permission denied\n"


def test_options_that_a_listing_prints_are_refused(docker: Callable[[str], None]) -> None:
    docker("echo --host=tcp://elsewhere")

    result = Commands(Tree("")).run(_ASK)

    assert result["state"] == "unreadable"


def test_a_listing_that_is_not_allowed_is_not_run() -> None:
    result = Commands(Tree("")).run({**_ASK, "arguments_from": ["echo", "one"]})

    assert result["state"] == "unreadable"
