"""Starts that fail as too little memory is free, and whether it becomes less from start to start."""

__all__ = ["RULE"]

import math
import re
from collections.abc import Iterator
from itertools import pairwise

from sparktune.logs.rules._shared import at, log_rule
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogEvent, LogView, ReadLog

_SHORT = re.compile(r"\((?P<free>\d{1,6}\.\d{1,4})/(?P<total>\d{1,6}\.\d{1,4}) GiB\) on startup is less")
_STEP = 100  # shares are given with two digits
_CLEAN = "reports of clean nodes have 101 to 118 GiB free, so that a share of 0.87 or more may never start"
_UNIFIED_GIB = (110.0, 130.0)  # the rule of thumb is of nodes with 128 GB for host and GPU


def _judge(view: LogView) -> Iterator[Finding]:
    nodes: dict[str, list[tuple[ReadLog, LogEvent, float, float]]] = {}
    for log in view.logs:
        for event in sorted(log.events, key=lambda one: one.start):
            found = _SHORT.search(event.first.text) if _is_short(event) else None
            if found is not None:
                nodes.setdefault(log.node, []).append((log, event, float(found["free"]), float(found["total"])))
    for attempts in nodes.values():
        yield _of_node(attempts)


def _is_short(event: LogEvent) -> bool:
    return event.signature is not None and event.signature.id == "free-memory-short"


def _of_node(attempts: list[tuple[ReadLog, LogEvent, float, float]]) -> Finding:
    log, event, free, total = attempts[-1]
    frees = [one[2] for one in attempts]
    falls = len(frees) > 1 and all(later < earlier for earlier, later in pairwise(frees))
    share = math.floor(free / total * _STEP) / _STEP if total else 0.0
    evidence = f"{free} of {total} GiB are free: the highest share that starts now is {share:.2f}"
    if falls:
        evidence += f"; free memory falls from start to start: {', '.join(map(str, frees))} GiB"
    hint = "stop restarting it: each failed start may leave less. " if falls else ""
    hint += "Reclaim first (engines that were left behind, page cache, swap): then the same share may start"
    if _UNIFIED_GIB[0] <= total <= _UNIFIED_GIB[1]:
        hint += f". As a rule of thumb, {_CLEAN}"
    return at(log, event.first, Severity.WARNING, evidence, hint)


RULE = log_rule(
    "memory-at-start",
    title="Too little memory is free for the share that is asked for",
    why="What failed starts leave behind makes the next one fail, too; a lower share hides it.",
    source="https://github.com/Blackwellboy/model-serving-minefield traps/memory/119; vLLM, v1/worker/utils.py",
    judge=_judge,
)
