"""The program was compiled for a newer driver."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="ptx-toolchain",
    title="The program was compiled for a newer driver",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "PTX was compiled with an unsupported toolchain",
        "cudaErrorUnsupportedPtxVersion",
        "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    ),
    pattern=re.compile(
        r"PTX was compiled with an unsupported toolchain|cudaErrorUnsupportedPtxVersion"
        r"|CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
    ),
    source=(
        "CUDA 13 runtime API, cudaErrorUnsupportedPtxVersion; "
        "https://github.com/Blackwellboy/model-serving-minefield trap 08"
    ),
    cause="The image's CUDA is newer than what the driver on the host can compile.",
    fix=(
        "Compare the image's CUDA with the driver's (nvidia-smi): take an image for the driver's version, or "
        "update the driver. Keep the image's own entrypoint, which may set up compatibility libraries."
    ),
)
