"""The engine does not know the quantization."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The name is {found['name'].strip()}."


SIGNATURE = LogSignature(
    id="quantization-unknown",
    title="The engine does not know the quantization",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Unknown quantization method",),
    pattern=re.compile(r"Unknown quantization method: (?P<name>[^.\n]{1,80})"),
    source="vLLM 0.33.0, vllm/config/model.py",
    cause="The name is of another version or a fork, or is misspelt.",
    fix=(
        "Leave --quantization out: the model's own configuration mostly says it. Otherwise take one of those that "
        "the line lists, or the image that the model's page names."
    ),
    explain=_told,
)
