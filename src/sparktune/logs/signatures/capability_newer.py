"""PyTorch does not list this GPU."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="capability-newer",
    title="PyTorch does not list this GPU",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=(
        "which is of cuda capability",
        "which is of compute capability",
    ),
    pattern=re.compile(r"which is of (?:cuda|compute) capability (?:\(CC\) )?12\.1\b"),
    source=(
        "https://github.com/pytorch/pytorch issue 164596: binaries for 12.0 run on 12.1; "
        "https://github.com/eugr/spark-vllm-docker issue 15"
    ),
)
