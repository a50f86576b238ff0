"""The verb that starts and stops services, with real processes: what it says, how it ends, and when nobody listens."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sparktune.errors import ChangeFailed, NodeBusy
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.commands import CommandEnd
from sparktune.io.transport.session import NodeSession

_HERE = NodeTarget(name="local")
_STOP, _START = ("docker", "stop", "one"), ("docker", "start", "one")
_SOON_S = 20.0
_BEGINS_S = 3.0  # within which a shell has begun, on a machine with ten times as much to do as it has cores


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a program of that name first in the PATH of this node."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def write(script: str) -> None:
        (tmp_path / "docker").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "docker").chmod(0o755)

    return write


def _run(lines: list[str], argv: tuple[str, ...] = _STOP, **fields: object) -> CommandEnd:
    async def work() -> CommandEnd:
        async with NodeSession(_HERE) as node:
            return await node.run(argv, on_line=lines.append, **fields)  # type: ignore[arg-type] - as each test has it

    return asyncio.run(work())


def _lose(begun: Path, argv: tuple[str, ...] = _STOP, **fields: str) -> None:
    """Let a command begin, then lose the agent that was asked for it."""

    async def work() -> None:
        async with NodeSession(_HERE) as node:
            running = asyncio.create_task(node.run(argv, **fields))
            await asyncio.to_thread(_until, begun.exists)
            running.cancel()
            raise TimeoutError  # after an error the agent is killed at once

    with pytest.raises(TimeoutError):
        asyncio.run(work())


def _until(done: Callable[[], bool]) -> None:
    ends = time.monotonic() + _SOON_S
    while not done():
        assert time.monotonic() < ends, "it did not come to that"
        time.sleep(0.02)


def _has_ended(pid: int) -> bool:
    try:
        return "Z" in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


def test_what_it_says_and_how_it_ends(docker: Callable[[str], None], tmp_path: Path) -> None:
    docker('echo "$@"; echo $MODEL in $PWD; printf "10%%\\r100%%\\n"; echo trouble >&2; printf "no end"; exit 3')
    lines: list[str] = []
    end = _run(lines, folder=str(tmp_path), environment={"MODEL": "small"})
    assert lines == ["stop one", f"small in {tmp_path}", "100%", "trouble", "no end"]
    assert end == CommandEnd(code=3)


def test_one_that_does_not_end_is_ended_with_its_children(docker: Callable[[str], None], tmp_path: Path) -> None:
    docker(f"sleep 300 & echo $! > {tmp_path}/child; wait")
    end = _run([], limit_s=_BEGINS_S)
    assert end.code == -signal.SIGTERM
    assert f"did not end within {_BEGINS_S:g} s" in end.why
    child = int((tmp_path / "child").read_text())
    _until(lambda: _has_ended(child))


def test_what_it_leaves_running_keeps_nobody_waiting(docker: Callable[[str], None], tmp_path: Path) -> None:
    docker(f"sleep 300 & echo $! > {tmp_path}/child; echo started")
    lines: list[str] = []
    try:
        assert _run(lines, limit_s=60.0) == CommandEnd(code=0)
        assert lines == ["started"]
    finally:
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


def test_very_much_output_is_cut_in_the_middle(docker: Callable[[str], None]) -> None:
    docker("seq 1 50000")
    lines: list[str] = []
    end = _run(lines)
    assert lines[:2] == ["1", "2"]
    assert lines[-1] == "50000"
    assert len(lines) + end.missed_lines == 50_000
    assert len(lines) < 6_000


def test_a_lost_link_lets_it_come_to_its_end(docker: Callable[[str], None], tmp_path: Path) -> None:
    """A stop that was begun has to be carried out: half a stopped service is worse than either."""
    begun, go_on, done = tmp_path / "begun", tmp_path / "go-on", tmp_path / "done"
    docker(f"echo; touch {begun}; while [ ! -e {go_on} ]; do sleep 0.05; done; echo more; touch {done}")

    _lose(begun)
    go_on.touch()
    _until(done.exists)


def test_the_next_of_a_turn_waits_for_one_whose_link_was_lost(docker: Callable[[str], None], tmp_path: Path) -> None:
    """Else what was begun before a crash would go on beside what takes it back after it."""
    begun, go_on, said = tmp_path / "begun", tmp_path / "go-on", tmp_path / "said"
    slow = f"touch {begun}; while [ ! -e {go_on} ]; do sleep 0.05; done; echo first >> {said}"
    docker(f"[ -e {begun} ] && {{ echo second >> {said}; exit 0; }}\n{slow}")

    _lose(begun, turn="a service")
    with pytest.raises(NodeBusy, match="another command for the same service still runs here: overseen by process"):
        _run([], turn="a service", limit_s=0.3)
    assert _run([], turn="another service") == CommandEnd(code=0)
    go_on.touch()
    assert _run([], turn="a service") == CommandEnd(code=0)
    assert said.read_text().split() == ["second", "first", "second"]


def test_one_that_ends_a_service_ends_one_that_still_starts_it(docker: Callable[[str], None], tmp_path: Path) -> None:
    """A server may take half an hour to come up: who wants it gone does not wait for that."""
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    docker(f"""[ $1 = stop ] && exit 0
trap "touch {ended}; exit 1" TERM
touch {begun}
while true; do sleep 0.05; done""")
    _lose(begun, _START, turn="a service")
    with pytest.raises(NodeBusy):
        _run([], _START, turn="a service", limit_s=0.3)
    assert _run([], turn="a service") == CommandEnd(code=0)
    assert ended.exists()


def test_a_reading_is_run_as_well(docker: Callable[[str], None]) -> None:
    """What a service has said may be very long; it is taken as it comes, from the node's read-only list."""
    docker('echo "$@"')
    lines: list[str] = []
    assert _run(lines, ("docker", "inspect", "one"), turn="a service") == CommandEnd(code=0)
    assert lines == ["inspect one"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"folder": "/nowhere/at/all"}, "the folder /nowhere/at/all is not there"),
        ({"environment": {"LD_PRELOAD": "x"}}, "LD_PRELOAD"),
    ],
)
def test_what_it_refuses(docker: Callable[[str], None], fields: dict[str, object], why: str) -> None:
    docker("echo never")
    lines: list[str] = []
    with pytest.raises(ChangeFailed, match=why):
        _run(lines, **fields)
    assert lines == []


def test_a_command_that_is_not_on_the_list(docker: Callable[[str], None]) -> None:
    docker("echo never")

    async def work() -> CommandEnd:
        async with NodeSession(_HERE) as node:
            return await node.run(("docker", "exec", "one", "sh"))

    with pytest.raises(ChangeFailed, match="not among the commands by which services are started"):
        asyncio.run(work())


def test_a_captured_tree_runs_nothing(docker: Callable[[str], None], tmp_path: Path) -> None:
    docker(f"touch {tmp_path}/ran")

    async def work() -> CommandEnd:
        async with NodeSession(NodeTarget(name="tree", root=tmp_path)) as node:
            return await node.run(_STOP)

    with pytest.raises(ChangeFailed, match="captured tree"):
        asyncio.run(work())
    assert not (tmp_path / "ran").exists()
