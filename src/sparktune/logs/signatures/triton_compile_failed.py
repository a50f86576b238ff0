"""Triton could not compile a kernel."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="triton-compile-failed",
    title="Triton could not compile a kernel",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "PTXASError",
        "Internal Triton PTX codegen error",
        "triton.compiler.errors.CompilationError",
    ),
    pattern=re.compile(r"PTXASError|Internal Triton PTX codegen error|triton\.compiler\.errors\.CompilationError"),
    source="Triton 3, triton/backends/nvidia/compiler.py",
    cause="ptxas refused what Triton made, or Triton the kernel; the lines below say why.",
    fix=(
        "Look for a line of ptxas below: a GPU name that is not defined means a ptxas that is too old "
        "(TRITON_PTXAS_PATH). Otherwise use another backend for that part."
    ),
)
