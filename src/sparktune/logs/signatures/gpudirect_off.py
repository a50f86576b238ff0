"""RDMA goes through host memory."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="gpudirect-off",
    title="RDMA goes through host memory",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("GPU Direct RDMA Disabled",),
    pattern=re.compile(r"GPU Direct RDMA Disabled for"),
    source=(
        "NCCL 2.30.7, src/graph/paths.cc; forums.developer.nvidia.com topic 348787: GB10 has one memory and no "
        "GPUDirect"
    ),
)
