"""Slow questions beside the watching: one at a time, again when somebody rings, and never silent about a failure."""

import asyncio
from itertools import count

from sparktune.errors import NodeUnreachable
from sparktune.flows.watch_asked import Bell, ask_on
from sparktune.report.watch import Answered

_Seen = list[Answered[str]]


async def _asked(answers: list[tuple[tuple[str, ...], str] | Exception], *, every_s: float = 0.0) -> _Seen:
    """Ask until the answers are used up, ringing after each."""
    seen: _Seen = []
    bell, ticks, left, over = Bell(), count(), list(answers), asyncio.Event()

    async def ask() -> tuple[tuple[str, ...], str]:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def show(one: Answered[str]) -> None:
        seen.append(one)
        if not one.asking and not left:
            over.set()

    task = asyncio.create_task(
        ask_on(ask, show, lambda: float(next(ticks)), every_s=every_s, bell=bell, turn=asyncio.Lock())
    )
    while not over.is_set():
        bell.ring()
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return seen


async def test_an_answer_has_its_time() -> None:
    asking, answered = await _asked([(("a",), "")])

    assert (asking.asking, asking.items, asking.at_s) == (True, None, None)
    assert (answered.asking, answered.items, answered.at_s, answered.took_s) == (False, ("a",), 1.0, 2.0)


async def test_ringing_asks_again_and_the_old_answer_stays_until_then() -> None:
    seen = await _asked([(("a",), ""), (("b",), "one node is silent")], every_s=3600.0)

    assert [(one.asking, one.items, one.why) for one in seen] == [
        (True, None, ""),
        (False, ("a",), ""),
        (True, ("a",), ""),
        (False, ("b",), "one node is silent"),
    ]


async def test_a_failure_is_told_and_keeps_the_answer_before_with_its_time() -> None:
    *_, last = await _asked([(("a",), ""), NodeUnreachable("spark1: gone")])

    assert (last.items, last.at_s, last.why, last.asking) == (("a",), 1.0, "spark1: gone", False)


async def test_two_questions_wait_for_each_other() -> None:
    """Both read all nodes: together they would cost the nodes twice at once."""
    running, most = 0, 0
    turn, done = asyncio.Lock(), asyncio.Semaphore(0)

    async def ask() -> tuple[tuple[str, ...], str]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return (), ""

    def show(one: Answered[str]) -> None:
        if not one.asking:
            done.release()

    tasks = [
        asyncio.create_task(ask_on(ask, show, lambda: 0.0, every_s=3600.0, bell=Bell(), turn=turn)) for _ in range(2)
    ]
    for _ in tasks:
        await done.acquire()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert most == 1
