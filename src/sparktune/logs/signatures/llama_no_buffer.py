"""llama.cpp cannot allocate a buffer."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It wanted {float(found['mib']) / 1024:.1f} GiB at once." if found["mib"] else ""


SIGNATURE = LogSignature(
    id="llama-no-buffer",
    title="llama.cpp cannot allocate a buffer",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "unable to allocate",
        "cudaMalloc failed",
        "failed to allocate buffer",
        "failed to allocate compute",
    ),
    pattern=re.compile(
        r"allocating (?P<mib>\d{1,9}(?:\.\d{1,3})?) MiB on device \d{1,3}: cudaMalloc failed"
        r"|unable to allocate \S{1,40} buffer"
        r"|failed to allocate (?:buffer for kv cache|compute (?:pp |tg )?buffers|buffer of size)"
    ),
    source="llama.cpp b11549, ggml/src/ggml-cuda/ggml-cuda.cu and src/llama-model.cpp",
    cause=(
        "Weights, KV cache (-c times slots) or compute buffers (-ub) are more than the GPU can get; on unified "
        "memory the page cache of a mapped file counts too."
    ),
    fix=(
        "See what else holds memory. Then a smaller context or fewer slots (-c, -np), a smaller -ub, a quantized "
        "KV cache, and --no-mmap on a Spark; or spread layers over another node by RPC."
    ),
    engines=("llamacpp",),
    explain=_told,
)
