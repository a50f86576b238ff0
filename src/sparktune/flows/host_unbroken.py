"""Work on a node that Ctrl-C lets come to its end: half of it would be worse than all of it."""

__all__ = ["unbroken"]

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


async def unbroken(work: Coroutine[Any, Any, _T]) -> tuple[_T, bool]:
    """Return what the work comes to, and whether somebody asked meanwhile that no more be begun."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task), False
    except asyncio.CancelledError:
        me = asyncio.current_task()
        if me is not None:
            me.uncancel()
        return await task, True
