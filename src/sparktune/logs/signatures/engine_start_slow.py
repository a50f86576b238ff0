"""The engine was not ready in the time that it had."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="engine-start-slow",
    title="The engine was not ready in the time that it had",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("engine core processes to start",),
    pattern=re.compile(r"Timed out waiting for (?:new )?engine core processes to start"),
    source="vLLM 0.33.0, vllm/v1/engine/core_client.py",
    cause=(
        "Loading or compiling took longer than VLLM_ENGINE_READY_TIMEOUT_S, or a rank waits for another that "
        "never came."
    ),
    fix=(
        "See whether shards still load or kernels still compile: then raise VLLM_ENGINE_READY_TIMEOUT_S. A first "
        "start after a change of network or image may compile for half an hour. If nothing moves, read the other "
        "nodes' logs."
    ),
    engines=("vllm",),
)
