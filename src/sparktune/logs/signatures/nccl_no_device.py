"""NCCL finds no RDMA device."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="nccl-no-device",
    title="NCCL finds no RDMA device",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("No device found",),
    pattern=re.compile(r"NET/IB\s{0,3}: No device found"),
    source="NCCL 2.30.7, src/transport/net_ib; https://github.com/vllm-project/vllm pull 42075",
    cause=(
        "It goes on over sockets, and says no more about it. In a container /dev/infiniband has to be a device, a "
        "mount alone is not enough."
    ),
    fix=(
        "devices: /dev/infiniband, ulimits memlock -1, and NCCL_IB_HCA unset or naming a device that is there. "
        "Decode speed alone does not show the loss, time to the first token does: do not compare numbers across "
        "this."
    ),
)
