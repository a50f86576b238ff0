"""The process at the other end is gone."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="peer-gone",
    title="The process at the other end is gone",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "Connection closed by",
        "Broken pipe",
        "Connection reset by peer",
    ),
    pattern=re.compile(
        r"^(?!.{0,300}connectFullMesh).{0,1500}?(?:Connection closed by (?:remote )?peer|Broken pipe"
        r"|Connection reset by peer)"
    ),
    source="NCCL 2.30.7, src/misc/socket.cc; gloo, transport/tcp/pair.cc",
    cause="The other end of a connection ended; its own log says why, earlier.",
    fix=(
        "Read the log of the other rank: its first error in time is the cause. The network is not suspected by "
        "this line."
    ),
)
