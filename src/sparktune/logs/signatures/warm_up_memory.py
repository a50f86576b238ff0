"""The warm-up of the sampler or pooler has no memory."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The {found['what']} was tried with {found['count']} requests."


SIGNATURE = LogSignature(
    id="warm-up-memory",
    title="The warm-up of the sampler or pooler has no memory",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("CUDA out of memory occurred when warming up",),
    pattern=re.compile(
        r"CUDA out of memory occurred when warming up (?P<what>sampler"
        r"|pooler).{0,60}? with (?P<count>\d{1,9}) dummy requests"
    ),
    source="vLLM 0.33.0, vllm/v1/worker/gpu_model_runner.py",
    cause=(
        "The engine tries as many requests at once as max_num_seqs allows, with full rows of logits, after the KV "
        "cache is there."
    ),
    fix="Lower max_num_seqs to what is used, or leave more memory outside the KV cache.",
    engines=("vllm",),
    explain=_told,
)
