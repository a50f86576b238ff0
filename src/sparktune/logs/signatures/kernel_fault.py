"""A kernel of the GPU failed."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="kernel-fault",
    title="A kernel of the GPU failed",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "unspecified launch failure",
        "cudaErrorLaunchFailure",
        "misaligned address",
        "cudaErrorMisalignedAddress",
        "device-side assert triggered",
    ),
    pattern=re.compile(
        r"unspecified launch failure|cudaErrorLaunchFailure|CUDA error: misaligned address"
        r"|cudaErrorMisalignedAddress|device-side assert triggered"
    ),
    source="CUDA 13 runtime API, cudaError_t; PyTorch 2, c10/cuda/CUDAException.cpp",
    cause="A kernel ended with a fault. It is told late: the call that reports it is often not the one that failed.",
    fix=(
        "Run again with CUDA_LAUNCH_BLOCKING=1 to see the call that fails, and try another attention or MoE "
        "backend; a device-side assert is mostly an index out of range, such as a token id beyond the vocabulary."
    ),
)
