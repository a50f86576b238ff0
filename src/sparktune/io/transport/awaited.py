"""Whose answer is awaited at this moment: for whoever tells that to a person who waits, too."""

__all__ = ["awaiting", "names_awaited"]

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_AWAITED: ContextVar[Counter[str] | None] = ContextVar("awaited", default=None)


@contextmanager
def names_awaited() -> Iterator[Callable[[], tuple[str, ...]]]:
    """Yield what returns the names of the nodes that have been asked within the block and have not answered yet.

    It may be called from another thread.
    """
    asked: Counter[str] = Counter()
    token = _AWAITED.set(asked)
    try:
        yield lambda: tuple(name for name, count in tuple(asked.items()) if count > 0)
    finally:
        _AWAITED.reset(token)


@contextmanager
def awaiting(name: str) -> Iterator[None]:
    """Count a node as awaited until the block ends, however it ends; nothing where nobody listens."""
    asked = _AWAITED.get()
    if asked is None:
        yield
        return
    asked[name] += 1
    try:
        yield
    finally:
        asked[name] -= 1
