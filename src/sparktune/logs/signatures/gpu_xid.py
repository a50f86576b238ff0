"""The driver reports a fault of the GPU."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

_MEANING = {
    "13": "a kernel failed",
    "31": "a kernel touched memory that is not its own",
    "43": "the GPU stopped a program",
    "48": "a memory error that cannot be corrected",
    "79": "the GPU does not answer on its bus",
    "94": "a contained memory error",
    "95": "an uncontained memory error",
    "119": "the GPU's firmware did not answer",
    "120": "the GPU's firmware failed",
}


def _told(found: re.Match[str]) -> str:
    meaning = _MEANING.get(found["code"])
    return f"Xid {found['code']}: {meaning}." if meaning else f"Xid {found['code']}."


SIGNATURE = LogSignature(
    id="gpu-xid",
    title="The driver reports a fault of the GPU",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("NVRM: Xid",),
    pattern=re.compile(r"NVRM: Xid \([^)]{1,60}\): (?!45\b)(?P<code>\d{1,4})\b"),
    source="docs.nvidia.com, XID errors; https://sovgrid.org/blog/fixes-vllm-moe-throughput-sm121-desktop-freeze/",
    cause=(
        "The number says what: 13, 31 and 43 are usually the program's fault, 48, 94 and 95 memory errors, 79 a "
        "GPU that no longer answers, 119 and 120 its firmware."
    ),
    fix=(
        "Look the number up in NVIDIA's list. 13, 31, 43: the kernel of the engine, so another version or "
        "backend. Others: end the load, save the kernel's log, restart the node; if it comes again, NVIDIA's "
        "diagnosis."
    ),
    explain=_told,
)
