"""The engine waits for GPUs in the Ray cluster."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="ray-placement-waits",
    title="The engine waits for GPUs in the Ray cluster",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("Waiting for creating a placement group",),
    pattern=re.compile(r"Waiting for creating a placement group of specs for (?P<seconds>\d{1,9}) seconds"),
    source="vLLM 0.33.0, vllm/v1/executor/ray_utils.py",
    cause="Until every node has joined with its GPU, nothing goes on.",
    fix="ray status shows which node is missing; compare its address with VLLM_HOST_IP.",
    engines=("vllm",),
)
