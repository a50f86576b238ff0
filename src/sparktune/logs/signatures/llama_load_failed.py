"""llama.cpp gave up loading the model."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="llama-load-failed",
    title="llama.cpp gave up loading the model",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "failed to load model",
        "failed to create context",
    ),
    pattern=re.compile(r"failed to load model|failed to create context"),
    source="llama.cpp b11549, common/common.cpp and tools/server",
    cause="It sums up; a line before it says why.",
    fix="Read the lines above for the first error.",
    engines=("llamacpp",),
)
