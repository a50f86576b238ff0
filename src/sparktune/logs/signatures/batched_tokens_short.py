"""max_num_batched_tokens is smaller than what it has to hold."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is {found['tokens']} and has to be {found['least']} at least."


SIGNATURE = LogSignature(
    id="batched-tokens-short",
    title="max_num_batched_tokens is smaller than what it has to hold",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("max_num_batched_tokens (",),
    pattern=re.compile(
        r"max_num_batched_tokens \((?P<tokens>\d{1,12})\) (?:is smaller than max_model_len"
        r"|must be greater than or equal to max_num_seqs) \((?P<least>\d{1,12})\)"
    ),
    source="vLLM 0.33.0, vllm/config/scheduler.py",
    cause=(
        "Without chunked prefill a step has to hold the longest prompt; in any case it has to hold one token of "
        "each request."
    ),
    fix=(
        "Turn chunked prefill on (the default), or raise max_num_batched_tokens to the number that the line "
        "names, or lower that one."
    ),
    engines=("vllm",),
    explain=_told,
)
