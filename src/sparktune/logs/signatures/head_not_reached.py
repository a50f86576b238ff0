"""The head did not come, or cannot be reached."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It tried {found['host']} port {found['port']} for {int(found['ms']) // 1000} s."


SIGNATURE = LogSignature(
    id="head-not-reached",
    title="The head did not come, or cannot be reached",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=("client socket has timed out after",),
    pattern=re.compile(
        r"client socket has timed out after (?P<ms>\d{1,12}) ?ms while trying to connect to"
        r" \((?P<host>[^,)]{1,120}), (?P<port>\d{1,5})\)"
    ),
    source="PyTorch 2, torch/csrc/distributed/c10d/socket.cpp",
    cause=(
        "The worker waited for the head's store. The head ended before it listened, listens on another address or "
        "port, or a firewall is between."
    ),
    fix=(
        "Read the head's log first: its error is the cause if it ended. If it waits too, compare the address and "
        "port here with what the head was started with, and try them with nc -vz from this node."
    ),
    explain=_told,
)
