"""Reads that may never come back: a process that hangs in a driver hangs whoever reads its command line.

Source: proc_pid_cmdline(5) and environ are read from the process's memory, under the lock of its memory map (Linux
``fs/proc/base.c``); the one who waits for that lock cannot be interrupted but by being killed.
"""

__all__ = ["read_patiently"]

import queue
import re
import threading
from collections.abc import Callable

from sparktune.agent.results import HANGS, Result, unreadable
from sparktune.agent.tree import Tree

_PATIENCE_S = 2.0
_MOST_HUNG = 4  # then a whole pattern is given up
_PROCESS = re.compile(r"/proc/[0-9]+/")
_OF_ITS_MEMORY = ("auxv", "cmdline", "environ", "maps", "numa_maps", "smaps", "smaps_rollup")


def read_patiently(tree: Tree, read: Callable[[], Result], patience_s: float = _PATIENCE_S) -> Result:
    """Return what ``read`` does, without the paths of the tree that hang; these are remembered there as hung.

    A path hangs when nothing else was touched for one to two times ``patience_s``. The thread that waits for it is left
    behind.
    """
    for _attempt in range(_MOST_HUNG):
        done: queue.SimpleQueue[Result] = queue.SimpleQueue()
        # A daemon: this process must be able to end without it.
        threading.Thread(target=lambda done=done: done.put(read()), daemon=True).start()
        result = _wait(tree, done, patience_s)
        if result is not None:
            return result
        tree.hung.update(_alike(tree.at))
    return unreadable(HANGS)


def _wait(tree: Tree, done: "queue.SimpleQueue[Result]", patience_s: float) -> Result | None:
    steps = -1
    while True:
        try:
            return done.get(timeout=patience_s)
        except queue.Empty:
            if steps == tree.steps:
                return None
            steps = tree.steps


def _alike(path: str) -> tuple[str, ...]:
    """Return the path with those that hang for the same reason."""
    process = _PROCESS.match(path)
    return (path, *(f"{process[0]}{name}" for name in _OF_ITS_MEMORY)) if process else (path,)
