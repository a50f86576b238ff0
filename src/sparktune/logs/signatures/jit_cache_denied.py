"""A cache folder for compiled kernels cannot be written."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It cannot write {found['path']}."


SIGNATURE = LogSignature(
    id="jit-cache-denied",
    title="A cache folder for compiled kernels cannot be written",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Permission denied: '",),
    pattern=re.compile(
        r"Permission denied: '(?P<path>[^'\n]{0,300}?(?:cache|triton|flashinfer|inductor|tilelang|cubin"
        r"|deep_gemm)[^'\n]{0,300})'"
    ),
    source=(
        "CPython 3.12, PermissionError; https://github.com/vllm-project/vllm issue 28440; "
        "https://github.com/flashinfer-ai/flashinfer issue 2976"
    ),
    cause=(
        "The engine compiles kernels and keeps them, but the folder belongs to somebody else: mostly root, since "
        "an earlier container ran as root or the image made it."
    ),
    fix=(
        "Give the folder to the user that the container runs as, or mount one that is and point the caches there: "
        "VLLM_CACHE_ROOT, TRITON_CACHE_DIR, TORCHINDUCTOR_CACHE_DIR, FLASHINFER_WORKSPACE_BASE, XDG_CACHE_HOME, "
        "HOME. sparktune lint looks at these."
    ),
    explain=_told,
)
