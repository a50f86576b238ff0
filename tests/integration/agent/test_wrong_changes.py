"""Nodes that answer wrongly when they are asked to change something: nothing of it is believed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.plans import plan_of

from sparktune.errors import (
    ChangeFailed,
    NodeBusy,
    NodeNeedsRoot,
    NodeProtocolError,
    NodeUnreachable,
    PlanVoid,
    SparktuneError,
)
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.changes_wire import Request
from sparktune.io.transport.session import NodeSession
from sparktune.model.step import ValueStep

_GREET = "for word; do :; done; printf '\\nsparktune-agent %s\\n' \"${word##* }\""
_REQUEST = Request(plan=plan_of(ValueStep(path="/proc/sys/vm/swappiness", text="1")), who="me")
_STEP = {"step": 0, "kind": "value", "change": "a-change", "items": {"/proc/sys/vm/swappiness": {"outcome": "changed"}}}
_END = {"transaction": "0001", "state": "committed", "failed": "", "undone": [], "recovered": []}

Node = Callable[..., NodeTarget]


def _line(**content: object) -> str:
    return f"echo '{json.dumps({'id': 1, **content})}'"


def _refusal(kind: str) -> str:
    return _line(error={"kind": kind, "message": "why not"})


@pytest.fixture(name="node")
def _node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    """Make a node of a shell script that stands for ssh; it ends when nothing is asked any more."""

    def write(*lines: str, end: str = "cat >/dev/null") -> NodeTarget:
        path = tmp_path / "ssh"
        path.write_text("\n".join(("#!/bin/sh", _GREET, *lines, end, "")))
        path.chmod(0o755)
        monkeypatch.setenv("SPARKTUNE_SSH", str(path))
        return NodeTarget(name="spark", host="spark")

    return write


async def test_a_transaction_is_what_the_node_tells(node: Node) -> None:
    """Else the cases below would prove nothing."""
    async with NodeSession(node(_line(part=_STEP), _line(ok=_END))) as session:
        outcome = await session.transact(_REQUEST)

    assert (outcome.state, outcome.steps[0].items["/proc/sys/vm/swappiness"].outcome) == ("committed", "changed")


@pytest.mark.parametrize(
    ("lines", "kind", "message"),
    [
        ((_line(ok=_END),), NodeProtocolError, "committed after 0 of 1 steps"),
        ((_line(part=_STEP), _line(part=_STEP), _line(ok=_END)), NodeProtocolError, "more than 1 steps"),
        ((_line(part={**_STEP, "step": 3}),), NodeProtocolError, "step 3 where step 0"),
        ((_line(ok={**_END, "state": "splendid"}),), NodeProtocolError, "splendid"),
        ((_line(part=_STEP), "exit 255"), NodeUnreachable, "the connection was lost"),
        ((_refusal("busy"),), NodeBusy, "why not"),
        ((_refusal("void"),), PlanVoid, "why not"),
        ((_refusal("root"),), NodeNeedsRoot, "why not"),
        ((_refusal("journal"),), ChangeFailed, "why not"),
        ((_refusal("transaction"),), ChangeFailed, "why not"),
        ((_refusal("request"),), NodeProtocolError, "why not"),
        ((_refusal("internal"),), NodeProtocolError, "internal: why not"),
        ((_refusal("verb"),), NodeProtocolError, "verb: why not"),
    ],
)
async def test_each_wrong_answer_is_one_error(
    node: Node, lines: tuple[str, ...], kind: type[SparktuneError], message: str
) -> None:
    with pytest.raises(SparktuneError) as error:
        async with NodeSession(node(*lines)) as session:
            await session.transact(_REQUEST)

    assert type(error.value) is kind, str(error.value)
    assert str(error.value).startswith("spark: ")
    assert message in str(error.value)
    assert error.value.hint


async def test_a_refusal_does_not_end_the_conversation(node: Node) -> None:
    """Who may not read the journal can still be asked for everything else."""
    journal = json.dumps({"id": 2, "ok": {"transactions": [], "holder": ""}})
    async with NodeSession(node(_refusal("root"), f"echo '{journal}'")) as session:
        with pytest.raises(NodeNeedsRoot):
            await session.journal()

        assert (await session.journal()).transactions == ()


async def test_a_journal_that_comes_in_parts_is_none(node: Node) -> None:
    with pytest.raises(NodeProtocolError, match="parts of an answer that has none"):
        async with NodeSession(node(_line(part={}))) as session:
            await session.journal()


async def test_undoing_that_never_ends_is_ended(node: Node) -> None:
    """Whatever a node sends, memory stays bounded."""
    undone = {"transaction": "0001", "state": "reverted", "steps": []}
    with pytest.raises(NodeProtocolError, match="more than 10000 transactions"):
        async with NodeSession(node(f"while :; do {_line(part=undone)}; done")) as session:
            await session.revert("", "me")
