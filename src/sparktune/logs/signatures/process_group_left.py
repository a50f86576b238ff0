"""A process ended without taking its group down."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="process-group-left",
    title="A process ended without taking its group down",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("destroy_process_group() was not called",),
    pattern=re.compile(r"destroy_process_group\(\) was not called"),
    source="PyTorch 2, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp",
)
