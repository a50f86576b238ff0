"""The process may lock little memory."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="memlock-limited",
    title="The process may lock little memory",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("RLIMIT_MEMLOCK",),
    pattern=re.compile(r"RLIMIT_MEMLOCK is (?P<bytes>\d{1,15}) bytes"),
    source="rdma-core, libibverbs/init.c",
    cause=(
        "RDMA has to lock the memory that it uses; with this limit registering fails and sockets are used, or nothing."
    ),
    fix=(
        "ulimits memlock -1 for the container or the unit (LimitMEMLOCK=infinity), and IPC_LOCK where it does not "
        "run as root."
    ),
)
