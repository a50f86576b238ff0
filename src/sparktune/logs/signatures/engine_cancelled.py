"""A wait was cancelled, since the engine stops."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="engine-cancelled",
    title="A wait was cancelled, since the engine stops",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "RuntimeError: cancelled",
        "CancelledError",
    ),
    pattern=re.compile(r"RuntimeError: cancelled\b|CancelledError"),
    source="vLLM 0.33.0, vllm/distributed/device_communicators/shm_broadcast.py",
    cause="What was waiting is woken when the engine is taken down.",
    fix="Look for the error before it.",
)
