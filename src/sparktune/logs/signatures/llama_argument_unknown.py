"""llama.cpp does not know an argument."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The argument is {(found['name'] or found['other']).strip()}."


SIGNATURE = LogSignature(
    id="llama-argument-unknown",
    title="llama.cpp does not know an argument",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "error: invalid argument: ",
        "error while handling argument",
    ),
    pattern=re.compile(
        r"error: invalid argument: (?P<name>\S{1,100})|error while handling argument (?P<other>[^:]{1,100}):"
    ),
    source="llama.cpp b11549, common/arg.cpp",
    cause="The flag came or went with a build (--draft-max, --no-mmap), or its value is not one that it takes.",
    fix="Ask this build: llama-server --help. sparktune lint knows flags that came and went.",
    engines=("llamacpp",),
    explain=_told,
)
