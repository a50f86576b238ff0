"""A program or image is for another kind of processor."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="wrong-architecture",
    title="A program or image is for another kind of processor",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "xec format error",
        "no matching manifest for linux/arm64",
    ),
    pattern=re.compile(r"[Ee]xec format error|no matching manifest for linux/arm64"),
    source="execve(2), ENOEXEC; docs.docker.com, multi-platform images",
    cause="A Spark's processor is Arm (linux/arm64); this is for x86-64, or a script lacks its first line.",
    fix="Take a tag that has linux/arm64: docker manifest inspect shows them.",
)
