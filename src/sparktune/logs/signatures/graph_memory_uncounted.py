"""Memory for graphs is not counted."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="graph-memory-uncounted",
    title="Memory for graphs is not counted",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("CUDA graph memory profiling is disabled",),
    pattern=re.compile(r"CUDA graph memory profiling is disabled"),
    source="vLLM 0.21, vllm/v1/worker/gpu_worker.py",
    cause="The KV cache is sized as if graphs took nothing, so that their capture can run out of memory.",
    fix="Leave VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS at its default, or leave that much room.",
    engines=("vllm",),
)
