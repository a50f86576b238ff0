"""RDMA could not register memory."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="nccl-memory-not-registered",
    title="RDMA could not register memory",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("ibv_reg_mr",),
    pattern=re.compile(r"ibv_reg_(?:dmabuf_)?mr\w{0,12} failed with (?:error )?(?:12\b|Cannot allocate memory)"),
    source=(
        "NCCL 2.30.7, src/misc/ibvwrap.cc; https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark "
        "issue 259; https://github.com/vllm-project/vllm pull 42075"
    ),
    cause=(
        "Either the process may lock too little memory, or the kernel cannot give any: kernel 7.0.0-1019 does so "
        "on Sparks while the limit is unlimited."
    ),
    fix=(
        "Ask ulimit -l inside the container. If it is a number: ulimits memlock -1, and IPC_LOCK where it does "
        "not run as root. If ulimit -l is unlimited, the limit is not it: look at sparktune doctor on both nodes, "
        "which knows the kernel's fault by /proc/meminfo."
    ),
)
