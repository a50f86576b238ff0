"""A rank waits for another."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="shared-memory-waits",
    title="A rank waits for another",
    role=LogRole.NOTE,
    severity=Severity.INFO,
    words=("No available shared memory broadcast block found",),
    pattern=re.compile(r"No available shared memory broadcast block found"),
    source=(
        "vLLM 0.33.0, vllm/distributed/device_communicators/shm_broadcast.py; "
        "https://github.com/Blackwellboy/model-serving-minefield trap 118"
    ),
    cause=(
        "Usual while a rank compiles, loads or captures graphs. For many minutes without any other line it may be "
        "a hang."
    ),
    fix=(
        "Look at the other ranks' logs and at the CPU of their processes before you stop anything: healthy starts "
        "were taken for a deadlock."
    ),
    engines=("vllm",),
)
