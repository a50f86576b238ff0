"""The driver cleans up after a program that ended badly."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="gpu-cleanup",
    title="The driver cleans up after a program that ended badly",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=("NVRM: Xid",),
    pattern=re.compile(r"NVRM: Xid \([^)]{1,60}\): 45\b"),
    source="docs.nvidia.com, XID errors",
    cause="Xid 45 follows when a program is killed, or after another Xid.",
    fix="Look for what came before it.",
)
