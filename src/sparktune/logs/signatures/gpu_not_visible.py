"""The process sees no GPU."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="gpu-not-visible",
    title="The process sees no GPU",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "No CUDA GPUs are available",
        "Failed to infer device type",
        "no CUDA-capable device is detected",
    ),
    pattern=re.compile(r"No CUDA GPUs are available|Failed to infer device type|no CUDA-capable device is detected"),
    source="PyTorch 2, torch/cuda/__init__.py; vLLM 0.33.0, vllm/config/device.py; CUDA 13 runtime API",
    cause=(
        "The container was started without the GPU, CUDA_VISIBLE_DEVICES names one that is not there, or the "
        "driver is not loaded."
    ),
    fix=(
        "nvidia-smi on the host, then inside the container. A Spark has one GPU: CUDA_VISIBLE_DEVICES is 0 or "
        "unset on each node."
    ),
)
