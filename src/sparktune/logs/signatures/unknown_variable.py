"""The engine does not know a variable."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The variable is {found['name']}."


SIGNATURE = LogSignature(
    id="unknown-variable",
    title="The engine does not know a variable",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("Unknown vLLM environment variable detected",),
    pattern=re.compile(r"Unknown vLLM environment variable detected: (?P<name>\w{1,120})"),
    source="vLLM 0.33.0, vllm/platforms/interface.py",
    cause="It has no effect in this image: the name is of another version or fork, or misspelt.",
    fix="Remove it, or take the image that knows it. A comparison of its values compares a setting with itself.",
    engines=("vllm",),
    explain=_told,
)
