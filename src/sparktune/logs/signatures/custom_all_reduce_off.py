"""An all-reduce for GPUs of one node is not used."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="custom-all-reduce-off",
    title="An all-reduce for GPUs of one node is not used",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("Custom allreduce is disabled",),
    pattern=re.compile(r"Custom allreduce is disabled"),
    source="vLLM 0.33.0, vllm/distributed/device_communicators/custom_all_reduce.py",
    engines=("vllm",),
)
