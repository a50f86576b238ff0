"""llama.cpp could not fit its settings to free memory."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The reason given is: {found['why'].strip()}" if found["why"] else ""


SIGNATURE = LogSignature(
    id="llama-not-fitted",
    title="llama.cpp could not fit its settings to free memory",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("failed to fit params to free device memory",),
    pattern=re.compile(r"failed to fit params to free device memory(?:: (?P<why>.{1,200}))?"),
    source="llama.cpp b11549, src/llama.cpp",
    cause="It goes on with what was asked, which may not fit.",
    fix="Set -c, -np and -ngl yourself, or turn --fit off.",
    engines=("llamacpp",),
    explain=_told,
)
