"""No attention backend can do what is asked."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The reason given is {found['why'].strip()}." if found["why"] else ""


SIGNATURE = LogSignature(
    id="attention-backend-none",
    title="No attention backend can do what is asked",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "No valid attention backend found",
        "is not valid for this configuration",
    ),
    pattern=re.compile(
        r"No valid attention backend found"
        r"|Selected backend \S{1,80} is not valid for this configuration(?:\. Reason: (?P<why>.{1,200}))?"
    ),
    source="vLLM 0.33.0, vllm/platforms/cuda.py",
    cause=(
        "The combination of kv_cache_dtype, block size, head size and this GPU has no backend in this image, or "
        "not the one that is forced."
    ),
    fix=(
        "The line says for each backend why not. Leave --attention-backend out, or change what it names: mostly "
        "kv_cache_dtype (fp8, auto) or block_size."
    ),
    engines=("vllm",),
    explain=_told,
)
