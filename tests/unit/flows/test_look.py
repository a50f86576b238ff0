"""What one look knows of a node it does not ask again, and what it could not be told it does not ask again either."""

import asyncio

import pytest

from sparktune.errors import ChangeFailed, NodeUnreachable, UsageError
from sparktune.flows.look import Look, looking
from sparktune.io.cluster import NodeTarget

_SPARK = NodeTarget(name="spark", host="spark")
_OTHER = NodeTarget(name="other", host="other")


class _Asked:
    """A question, and how often it was put."""

    def __init__(self, error: Exception | None = None) -> None:
        self.count = 0
        self._error = error

    async def put(self, _look: Look, target: NodeTarget) -> str:
        self.count += 1
        await asyncio.sleep(0)
        if self._error is not None:
            raise self._error
        return f"{target.name} {self.count}"


async def test_a_question_is_put_once_for_each_node_also_by_many_at_once() -> None:
    asked = _Asked()
    async with Look() as look:
        answers = await asyncio.gather(*(look.once(asked.put, one) for one in (_SPARK, _OTHER, _SPARK)))

    assert asked.count == 2
    assert answers[0] == answers[2]
    assert answers[1].startswith("other")


async def test_another_look_asks_again() -> None:
    asked = _Asked()
    for _ in range(2):
        async with Look() as look:
            await look.once(asked.put, _SPARK)

    assert asked.count == 2


@pytest.mark.parametrize("error", [NodeUnreachable("spark: gone", hint="on?"), ChangeFailed("spark: no", hint="see")])
async def test_an_error_is_kept_with_its_hint(error: NodeUnreachable | ChangeFailed) -> None:
    asked = _Asked(error)
    async with Look() as look:
        for _ in range(2):
            with pytest.raises(type(error)) as told:
                await look.once(asked.put, _SPARK)
            assert (str(told.value), told.value.hint) == (str(error), error.hint)

    assert asked.count == 1


async def test_who_is_called_off_leaves_the_question_to_the_next() -> None:
    """An answer that was never given must not be kept as one."""
    begun, count = asyncio.Event(), 0

    async def ask(_look: Look, _target: NodeTarget) -> int:
        nonlocal count
        count += 1
        if count == 1:
            begun.set()
            await asyncio.Event().wait()
        return count

    async with Look() as look:
        first = asyncio.create_task(look.once(ask, _SPARK))
        await begun.wait()
        second = asyncio.create_task(look.once(ask, _SPARK))
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)

        assert await second == 2


async def test_each_node_has_its_answer_or_its_error_in_the_order_of_the_nodes() -> None:
    async def ask(target: NodeTarget) -> str:
        if target is _SPARK:
            message = "spark: gone"
            raise NodeUnreachable(message)
        return target.name

    async with Look() as look:
        gone, other = await look.each([_SPARK, _OTHER], ask)

    assert isinstance(gone, NodeUnreachable)
    assert other == "other"


async def test_a_name_that_is_an_option_stops_all_before_any_is_asked() -> None:
    asked: list[str] = []

    async def ask(target: NodeTarget) -> None:
        asked.append(target.name)

    async with Look() as look:
        with pytest.raises(UsageError):
            await look.each([_SPARK, NodeTarget(name="x", host="-x")], ask)

    assert asked == []


async def test_somebody_elses_look_goes_on() -> None:
    asked = _Asked()
    async with Look() as mine:
        async with looking(mine) as same:
            await same.once(asked.put, _SPARK)
        await mine.once(asked.put, _SPARK)
        async with looking(None) as new:
            assert new is not mine

    assert asked.count == 1
