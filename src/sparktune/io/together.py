"""Several things at once, none of which is left behind.

``asyncio.gather`` returns with the first error, or with the first of several that a cancellation has ended, and lets go
of the others: what they had opened is closed by nobody then, or after its loop. Source: its documentation, "other
awaitables in the aws sequence won't be cancelled and will continue to run"; ``_done_callback`` in Lib/asyncio/tasks.py.
"""

__all__ = ["together"]

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar, overload

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_T = TypeVar("_T")


@overload
async def together(
    first: Coroutine[Any, Any, _A], second: Coroutine[Any, Any, _B], third: Coroutine[Any, Any, _C], /
) -> tuple[_A, _B, _C]: ...


@overload
async def together(*work: Coroutine[Any, Any, _T]) -> tuple[_T, ...]: ...


async def together(*work: Coroutine[Any, Any, Any]) -> tuple[Any, ...]:
    """Return what all return, in their order.

    Raises what the first of them raises that fails, and CancelledError when whoever waits is cancelled: the others are
    cancelled then, and have come to their end before it is raised.
    """
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return tuple(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            if not task.cancelling():  # who is cleaning up already is not disturbed again
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
