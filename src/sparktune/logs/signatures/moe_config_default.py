"""There is no tuned configuration for the experts' kernel."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="moe-config-default",
    title="There is no tuned configuration for the experts' kernel",
    role=LogRole.NOTE,
    severity=Severity.INFO,
    words=("Performance might be sub-optimal",),
    pattern=re.compile(r"Using default (?:W8A8 )?MoE config\. Performance might be sub-optimal"),
    source="vLLM 0.33.0, vllm/model_executor/layers/fused_moe/fused_moe.py",
    cause=(
        "The kernel runs with general sizes of its blocks, since the image has none that were tuned for this GPU "
        "and shape."
    ),
    fix="It works. Whether a tuned one would be faster here is to be measured.",
    engines=("vllm",),
)
