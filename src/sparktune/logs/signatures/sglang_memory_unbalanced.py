"""The nodes have different amounts of free memory."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="sglang-memory-unbalanced",
    title="The nodes have different amounts of free memory",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("The memory capacity is unbalanced",),
    pattern=re.compile(r"The memory capacity is unbalanced"),
    source="SGLang 0.5.23, sglang/srt/distributed/bootstrap.py",
    cause="Before it loads, one node has more than a tenth less free than another: something else runs there.",
    fix=(
        "Compare free memory on both nodes; end what an earlier start left behind by its id, and drop the page "
        "cache on a dedicated node."
    ),
    engines=("sglang",),
)
