"""The engine captures fewer graphs than were asked for."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The size is {found['size']} tokens now."


SIGNATURE = LogSignature(
    id="graphs-truncated",
    title="The engine captures fewer graphs than were asked for",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("Truncating max_cudagraph_capture_size",),
    pattern=re.compile(r"Truncating max_cudagraph_capture_size to (?P<size>\d{1,9})"),
    source="vLLM 0.33.0, vllm/config/vllm.py; https://github.com/vllm-project/vllm issue 54933",
    cause=(
        "The size is cut to the next one of a ladder. Decoding needs max_num_seqs times (1 + speculative tokens); "
        "requests beyond what is captured run without graphs."
    ),
    fix=(
        "Take a size that the ladder keeps: a multiple of 8, of 16 above 256. sparktune logs and lint say how "
        "many requests are covered."
    ),
    engines=("vllm",),
    explain=_told,
)
