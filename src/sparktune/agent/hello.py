"""Who a node is, and what its clocks say."""

__all__ = ["hello", "time_pair"]

import os
import platform
import time
from typing import Any

from sparktune.agent.files import read_file
from sparktune.agent.protocol import PROTOCOL, command_slug
from sparktune.agent.tree import Tree

_MOST_BYTES = 4096


def hello(tree: Tree) -> dict[str, Any]:
    """Answer the verb ``hello``."""
    return {
        "protocol": PROTOCOL,
        "boot_id": _line(tree, "/proc/sys/kernel/random/boot_id"),
        "hostname": _line(tree, "/proc/sys/kernel/hostname"),
        "uid": _kept_uid(tree) if tree.root else os.geteuid(),
        "python": platform.python_version(),
        **time_pair(),
    }


def time_pair() -> dict[str, int]:
    """Return both clocks, the wall clock read between two readings of the other."""
    before = time.monotonic_ns()
    wall = time.time_ns()
    return {"monotonic_ns": (before + time.monotonic_ns()) // 2, "wall_ns": wall}


def _kept_uid(tree: Tree) -> int | None:
    said = _line(tree, f"/commands/{command_slug(('id', '-u'))}.txt")
    return int(said) if said.isascii() and said.isdigit() else None


def _line(tree: Tree, path: str) -> str:
    result = read_file(tree, {"path": path, "most_bytes": _MOST_BYTES})
    return str(result.get("value", "")).strip()
