"""The context is longer than the model was trained for."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is {found['asked']}, the model's is {found['trained']}."


SIGNATURE = LogSignature(
    id="llama-context-over-model",
    title="The context is longer than the model was trained for",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("possible training context overflow",),
    pattern=re.compile(r"n_ctx\w{0,12} \((?P<asked>\d{1,12})\) > n_ctx_train \((?P<trained>\d{1,12})\)"),
    source="llama.cpp b11549, src/llama-context.cpp",
    cause="What is said beyond that length may be nonsense, unless rope scaling is set as the model's page says.",
    fix="Set -c to the model's length, or the scaling.",
    engines=("llamacpp",),
    explain=_told,
)
