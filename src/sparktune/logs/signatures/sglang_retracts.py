"""SGLang takes requests back, since its KV pool is full."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="sglang-retracts",
    title="SGLang takes requests back, since its KV pool is full",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("KV cache pool is full. Retract",),
    pattern=re.compile(r"KV cache pool is full\. Retract"),
    source="SGLang 0.5.23, sglang/srt/managers/scheduler.py",
    cause="Requests that had begun are put back and computed again; their times are not those of the engine at rest.",
    fix=(
        "Fewer requests at once, a larger pool, or --schedule-conservativeness above 1. Do not compare numbers "
        "across this."
    ),
    engines=("sglang",),
)
