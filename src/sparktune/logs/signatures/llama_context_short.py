"""The context is shorter than the model could."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="llama-context-short",
    title="The context is shorter than the model could",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("the full capacity of the model will not be utilized",),
    pattern=re.compile(r"the full capacity of the model will not be utilized"),
    source="llama.cpp b11549, src/llama-context.cpp",
    engines=("llamacpp",),
)
