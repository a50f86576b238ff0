"""Nothing that was begun with others is left running: what it opened would be closed by nobody."""

import ast
import asyncio
from pathlib import Path

import pytest

import sparktune
from sparktune.io.together import together

_SOURCE = Path(sparktune.__file__).parent
# It names its tasks, and ends them all itself: some wait for others of them.
_ENDS_ITS_OWN = {"io/together.py", "flows/bench/replay.py"}


class _Slow:
    """Work that takes its time to end when it is cancelled, as one does that waits for a child process."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.disturbed = 0
        self.closed = False

    async def run(self) -> str:
        try:
            self.began.set()
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                try:
                    await asyncio.sleep(0)
                except asyncio.CancelledError:
                    self.disturbed += 1
            self.closed = True
        return "never"


async def _says(text: str) -> str:
    await asyncio.sleep(0)
    return text


async def test_answers_come_in_the_order_of_the_questions() -> None:
    assert await together(*map(_says, ("a", "b", "c", "d"))) == ("a", "b", "c", "d")
    assert await together() == ()


async def test_an_error_is_raised_when_the_others_have_ended() -> None:
    slow = _Slow()

    async def fails() -> str:
        await slow.began.wait()
        message = "no"
        raise ValueError(message)

    with pytest.raises(ValueError, match="no"):
        await together(fails(), slow.run())
    assert slow.closed


async def test_a_cancellation_waits_for_all_and_disturbs_nobody_twice() -> None:
    """asyncio.gather goes on as soon as the first of them has ended."""
    quick, slow = _Slow(), _Slow()
    whole = asyncio.create_task(together(_says_when_asked(quick), slow.run()))
    await asyncio.gather(quick.began.wait(), slow.began.wait())
    whole.cancel()
    with pytest.raises(asyncio.CancelledError):
        await whole
    assert slow.closed
    assert slow.disturbed == 0


async def _says_when_asked(one: _Slow) -> str:
    one.began.set()
    await asyncio.Event().wait()
    return "never"


def test_nothing_else_gathers_and_leaves_the_rest_behind() -> None:
    """An agent of a node that was left behind lives on, and its end is seen by nobody."""
    found = [
        f"{path.relative_to(_SOURCE)}:{node.lineno}"
        for path in sorted(_SOURCE.rglob("*.py"))
        if str(path.relative_to(_SOURCE)) not in _ENDS_ITS_OWN
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "asyncio.gather"
        and not any(word.arg == "return_exceptions" for word in node.keywords)
    ]
    assert found == []
