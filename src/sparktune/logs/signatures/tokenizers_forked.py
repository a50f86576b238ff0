"""Tokenizers stop to work in parallel after a fork."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="tokenizers-forked",
    title="Tokenizers stop to work in parallel after a fork",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("The current process just got forked",),
    pattern=re.compile(r"The current process just got forked, after parallelism has already been used"),
    source="tokenizers 0.22, bindings/python/src/lib.rs",
)
