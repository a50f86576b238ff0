"""The engine refuses its configuration."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The part is {found['what']}; the lines below it name the field."


SIGNATURE = LogSignature(
    id="config-invalid",
    title="The engine refuses its configuration",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("validation error",),
    pattern=re.compile(r"\d{1,4} validation errors? for (?P<what>\w{1,80}Config)\b"),
    source="pydantic 2, ValidationError; vLLM 0.33.0, vllm/config",
    cause="A value, or two that do not go together, are not allowed. The lines below name the field and say why.",
    fix="Read the two lines below this one: they have the field, the reason and the value.",
    explain=_told,
)
