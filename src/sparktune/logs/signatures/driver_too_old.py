"""The driver is older than the program's CUDA needs."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="driver-too-old",
    title="The driver is older than the program's CUDA needs",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "CUDA driver version is insufficient",
        "The NVIDIA driver on your system is too old",
    ),
    pattern=re.compile(r"CUDA driver version is insufficient|The NVIDIA driver on your system is too old"),
    source="CUDA 13 runtime API, cudaErrorInsufficientDriver; PyTorch 2, torch/cuda/__init__.py",
    cause="The image's CUDA needs a newer driver than the host has.",
    fix=(
        "Compare nvidia-smi on both nodes with what the image needs; take an image for that driver, or update the "
        "driver on both nodes."
    ),
)
