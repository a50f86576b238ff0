"""A name is missing for an address."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="store-hostname",
    title="A name is missing for an address",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("of the client socket cannot be retrieved",),
    pattern=re.compile(r"hostname of the client socket cannot be retrieved"),
    source="PyTorch 2, torch/csrc/distributed/c10d/socket.cpp",
)
