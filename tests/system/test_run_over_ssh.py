"""A service that is stopped over a link that is lost meanwhile: the stop is carried out, and the next command waits."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.sshd import Node, sshd

from sparktune.errors import NodeError
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.commands import CommandEnd
from sparktune.io.transport.session import NodeSession

pytestmark = pytest.mark.root

_NODE = NodeTarget(name="spark1", host="spark1")
_STOP, _START = ("docker", "stop", "one"), ("docker", "start", "one")
_SOON_S = 30.0


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """A node behind a real sshd, on which ``docker`` is a script of the test's."""
    force = f'PATH={tmp_path}:$PATH; export PATH; eval "$SSH_ORIGINAL_COMMAND"'

    def write(script: str) -> None:
        (tmp_path / "docker").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "docker").chmod(0o755)

    with sshd({"spark1": Node(force=force)}) as server:
        monkeypatch.setenv("SPARKTUNE_SSH", server.ssh)
        yield write


async def _run(argv: tuple[str, ...], lines: list[str], limit_s: float = 60.0) -> CommandEnd:
    async with NodeSession(_NODE, shared=False) as session:
        return await session.run(argv, turn="a service", limit_s=limit_s, on_line=lines.append)


def _there(path: Path) -> None:
    ends = time.monotonic() + _SOON_S
    while not path.exists():
        assert time.monotonic() < ends, f"{path.name} did not come"
        time.sleep(0.02)


def _clients() -> list[int]:
    """Return the ssh clients that this process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        if "(ssh)" in text and int(text[text.rfind(")") + 1 :].split()[1]) == os.getpid():
            found.append(int(stat.parent.name))
    return found


async def test_a_stop_whose_link_is_lost_is_carried_out(node: Callable[[str], None], tmp_path: Path) -> None:
    begun, go_on, said = tmp_path / "begun", tmp_path / "go-on", tmp_path / "said"
    slow = f"touch {begun}; echo begun; while [ ! -e {go_on} ]; do sleep 0.05; done; echo more; echo stop >> {said}"
    node(f"[ $1 = start ] && {{ echo start >> {said}; exit 0; }}\n{slow}")
    stopping = asyncio.create_task(_run(_STOP, []))
    await asyncio.to_thread(_there, begun)
    clients = _clients()
    assert clients
    for pid in clients:
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(NodeError):
        await stopping

    starting = asyncio.create_task(_run(_START, []))
    await asyncio.sleep(0.5)
    assert not said.exists(), "a start waits for the stop before it"
    go_on.touch()
    assert (await starting).code == 0
    assert said.read_text().split() == ["stop", "start"]


async def test_what_a_command_says_arrives_while_it_runs(node: Callable[[str], None], tmp_path: Path) -> None:
    go_on = tmp_path / "go-on"
    node(f"echo first; while [ ! -e {go_on} ]; do sleep 0.05; done; echo second; exit 5")
    lines: list[str] = []
    running = asyncio.create_task(_run(_STOP, lines))
    ends = time.monotonic() + _SOON_S
    while not lines:
        assert time.monotonic() < ends
        await asyncio.sleep(0.02)
    assert lines == ["first"]
    go_on.touch()
    assert await running == CommandEnd(code=5)
    assert lines == ["first", "second"]
