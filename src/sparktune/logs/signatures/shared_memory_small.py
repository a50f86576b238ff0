"""The container has too little shared memory."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="shared-memory-small",
    title="The container has too little shared memory",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "bus error",
        "Bus error",
        "shared memory segment",
        "insufficient shared memory",
        "No space left on device",
    ),
    pattern=re.compile(
        r"\b[Bb]us error\b|insufficient shared memory|Error while (?:creating|attaching to) shared memory segment"
        r"|/dev/shm.{0,300}?No space left on device"
    ),
    source=(
        "NCCL 2.30.7, src/misc/shmutils.cc; PyTorch 2, torch/utils/data/_utils/signal_handling.py; "
        "docs.docker.com, --shm-size"
    ),
    cause=(
        "Processes of one engine exchange data in /dev/shm, which is 64 MB in a container if nobody says "
        "otherwise. Writing beyond it ends a process with SIGBUS."
    ),
    fix=(
        "ipc: host, or shm_size of some GB; it counts to the same memory as all else on a Spark. df -h /dev/shm "
        "inside shows it."
    ),
)
