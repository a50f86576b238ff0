"""A limit inside a cleanup: what a cancelled task ends has to be killed when its time is over, on every Python."""

import asyncio
from contextlib import suppress
from types import TracebackType

import pytest

from sparktune.io.time_limit import time_limit

_HOLDS_ALWAYS = 3600.0


class _OldTimeout(asyncio.Timeout):
    """As in Python 3.11.2: a cancellation that came before the block counts as one that came within it."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        try:
            return await super().__aexit__(kind, error, trace)
        except TimeoutError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                return None
            raise


@pytest.fixture(params=["as it is", "as in 3.11.2"], autouse=True)
def python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "as in 3.11.2":
        monkeypatch.setattr(asyncio, "timeout", lambda delay: _OldTimeout(asyncio.get_running_loop().time() + delay))


async def _waits_for_ever() -> None:
    await asyncio.Event().wait()


async def test_what_takes_longer_ends() -> None:
    with pytest.raises(TimeoutError):
        async with time_limit(0.0):
            await _waits_for_ever()


async def test_what_is_quicker_returns_and_its_errors_are_its_own() -> None:
    async with time_limit(_HOLDS_ALWAYS):
        done = True
    with pytest.raises(ValueError, match="its own"):
        async with time_limit(_HOLDS_ALWAYS):
            raise ValueError("its own")  # noqa: EM101, TRY003 - the words are the test

    assert done


async def test_the_cleanup_of_a_cancelled_task_goes_on_after_its_limit() -> None:
    """Otherwise SIGTERM is sent after Ctrl-C, and the SIGKILL that was to follow is not."""
    begun, reached = asyncio.Event(), []

    async def work() -> None:
        try:
            begun.set()
            await _waits_for_ever()
        finally:
            try:
                async with time_limit(0.0):
                    await _waits_for_ever()
            except TimeoutError:
                reached.append("killed")

    task = asyncio.create_task(work())
    await begun.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert reached == ["killed"]
    assert task.cancelled()


async def test_a_cancellation_within_the_limit_stays_one() -> None:
    """Ctrl-C while something is waited for is no time-out."""
    begun = asyncio.Event()

    async def work() -> None:
        async with time_limit(_HOLDS_ALWAYS):
            begun.set()
            await _waits_for_ever()

    task = asyncio.create_task(work())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
