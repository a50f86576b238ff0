"""The compiler in the image does not know this GPU."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The architecture that it does not know is {found['arch'] or found['other']}."


SIGNATURE = LogSignature(
    id="ptxas-too-old",
    title="The compiler in the image does not know this GPU",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "is not defined for option 'gpu-name'",
        "Unsupported gpu architecture",
    ),
    pattern=re.compile(
        r"Value '(?P<arch>[\w.]{1,20})' is not defined for option 'gpu-name'"
        r"|Unsupported gpu architecture '(?P<other>[\w.]{1,20})'"
    ),
    source="https://github.com/triton-lang/triton issue 7964; ptxas of CUDA 12.8",
    cause=(
        "Triton and other packages bring their own ptxas or find an older nvcc; GB10 is sm_121, which CUDA 12.8 "
        "does not know."
    ),
    fix=(
        "Let them use the compiler of CUDA 13 where the image has one: "
        "TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas, and CUDA_HOME for packages that call nvcc. Otherwise take "
        "an image that is built for GB10."
    ),
    explain=_told,
)
