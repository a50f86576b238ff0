"""Two nodes have the same address."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="host-ip-not-unique",
    title="Two nodes have the same address",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Every node should have a unique IP address",),
    pattern=re.compile(r"Every node should have a unique IP address"),
    source="vLLM 0.10, vllm/executor/ray_distributed_executor.py",
    cause=(
        "VLLM_HOST_IP is set to the same value on both nodes, often because Ray or compose hands on the head's "
        "environment."
    ),
    fix="Set VLLM_HOST_IP on each node to its own address, before Ray starts there.",
    engines=("vllm",),
)
