"""A part of the model is not compiled."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="compile-not-supported",
    title="A part of the model is not compiled",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("is turned on, but the model",),
    pattern=re.compile(r"torch\.compile`? is turned on, but the model"),
    source="vLLM 0.33.0, vllm/config/vllm.py; https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/08",
    engines=("vllm",),
)
