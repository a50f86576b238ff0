"""A call to NCCL failed."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="nccl-call-failed",
    title="A call to NCCL failed",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "unhandled system error",
        "unhandled cuda error",
        "remote process exited or there was a network error",
        "internal error - please report",
    ),
    pattern=re.compile(
        r"unhandled (?:system|cuda) error|remote process exited or there was a network error"
        r"|internal error - please report"
    ),
    source="NCCL 2.30.7, src/init.cc, ncclGetErrorString",
    cause="NCCL hands on that something failed; it says what on a line of its own before, or the other node does.",
    fix=(
        "Look for the NCCL WARN line before it, and at the other node's log. With none: NCCL_DEBUG=INFO on both "
        "nodes and start again."
    ),
)
