"""The driver found no memory for an allocation."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="driver-no-memory",
    title="The driver found no memory for an allocation",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("NV_ERR_NO_MEMORY",),
    pattern=re.compile(r"NV_ERR_NO_MEMORY"),
    source=(
        "https://github.com/vllm-project/vllm issue 56824; https://github.com/NVIDIA/open-gpu-kernel-modules issue 1358"
    ),
    cause=(
        "The driver could not get pages, also when MemAvailable shows gigabytes: the page cache is not at once "
        "usable for it. Healthy starts log some such lines; many, or ones just before a failure, are reported "
        "before a host wedges."
    ),
    fix=(
        "Treat the host as at risk while lines keep coming: start no further load, look with sparktune doctor, "
        "and on a dedicated node drop the page cache. Where a failure says cudaMemGetInfo, a lower "
        "gpu_memory_utilization does not help."
    ),
)
