"""Gloo could not join all ranks."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return (
        "A rank was told 127.0.x.x: a node's own host name leads to its loopback." if "127.0." in found["why"] else ""
    )


SIGNATURE = LogSignature(
    id="gloo-not-joined",
    title="Gloo could not join all ranks",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("connectFullMesh failed with",),
    pattern=re.compile(r"connectFullMesh failed with(?P<why>.{0,300})"),
    source=(
        "PyTorch 2, torch/csrc/distributed/c10d/ProcessGroupGloo.cpp; https://github.com/vllm-project/vllm issue "
        "7074; https://github.com/sgl-project/sglang issue 3226"
    ),
    cause=(
        "Each rank tells the others an address, and one of these cannot be reached: a host name that /etc/hosts "
        "gives 127.0.1.1 (Ubuntu's default), an interface of another network, or a firewall. Or the other rank "
        "has ended."
    ),
    fix=(
        "On both nodes: getent hosts $(hostname) has to give the address of the network that joins them. Set "
        "GLOO_SOCKET_IFNAME, and VLLM_HOST_IP on each node to its own address there. An earlier error of the "
        "other rank comes first."
    ),
    explain=_told,
)
