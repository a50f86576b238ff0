"""The program has no kernel for this GPU."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="no-kernel-image",
    title="The program has no kernel for this GPU",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("no kernel image is available",),
    pattern=re.compile(r"no kernel image is available for execution on the device"),
    source="CUDA 13 runtime API, cudaErrorNoKernelImageForDevice; https://github.com/pytorch/pytorch issue 164596",
    cause=(
        "A library was built without sm_120 or sm_121. GB10 is 12.1 and runs binaries for 12.0 too; those for "
        "sm_120a or sm_90 it does not."
    ),
    fix=(
        "Use an image that is built for GB10 (CUDA 13, aarch64), or another backend than the one that the "
        "traceback names."
    ),
)
