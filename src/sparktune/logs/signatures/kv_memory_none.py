"""No memory is left for the KV cache."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is over its share by {found['over']} GiB before any KV cache." if found["over"] else ""


SIGNATURE = LogSignature(
    id="kv-memory-none",
    title="No memory is left for the KV cache",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "No available memory for the cache blocks",
        "Available KV cache memory: -",
    ),
    pattern=re.compile(
        r"No available memory for the cache blocks|Available KV cache memory: -(?P<over>\d{1,6}(?:\.\d{1,4})?) GiB"
    ),
    source="vLLM 0.33.0, vllm/v1/core/kv_cache_planning.py",
    cause="Weights, graphs and the largest step together need more than the engine's share of memory.",
    fix=(
        "See what takes the share: a heavier quantization of the weights, max_num_batched_tokens, max_num_seqs, "
        "graphs. Lower these or, when the node has memory free on a clean start, raise gpu_memory_utilization; on "
        "unified memory keep several GiB for the host."
    ),
    engines=("vllm",),
    explain=_told,
)
