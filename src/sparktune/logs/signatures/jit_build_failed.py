"""A kernel could not be built at the start."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="jit-build-failed",
    title="A kernel could not be built at the start",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "Ninja build failed",
        "ninja: build stopped",
        "Error building extension",
    ),
    pattern=re.compile(r"Ninja build failed|ninja: build stopped|Error building extension"),
    source=(
        "FlashInfer, flashinfer/jit/cpp_ext.py; PyTorch 2, torch/utils/cpp_extension.py; "
        "https://github.com/flashinfer-ai/flashinfer issue 2976"
    ),
    cause=(
        "FlashInfer, or an extension of PyTorch, compiles for this GPU at first use, and the compiler ended with "
        "an error; the lines above say which."
    ),
    fix=(
        "Read the compiler's first error above. Often: nvcc is not in the image or too old for sm_121, memory ran "
        "out with many jobs (MAX_JOBS=2), or the cache folder cannot be written. Remove a half-built cache "
        "before the next start."
    ),
)
