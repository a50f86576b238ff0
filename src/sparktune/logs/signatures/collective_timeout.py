"""A rank waited for another until its time was up."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="collective-timeout",
    title="A rank waited for another until its time was up",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "Watchdog caught collective operation timeout",
        "ProcessGroupNCCL",
        "Some NCCL operations have failed or timed out",
    ),
    pattern=re.compile(
        r"Watchdog caught collective operation timeout|Some NCCL operations have failed or timed out"
        r"|ProcessGroupNCCL.{0,80}?(?:watchdog (?:timeout|got stuck|thread terminated)"
        r"|heartbeat monitor timed out)"
    ),
    source="PyTorch 2, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp",
    cause="A collective did not end, since another rank did not come to it: it died, hangs, or still compiles.",
    fix=(
        "Look at the other ranks, at the time when the waiting began (this line's time less the timeout): the one "
        "that does not report a timeout, or reported an error before, is the cause."
    ),
)
