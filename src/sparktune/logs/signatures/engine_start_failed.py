"""The engine's core did not start."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="engine-start-failed",
    title="The engine's core did not start",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "Engine core initialization failed",
        "EngineCore failed to start",
        "Engine process failed to start",
    ),
    pattern=re.compile(r"Engine core initialization failed|Engine(?:Core| process) failed to start"),
    source="vLLM 0.33.0, vllm/v1/engine/utils.py and vllm/v1/engine/core.py",
    cause="The server tells that the engine's process ended; why is in that process's lines above, or in a worker's.",
    fix=(
        "Read upwards, and on the other nodes, for the first error. Failed core proc(s): {} means that it ended "
        "without a word: look at the kernel's log."
    ),
    engines=("vllm",),
)
