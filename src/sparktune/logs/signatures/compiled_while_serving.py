"""A kernel was compiled while a request waited."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The kernel is {found['name'].rstrip('.')}."


SIGNATURE = LogSignature(
    id="compiled-while-serving",
    title="A kernel was compiled while a request waited",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("during inference: ",),
    pattern=re.compile(
        r"(?:JIT compilation|[Aa]utotun\w{1,12}(?: \w{1,20})?) during inference: (?P<name>[\w.<>-]{1,120})"
    ),
    source=(
        "vLLM 0.33.0, vllm/utils/jit_monitor.py; "
        "https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark issues 65 and 87"
    ),
    cause=(
        "A request of a shape that the warm-up did not have; its times are those of the compiler. Long ones have "
        "ended engines by a timeout."
    ),
    fix=(
        "Warm up with every length, with temperature above 0, and with a tool call, before anything is measured; "
        "keep the caches on a mounted folder."
    ),
    engines=("vllm",),
    explain=_told,
)
