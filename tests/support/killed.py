"""A process that is killed at its N-th change to the world, without starting a process for each N."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

# All by which files change. Opening counts only where it makes a file.
_CHANGES = (
    "chmod",
    "fchmod",
    "fchown",
    "ftruncate",
    "lchown",
    "link",
    "mkdir",
    "open",
    "removexattr",
    "rename",
    "replace",
    "rmdir",
    "sched_setaffinity",
    "setxattr",
    "symlink",
    "unlink",
    "utime",
    "write",
)


class Killed(BaseException):
    """Stands for SIGKILL: from then on nothing that the code under test still does has an effect."""


class Changes:
    """``count`` is how many changes there were so far; ``killed`` whether one more was begun."""

    def __init__(self, last: int) -> None:
        """Let ``last`` changes happen."""
        self.count = 0
        self.killed = False
        self._last = last

    def wrap(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        """Return a call that counts, and that kills in the place of the first change too many."""

        def call(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as the call has them
            if name == "open" and not (len(arguments) > 1 and arguments[1] & os.O_CREAT):
                return original(*arguments, **options)
            if self.count >= self._last:
                self.killed = True
                raise Killed
            self.count += 1
            return original(*arguments, **options)

        return call


@contextmanager
def killed_after(changes: int) -> Iterator[Changes]:
    """Let so many changes happen within the block, then kill; the block ends quietly."""
    counted = Changes(changes)
    with pytest.MonkeyPatch.context() as patch:
        for name in _CHANGES:
            patch.setattr(os, name, counted.wrap(getattr(os, name), name))
        try:
            yield counted
        except Killed:
            return
