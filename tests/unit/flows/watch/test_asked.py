"""Slow questions beside the watching: one at a time, again when somebody rings, and never silent about a failure."""

import asyncio
from itertools import count

from sparktune.errors import NodeUnreachable
from sparktune.flows.look import Look
from sparktune.flows.watch.asked import Bell, Question, ask_on
from sparktune.report.watch import Answered

_Seen = list[Answered[str]]


async def _asked(answers: list[tuple[tuple[str, ...], str] | Exception], *, every_s: float = 0.0) -> _Seen:
    """Ask until the answers are used up, ringing after each."""
    seen: _Seen = []
    bell, ticks, left, over = Bell(), count(), list(answers), asyncio.Event()

    async def ask(_look: Look) -> tuple[tuple[str, ...], str]:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def show(one: Answered[str]) -> None:
        seen.append(one)
        if not one.asking and not left:
            over.set()

    task = asyncio.create_task(ask_on([Question(ask, show)], lambda: float(next(ticks)), every_s=every_s, bell=bell))
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


async def test_questions_follow_each_other_in_one_look_and_a_new_round_has_a_new_one() -> None:
    """Both read all nodes: together they would cost the nodes twice at once, and apart a login each."""
    running, most = 0, 0
    looks: list[Look] = []
    bell, over = Bell(), asyncio.Event()

    async def ask(look: Look) -> tuple[tuple[str, ...], str]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        looks.append(look)
        if len(looks) == 4:
            over.set()
        return (), ""

    questions = [Question(ask, lambda _answered: None) for _ in range(2)]
    task = asyncio.create_task(ask_on(questions, lambda: 0.0, every_s=3600.0, bell=bell))
    while not over.is_set():
        bell.ring()
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert most == 1
    assert looks[0] is looks[1]
    assert looks[2] is looks[3]
    assert looks[0] is not looks[2]
