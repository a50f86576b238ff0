"""NCCL finds no network interface of the name that it was given."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="nccl-no-interface",
    title="NCCL finds no network interface of the name that it was given",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Bootstrap : no socket interface found",),
    pattern=re.compile(r"Bootstrap : no socket interface found"),
    source=(
        "NCCL 2.30.7, src/bootstrap.cc; https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark issue 4"
    ),
    cause=(
        "NCCL_SOCKET_IFNAME names an interface that this node does not have, that is down, or that has no "
        "address. Both Sparks may have different names, and images may bring a value of their own."
    ),
    fix=(
        "On each node compare ip -br addr with NCCL_SOCKET_IFNAME, and with what the image sets; set it per node, "
        "or leave it unset where one network joins the nodes."
    ),
)
