"""A worker did not answer the engine in time."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The call is {found['what']}."


SIGNATURE = LogSignature(
    id="rpc-timeout",
    title="A worker did not answer the engine in time",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("RPC call to",),
    pattern=re.compile(r"RPC call to (?P<what>\w{1,60}) timed out"),
    source=(
        "vLLM 0.33.0, vllm/v1/executor/multiproc_executor.py; "
        "https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark issues 65 and 87; "
        "https://github.com/eugr/spark-vllm-docker issue 321"
    ),
    cause=(
        "A step took longer than VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS: a kernel was compiled while requests ran, "
        "memory was so short that the host swapped, or the other node's rank hangs or died."
    ),
    fix=(
        "Look in the minutes before: lines of compilation (warm these shapes up, keep the caches on a mounted "
        "folder, raise the timeout), the hosts' free memory and swap, and the other node's log. Then stop the "
        "head, restart the worker, and start the head last: a head alone joins a dead group, and a worker that is "
        "still up may be an orphan."
    ),
    engines=("vllm",),
    explain=_told,
)
