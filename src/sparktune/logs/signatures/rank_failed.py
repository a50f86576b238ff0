"""torchrun tells that a rank has ended."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="rank-failed",
    title="torchrun tells that a rank has ended",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "ChildFailedError",
        "closing signal SIGTERM",
    ),
    pattern=re.compile(r"ChildFailedError|Sending process \d{1,9} closing signal SIGTERM"),
    source="PyTorch 2, torch/distributed/elastic/multiprocessing",
    cause="It sums up and ends the other ranks; the rank that failed first says why.",
    fix="Look at the lines of the rank that it calls the root cause, and before them on the other nodes.",
)
