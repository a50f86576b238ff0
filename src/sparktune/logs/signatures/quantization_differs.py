"""The quantization that is asked for is not the model's."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The model says {found['own']}, the argument {found['asked']}."


SIGNATURE = LogSignature(
    id="quantization-differs",
    title="The quantization that is asked for is not the model's",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("does not match the quantization method specified in the",),
    pattern=re.compile(
        r"\((?P<own>[^)]{1,60})\) does not match the quantization method specified in the `quantization` argument"
        r" \((?P<asked>[^)]{1,60})\)"
    ),
    source="vLLM 0.33.0, vllm/config/model.py",
    cause="The weights were quantized in one way and --quantization names another.",
    fix="Leave --quantization out, or take weights of the kind that is asked for.",
    engines=("vllm",),
    explain=_told,
)
