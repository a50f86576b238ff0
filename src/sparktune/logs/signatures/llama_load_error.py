"""llama.cpp cannot load the model."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The reason given is: {found['why'].strip()}"


SIGNATURE = LogSignature(
    id="llama-load-error",
    title="llama.cpp cannot load the model",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("error loading model",),
    pattern=re.compile(r"error loading model: (?!unable to allocate)(?P<why>.{1,300})"),
    source="llama.cpp b11549, src/llama.cpp",
    cause="The file is cut off, is none of its kind, or is of an architecture that this build does not know.",
    fix=(
        "The words after the colon say which. Compare the file's size with its page, take all parts of a split "
        "model, or a newer build."
    ),
    engines=("llamacpp",),
    explain=_told,
)
