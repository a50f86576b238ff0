"""CUDA has no memory left."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The allocation that failed was of {found['asked']}." if found["asked"] else ""


SIGNATURE = LogSignature(
    id="cuda-out-of-memory",
    title="CUDA has no memory left",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "CUDA out of memory",
        "CUDA error: out of memory",
        "cudaErrorMemoryAllocation",
        "Cuda failure",
    ),
    pattern=re.compile(
        r"(?<!Capture cuda graph failed: )CUDA out of memory\b(?! occurred when warming)(?:\. Tried to allocate"
        r" (?P<asked>[\d.]{1,12} [KMG]iB))?"
        r"|CUDA error: out of memory|cudaErrorMemoryAllocation|Cuda failure (?:2 )?'out of memory'"
    ),
    source="PyTorch 2, c10/cuda/CUDACachingAllocator.cpp; https://github.com/vllm-project/vllm issue 56824",
    cause=(
        "An allocation failed. On unified memory the driver may find no free pages although the host shows "
        "gigabytes as available: the page cache counts as available there."
    ),
    fix=(
        "Look at what else holds memory (nvidia-smi, free), and whether this was during load, graph capture or a "
        "long prompt. On a dedicated node drop the page cache before the start; keep some GiB of the pool for the "
        "host. What is needed at the peak falls with max_num_batched_tokens and max_num_seqs."
    ),
    explain=_told,
)
