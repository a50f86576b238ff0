"""The engine has ended, and requests with it."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="engine-dead",
    title="The engine has ended, and requests with it",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "EngineDeadError",
        "EngineCore encountered",
        "engine core exited unexpectedly",
        "Engine core process",
    ),
    pattern=re.compile(
        r"EngineDeadError(?!.{0,100}RPC call to)|(?<!EngineDeadError: )EngineCore encountered (?:an issue"
        r"|a fatal error)"
        r"|engine core exited unexpectedly|Engine core process \S{1,60} died unexpectedly"
    ),
    source="vLLM 0.33.0, vllm/v1/engine/exceptions.py and vllm/v1/engine/core.py",
    cause="The server tells that the engine's process is gone; what ended it stands before, or on another node.",
    fix=(
        "Read upwards for the first error. Then restart all ranks, the head stopped first and started last: a "
        "head alone joins a dead group."
    ),
    engines=("vllm",),
)
