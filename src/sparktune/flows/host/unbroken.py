"""Work on a node that Ctrl-C, or a terminal that is gone, lets come to its end: half of it is worse than all of it."""

__all__ = ["patient", "unbroken"]

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from sparktune.flows.host.outcome import HostProgress

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


def patient(tell: HostProgress) -> HostProgress:
    """Return a listener whose own trouble (a closed terminal) cannot break off the work on a node."""

    def told(node: str, what: str) -> None:
        try:
            tell(node, what)
        except OSError:
            return

    return told
