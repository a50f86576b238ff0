"""Memory ran out while weights were loaded."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="weights-no-memory",
    title="Memory ran out while weights were loaded",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Failed to load model - not enough GPU memory",),
    pattern=re.compile(r"Failed to load model - not enough GPU memory"),
    source="vLLM 0.33.0, vllm/v1/worker/gpu_model_runner.py",
    cause=(
        "The weights of this rank, with what else is on the node, are more than there is. On unified memory the "
        "page cache of the files being read counts too."
    ),
    fix=(
        "See what else holds memory on the node. Then weights of a heavier quantization, or two nodes. Their size "
        "on the disk is a good estimate."
    ),
    engines=("vllm",),
)
