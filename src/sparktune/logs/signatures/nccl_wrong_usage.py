"""NCCL refuses how it is called."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="nccl-wrong-usage",
    title="NCCL refuses how it is called",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "invalid usage (run with NCCL_DEBUG",
        "NCCL error: invalid usage",
        "NCCL error: invalid argument",
    ),
    pattern=re.compile(r"invalid usage \(run with NCCL_DEBUG|NCCL error: invalid (?:usage|argument)"),
    source="NCCL 2.30.7, src/init.cc, ncclGetErrorString",
    cause=(
        "The ranks do not fit together: other numbers of ranks, a GPU used twice, or settings that differ between "
        "the nodes."
    ),
    fix=(
        "Start again with NCCL_DEBUG=WARN: the line before it then says what. Compare ranks, sizes and NCCL_* on "
        "both nodes."
    ),
)
