"""An all-reduce for other GPUs is not used."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="symmetric-memory-off",
    title="An all-reduce for other GPUs is not used",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("SymmMemCommunicator: ",),
    pattern=re.compile(r"SymmMemCommunicator: Device capability \S{1,10} not supported"),
    source="vLLM 0.33.0, vllm/distributed/device_communicators/symm_mem.py",
    engines=("vllm",),
)
