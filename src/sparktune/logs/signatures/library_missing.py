"""A library does not fit or is missing."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is {found['file'] or found['symbol']}."


SIGNATURE = LogSignature(
    id="library-missing",
    title="A library does not fit or is missing",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "undefined symbol: ",
        "cannot open shared object file",
    ),
    pattern=re.compile(
        r"^(?:ImportError|OSError): .{0,300}?(?:undefined symbol: (?P<symbol>\S{1,200})"
        r"|\b(?P<file>[\w.+-]{1,100}): cannot open shared object file)"
    ),
    source="ld.so(8)",
    cause=(
        "Parts that were built for different versions of PyTorch, CUDA or NCCL are together in one image or "
        "environment."
    ),
    fix=(
        "Take the image as it was published, without packages installed on top; see what LD_LIBRARY_PATH and "
        "LD_PRELOAD bring in."
    ),
    explain=_told,
)
