"""This version does not know the model."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="architecture-unknown",
    title="This version does not know the model",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "are not supported for now",
        "does not recognize this architecture",
    ),
    pattern=re.compile(r"Model architectures .{1,300}? are not supported for now|does not recognize this architecture"),
    source="vLLM 0.33.0, vllm/model_executor/models/registry.py; transformers 4, models/auto/configuration_auto.py",
    cause="The model is newer than the engine or its transformers, or needs a fork.",
    fix="Take the image that the model's page names, or a newer one.",
)
