"""Gloo tells how many ranks it has joined."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="gloo-joined",
    title="Gloo tells how many ranks it has joined",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("Expected number of connected peer ranks",),
    pattern=re.compile(r"is connected to \d{1,6} peer ranks\. Expected number of connected peer ranks"),
    source="PyTorch 2, third_party/gloo, gloo/rendezvous/context.cc",
)
