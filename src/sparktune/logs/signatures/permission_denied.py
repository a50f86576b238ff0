"""A file or folder may not be used."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is {found['path']}."


SIGNATURE = LogSignature(
    id="permission-denied",
    title="A file or folder may not be used",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Permission denied: '",),
    pattern=re.compile(
        r"Permission denied: '(?![^'\n]{0,300}?(?:cache|triton|flashinfer|inductor|tilelang|cubin"
        r"|deep_gemm))(?P<path>[^'\n]{1,600})'"
    ),
    source="CPython 3.12, PermissionError",
    cause="The user that the process runs as may not read or write it.",
    fix="Compare the owner of the file on the host with the container's user, and whether the mount is read-only.",
    explain=_told,
)
