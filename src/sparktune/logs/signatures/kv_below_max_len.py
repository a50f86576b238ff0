"""One request of the longest length does not fit into the KV cache."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    if found["length"]:
        return f"max_model_len is {found['length']}, the pool holds {found['pool']} tokens."
    fits = f" The engine estimates that {found['fits']} tokens fit." if found["fits"] else ""
    return f"{found['asked']} tokens need {found['need']} GiB, {found['have']} GiB are there.{fits}"


SIGNATURE = LogSignature(
    id="kv-below-max-len",
    title="One request of the longest length does not fit into the KV cache",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "larger than the available KV cache memory",
        "larger than the maximum number of tokens that can be stored in KV cache",
    ),
    pattern=re.compile(
        r"max seq len \((?P<asked>[\d,]{1,15})\),? ?\(?(?P<need>\d{1,6}(?:\.\d{1,4})?) GiB KV cache is needed, "
        r"which is larger than the available KV cache memory \((?P<have>\d{1,6}(?:\.\d{1,4})?) GiB\)"
        r"(?:\. Based on the available memory,? the estimated maximum model length is (?P<fits>[\d,]{1,15}))?"
        r"|max seq len \((?P<length>[\d,]{1,15})\) is larger than the maximum number of tokens "
        r"that can be stored in KV cache \((?P<pool>[\d,]{1,15})\)"
    ),
    source="vLLM 0.33.0, vllm/v1/core/kv_cache_planning.py; vLLM 0.6, worker.py",
    cause="max_model_len needs more KV cache than is left after the weights.",
    fix=(
        "Set max_model_len to what the engine estimates or less, use a smaller kv_cache_dtype (its quality is to "
        "be checked), or free memory first if the node was not clean: then the same value may fit."
    ),
    engines=("vllm",),
    explain=_told,
)
