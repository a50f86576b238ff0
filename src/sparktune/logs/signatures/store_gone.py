"""The process that keeps the ranks' store is gone."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="store-gone",
    title="The process that keeps the ranks' store is gone",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "Failed to recv, got 0 bytes",
        "recvValue",
        "TCPStore server has shut down",
    ),
    pattern=re.compile(
        r"Failed to recv, got 0 bytes|recvValue(?:WithTimeout)? failed on|TCPStore server has shut down"
    ),
    source="PyTorch 2, torch/csrc/distributed/c10d/TCPStore.cpp",
    cause="Rank 0 keeps the store; it ended. This line blames the network, the cause is in rank 0's log.",
    fix="Read rank 0's log before the time of this line.",
)
