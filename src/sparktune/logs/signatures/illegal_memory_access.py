"""A kernel of the GPU read or wrote memory that is not its own."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="illegal-memory-access",
    title="A kernel of the GPU read or wrote memory that is not its own",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "illegal memory access was encountered",
        "cudaErrorIllegalAddress",
        "CUDA_ERROR_ILLEGAL_ADDRESS",
    ),
    pattern=re.compile(r"illegal memory access was encountered|cudaErrorIllegalAddress|CUDA_ERROR_ILLEGAL_ADDRESS"),
    source="CUDA 13 runtime API, cudaError_t; https://github.com/Blackwellboy/model-serving-minefield trap 120",
    cause=(
        "A fault in a kernel of the engine or of a backend. It is told late: the call that reports it is often "
        "not the one that failed."
    ),
    fix=(
        "Note the shape (prompt length, concurrency, speculative tokens) and try, one at a time: another "
        "attention or MoE backend, no speculation, no graphs (enforce_eager) to learn which part it is. Then "
        "report it with CUDA_LAUNCH_BLOCKING=1."
    ),
)
