"""SGLang's scheduler ended."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="sglang-scheduler-failed",
    title="SGLang's scheduler ended",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "Scheduler hit an exception",
        "Received sigquit from a child process",
        "scheduler died during initialization",
        "scheduler is dead",
    ),
    pattern=re.compile(
        r"Scheduler hit an exception|Received sigquit from a child process|scheduler died during initialization"
        r"|scheduler is dead"
    ),
    source="SGLang 0.5.23, sglang/srt/managers/scheduler.py and sglang/srt/entrypoints/engine.py",
    cause="The exception that is printed with it, or a rank on another node, is the cause.",
    fix="Read the last line of the traceback that belongs to it, and the other nodes' logs.",
    engines=("sglang",),
)
