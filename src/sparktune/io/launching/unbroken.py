"""Work that comes to its end however often its task is cancelled: half of it is worse than all of it."""

__all__ = ["unbroken"]

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


async def unbroken(work: Coroutine[Any, Any, _T]) -> _T:
    """Return what the work comes to; then a cancellation that came meanwhile is raised.

    What the work itself raises comes first: whoever cancelled has to know what was not taken back.
    """
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
        except BaseException:  # noqa: BLE001 - the task's own, which is raised below
            break
    result = task.result()
    if cancelled is not None:
        raise cancelled
    return result
