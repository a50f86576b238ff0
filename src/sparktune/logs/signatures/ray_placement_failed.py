"""Ray has fewer GPUs than the engine asks for."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="ray-placement-failed",
    title="Ray has fewer GPUs than the engine asks for",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Cannot provide a placement group",),
    pattern=re.compile(r"Cannot provide a placement group"),
    source="vLLM 0.33.0, vllm/v1/executor/ray_utils.py",
    cause=(
        "A node has not joined the Ray cluster, has joined with another address, or its GPU is held by an earlier run."
    ),
    fix=(
        "ray status and ray list nodes on the head: two nodes with one GPU each have to be there, with the "
        "addresses that VLLM_HOST_IP says. Remove and recreate the containers of a start that failed."
    ),
    engines=("vllm",),
)
