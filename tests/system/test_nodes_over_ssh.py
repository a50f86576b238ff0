"""Nodes behind a real sshd, good and broken ones together: each broken one has its own error, the others answer."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.hosts import FAR_ADDRESS, Hosts
from tests.support.sshd import Node, Sshd, sshd

from sparktune.errors import (
    NodeAuthRejected,
    NodeError,
    NodeNoPython,
    NodeProtocolError,
    NodeTimeout,
    NodeUnreachable,
)
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import observe_all
from sparktune.io.transport.session import NodeSession
from sparktune.model.observed import State
from sparktune.model.reads import ReadCommand, ReadFile, ReadFiles

pytestmark = pytest.mark.root

_ASKED = 'sh -c "$SSH_ORIGINAL_COMMAND"'
_GREET = 'printf "\\nsparktune-agent %s\\n" "${SSH_ORIGINAL_COMMAND##* }"'
_NODES = {
    "good-1": Node(),
    "good-2": Node(),
    "chatty": Node(force=f"echo Welcome; printf 'no end of line'; {_ASKED}"),
    "killed": Node(force=f"{_ASKED} | {{ head -c 20000; sleep 1; kill -9 $PPID; }}"),
    "wrong-key": Node(key="other-key"),
    "changed-host": Node(host_key="other-host"),
    "flood": Node(force="exec yes"),
    "long-line": Node(force=f"{_GREET}; yes | tr -d '\\n'"),
    "no-python": Node(force=f"PATH=/nowhere; /bin/{_ASKED}"),
    "off": Node(listens=False),
    "nobody-home": Node(force="exit 3"),
}
_READS = (
    ReadFile(path="/proc/version"),
    ReadFiles(pattern="/proc/[0-9]*/status"),
    ReadCommand(argv=("uname", "-r")),
)
_LIMIT_S = 60.0  # nothing here should need it


@pytest.fixture(name="server")
def _server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    with sshd(_NODES) as server:
        monkeypatch.setenv("SPARKTUNE_SSH", server.ssh)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(server.folder))
        yield server


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def _target(name: str) -> NodeTarget:
    return NodeTarget(name=name, host=name)


@pytest.mark.usefixtures("server")
async def test_every_broken_node_says_why_and_the_others_answer() -> None:
    """A cluster is looked at because something is wrong with it: that must not be what stops the look."""
    answers = await observe_all([_target(name) for name in _NODES], _READS, per_node_timeout=_LIMIT_S)

    answered = {answer.target.name for answer in answers if answer.readings}
    errors = {answer.target.name: answer.error for answer in answers if answer.error}
    assert answered == {"good-1", "good-2", "chatty"}
    assert {name: type(error) for name, error in errors.items()} == {
        "killed": NodeUnreachable,
        "wrong-key": NodeAuthRejected,
        "changed-host": NodeAuthRejected,
        "flood": NodeProtocolError,
        "long-line": NodeProtocolError,
        "no-python": NodeNoPython,
        "off": NodeUnreachable,
        "nobody-home": NodeProtocolError,
    }
    for name, error in errors.items():
        assert str(error).startswith(f"{name}: ")
        assert "\n" not in str(error)
        assert error.hint
    assert "Permission denied (publickey)" in str(errors["wrong-key"])
    assert "Host key verification failed" in str(errors["changed-host"])
    assert "another key" in errors["changed-host"].hint
    assert "more than 67108864 bytes" in str(errors["long-line"])
    assert "not found" in str(errors["no-python"])
    assert "Connection refused" in str(errors["off"])
    assert "code 3" in str(errors["nobody-home"])


@pytest.mark.usefixtures("server")
async def test_what_a_node_tells_arrives_whole() -> None:
    (answer,) = await observe_all([_target("chatty")], _READS, per_node_timeout=_LIMIT_S)

    assert answer.hello is not None
    assert answer.hello.boot_id == _text("/proc/sys/kernel/random/boot_id").strip()
    assert answer.readings is not None
    assert answer.readings.file("/proc/version").value == _text("/proc/version")
    assert "/proc/1/status" in answer.readings.matching("/proc/[0-9]*/status")
    assert answer.readings.command("uname", "-r").state is State.PRESENT


async def test_a_second_look_uses_the_connection_of_the_first(server: Sshd) -> None:
    """Setting up a connection costs more than all the reads."""
    for _ in range(3):
        (answer,) = await observe_all([_target("good-1")], _READS, per_node_timeout=_LIMIT_S)
        assert answer.error is None

    assert len(re.findall("Accepted publickey", server.log())) == 1


@pytest.mark.usefixtures("server")
async def test_an_agent_ends_when_its_controller_is_gone() -> None:
    """However a measurement ends, the node is left as it was."""
    session = NodeSession(_target("good-1"), limit_s=_LIMIT_S)
    nonce = session._command[-1].split()[-1]
    with pytest.raises(ZeroDivisionError):
        await _break_off(session, nonce)

    while _processes(nonce):
        pass  # it takes as long as it takes; one that stays is a timeout of this test


async def _break_off(session: NodeSession, nonce: str) -> None:
    async with session as node:
        await node.hello()
        assert _processes(nonce)
        raise ZeroDivisionError


def _processes(word: str) -> list[Path]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if word.encode() in path.read_bytes():
                found.append(path)
    return found


async def test_a_cable_that_is_pulled_while_a_node_is_watched(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody tells the controller: it has to notice that nothing comes any more."""
    with sshd({"far": Node()}, address=FAR_ADDRESS, enter=hosts.on(hosts.far)) as server:
        monkeypatch.setenv("SPARKTUNE_SSH", " ".join(hosts.on(hosts.near, server.ssh)))
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(server.folder))
        async with NodeSession(_target("far"), limit_s=_LIMIT_S) as node:
            await node.hello()

        with pytest.raises(NodeError) as lost:
            await _watch_and_pull(hosts)

    assert isinstance(lost.value, NodeTimeout | NodeUnreachable)
    assert str(lost.value).startswith("far: ")


async def _watch_and_pull(hosts: Hosts) -> None:
    async with NodeSession(_target("far"), limit_s=3.0) as node:
        async for sample in node.sample([ReadFile(path="/proc/uptime")], interval_s=0.1):
            if sample.tick == 1:
                hosts.pull_cable()
