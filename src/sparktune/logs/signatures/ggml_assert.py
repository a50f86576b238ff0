"""An assertion of ggml failed."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is: {found['what']}"


SIGNATURE = LogSignature(
    id="ggml-assert",
    title="An assertion of ggml failed",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("GGML_ASSERT(",),
    pattern=re.compile(r"GGML_ASSERT\((?P<what>.{1,200})\) failed"),
    source="llama.cpp b11549, ggml/src/ggml.c",
    cause="A fault in this build, or a combination of options that it does not expect.",
    fix=(
        "Look the words of the assertion up in llama.cpp's issues; try a newer build, then without speculation, "
        "with -fa off, or with an unquantized KV cache, one at a time."
    ),
    engines=("llamacpp",),
    explain=_told,
)
