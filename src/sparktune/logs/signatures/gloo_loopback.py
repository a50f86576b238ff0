"""Gloo takes the loopback as the node's address."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="gloo-loopback",
    title="Gloo takes the loopback as the node's address",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("Using the loopback address as fallback",),
    pattern=re.compile(r"Using the loopback address as fallback"),
    source="PyTorch 2, ProcessGroupGloo.cpp; https://github.com/vllm-project/vllm issue 7074",
    cause=(
        "The node's host name leads to no address of its own. On one node that is harmless, over several no rank "
        "can reach this one."
    ),
    fix="Over several nodes: set GLOO_SOCKET_IFNAME, or let /etc/hosts give the host name its address.",
)
