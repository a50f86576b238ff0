"""UCX's progress threads: they poll their workers when a program asked for a thread of progress."""

__all__ = ["POLLER"]

import re

from sparktune.model.place import KnownPoller

POLLER = KnownPoller(
    id="ucx-progress",
    title="UCX's progress thread",
    process=re.compile(""),
    thread=re.compile(r"^(?:ucx|ucp|uct)[-_ ]?", re.IGNORECASE),
    needs=("libucp", "libuct"),
    why="a thread of progress that polls never sleeps; one that waits for events does",
    fix="let the program wait for events (ucp_worker_arm) where it has a setting for that",
    source="https://openucx.readthedocs.io; ucp_worker_arm",
)
