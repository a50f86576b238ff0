"""The model does not allow this number of speculative tokens."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is {found['asked']} and has to be a multiple of {found['step']}."


SIGNATURE = LogSignature(
    id="speculation-depth-refused",
    title="The model does not allow this number of speculative tokens",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("must be divisible by n_predict",),
    pattern=re.compile(r"num_speculative_tokens:(?P<asked>\d{1,6}) must be divisible by n_predict=(?P<step>\d{1,6})"),
    source="vLLM 0.33.0, vllm/config/speculative.py",
    cause="The drafter predicts a fixed number of tokens at a time, and the depth has to be a multiple of it.",
    fix="Take a multiple, and let max_cudagraph_capture_size follow: max_num_seqs times (1 + depth).",
    engines=("vllm",),
    explain=_told,
)
