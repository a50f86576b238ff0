"""Gloo finds no address on the interface that it was given."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The name that it was given is {found['name']}."


SIGNATURE = LogSignature(
    id="gloo-no-interface",
    title="Gloo finds no address on the interface that it was given",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Unable to find address for: ",),
    pattern=re.compile(r"Unable to find address for: (?P<name>[^\s]{1,60})"),
    source=(
        "gloo, transport/tcp/device.cc; https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark issue 4"
    ),
    cause=(
        "GLOO_SOCKET_IFNAME names an interface that this node does not have or that has no address. A part of an "
        "address is no name; images and examples bring names of other machines."
    ),
    fix=(
        "On each node compare ip -br addr with GLOO_SOCKET_IFNAME, TP_SOCKET_IFNAME and NCCL_SOCKET_IFNAME, also "
        "as the image sets them, and set them per node."
    ),
    explain=_told,
)
