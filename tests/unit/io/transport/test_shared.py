"""Many who read one node over one agent: in turns, and none of them is failed by what another one asked."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from sparktune.errors import NodeError, NodeNeedsRoot, NodeProtocolError, NodeTimeout, NodeUnreachable, UsageError
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport import shared
from sparktune.io.transport.changes_wire import Journal
from sparktune.io.transport.shared import SharedNode, SharedNodes
from sparktune.io.transport.wire import Hello
from sparktune.model.reads import Read, ReadFile, Readings

_SPARK = NodeTarget(name="spark", host="spark")


class _World:
    """What was started and ended in the place of agents. ``on`` has what happens when such a path is read."""

    def __init__(self) -> None:
        self.sessions: list[_Session] = []
        self.on: dict[str, Callable[[_Session], object]] = {}
        self.running = self.most = 0


class _Session:
    def __init__(self, world: _World, target: NodeTarget) -> None:
        self.world, self.target = world, target
        self.events: list[str] = []
        self.asked, self.never = asyncio.Event(), asyncio.Event()
        world.sessions.append(self)

    async def open(self) -> None:
        self.events.append("open")

    async def close(self, *, at_once: bool = False) -> None:
        self.events.append("kill" if at_once else "close")

    async def observe(self, reads: Sequence[Read]) -> Readings:
        (read,) = reads
        assert isinstance(read, ReadFile)
        assert self.events[-1] not in {"kill", "close"}, "who is gone is not asked"
        self.world.running += 1
        self.world.most = max(self.world.most, self.world.running)
        try:
            await asyncio.sleep(0)
            self.events.append(read.path)
            happens = self.world.on.get(read.path)
            if happens is not None and asyncio.iscoroutine(waits := happens(self)):
                await waits
        finally:
            self.world.running -= 1
        return Readings()

    async def greet_and_journal(self) -> tuple[Hello, Journal | NodeNeedsRoot]:
        self.events.append("journal")
        hello = Hello(protocol=1, boot_id="b", hostname="n", uid=1000, python="3", monotonic_ns=1, wall_ns=1)
        return hello, NodeNeedsRoot("spark: only root may", hint="sudo")


@pytest.fixture(name="world")
def _world(monkeypatch: pytest.MonkeyPatch) -> _World:
    world = _World()

    def session(target: NodeTarget, *, limit_s: float) -> _Session:
        assert limit_s == 30.0
        if (target.host or "").startswith("-"):
            message = f"{target.host!r} is no name of a node"
            raise UsageError(message)
        return _Session(world, target)

    monkeypatch.setattr(shared, "NodeSession", session)
    return world


def _fails(error: NodeError) -> Callable[[_Session], object]:
    def fail(_session: _Session) -> object:
        raise error

    return fail


def _waits(session: _Session) -> object:
    session.asked.set()
    return session.never.wait()


async def _read(node: SharedNode, *paths: str) -> str:
    """Read one after the other; return the error that ended it, "" for none."""
    try:
        for path in paths:
            await node.observe([ReadFile(path=path)])
    except NodeError as error:
        return f"{type(error).__name__}: {error}; {error.hint}"
    return ""


async def test_all_who_ask_one_node_take_turns_at_one_agent(world: _World) -> None:
    async with SharedNodes() as nodes:
        ends = await asyncio.gather(*(_read(nodes.of(_SPARK), f"{who}1", f"{who}2") for who in "abc"))

    (session,) = world.sessions
    assert ends == ["", "", ""]
    assert session.events == ["open", "a1", "b1", "c1", "a2", "b2", "c2", "close"]
    assert world.most == 1


async def test_a_node_that_nobody_asks_is_not_reached(world: _World) -> None:
    async with SharedNodes() as nodes:
        nodes.of(_SPARK)

    assert [one.events for one in world.sessions] == [[]]


async def test_what_breaks_under_one_who_asks_is_the_others_no_matter(world: _World) -> None:
    """One read that never ends must cost one answer, as it did when each had an agent of its own."""
    world.on["bad"] = _fails(NodeTimeout("spark: no answer within 30 s", hint="overloaded?"))
    async with SharedNodes() as nodes:
        ends = await asyncio.gather(
            _read(nodes.of(_SPARK), "a1", "a2"),
            _read(nodes.of(_SPARK), "bad", "never"),
            _read(nodes.of(_SPARK), "c1", "c2"),
        )

    assert ends == ["", "NodeTimeout: spark: no answer within 30 s; overloaded?", ""]
    first, *own = world.sessions
    assert first.events == ["open", "a1", "bad", "kill"]
    # Each who waited has its own now: one more that hangs would hold up nobody.
    assert sorted(one.events for one in own) == [["open", "a2", "close"], ["open", "c1", "c2", "close"]]


async def test_a_node_that_never_answers_is_tried_once_for_all(world: _World) -> None:
    """Else a node that is off would be waited for as often as something is asked of it."""
    world.on["a"] = _fails(NodeUnreachable("spark: no route", hint="is it on?"))
    async with SharedNodes() as nodes:
        ends = await asyncio.gather(_read(nodes.of(_SPARK), "a"), _read(nodes.of(_SPARK), "b"))
        late = await _read(nodes.of(_SPARK), "c")

    assert {*ends, late} == {"NodeUnreachable: spark: no route; is it on?"}
    assert [one.events for one in world.sessions] == [["open", "a", "kill"]]


async def test_what_is_refused_was_answered(world: _World) -> None:
    async with SharedNodes() as nodes:
        with pytest.raises(NodeNeedsRoot):
            await nodes.of(_SPARK).journal()
        assert await _read(nodes.of(_SPARK), "a") == ""

    assert [one.events for one in world.sessions] == [["open", "journal", "a", "close"]]


async def test_a_node_that_answered_nonsense_after_a_refusal_did_answer_once(world: _World) -> None:
    world.on["bad"] = _fails(NodeProtocolError("spark: it sends something else"))
    async with SharedNodes() as nodes:
        with pytest.raises(NodeNeedsRoot):
            await nodes.of(_SPARK).journal()
        ends = await asyncio.gather(_read(nodes.of(_SPARK), "bad"), _read(nodes.of(_SPARK), "a"))

    assert ends == ["NodeProtocolError: spark: it sends something else; ", ""]


async def test_who_is_called_off_takes_its_agent_along_and_nobody_else(world: _World) -> None:
    """What was still to come would be taken for the answer to the next question."""
    world.on["slow"] = _waits
    async with SharedNodes() as nodes:
        slow = asyncio.create_task(_read(nodes.of(_SPARK), "slow"))
        await asyncio.sleep(0)
        await world.sessions[0].asked.wait()
        waiting = asyncio.create_task(_read(nodes.of(_SPARK), "b"))
        await asyncio.sleep(0)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        assert await waiting == ""

    assert [one.events for one in world.sessions] == [["open", "slow", "kill"], ["open", "b", "close"]]


async def test_no_more_nodes_than_the_limit_are_asked_at_once(world: _World) -> None:
    targets = [NodeTarget(name=f"spark{number}", host=f"spark{number}") for number in range(5)]
    async with SharedNodes(limit=2) as nodes:
        ends = await asyncio.gather(*(_read(nodes.of(one), "a", "b") for one in targets for _ in range(2)))

    assert set(ends) == {""}
    assert world.most == 2
    assert len(world.sessions) == 5


async def test_after_an_error_nobody_is_waited_for(world: _World) -> None:
    async def fail() -> None:
        async with SharedNodes() as nodes:
            await _read(nodes.of(_SPARK), "a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()

    assert world.sessions[0].events == ["open", "a", "kill"]


async def test_a_name_that_is_an_option_is_refused_before_anything_is_asked(world: _World) -> None:
    async with SharedNodes() as nodes:
        with pytest.raises(UsageError):
            nodes.of(NodeTarget(name="-oProxy", host="-oProxy"))

    assert world.sessions == []
