"""The other node cannot be reached from here."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="no-route",
    title="The other node cannot be reached from here",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "No route to host",
        "Network is unreachable",
    ),
    pattern=re.compile(r"(?:No route to host|Network is unreachable)(?!.{0,40}retrying)"),
    source="connect(2), EHOSTUNREACH and ENETUNREACH",
    cause=(
        "The address belongs to a network that this node is not in, a link is down, or a firewall answers for the port."
    ),
    fix=(
        "ip route get ADDRESS on this node, and the firewall of the other one for that interface. sparktune "
        "doctor on both nodes compares rails, addresses and subnets."
    ),
)
