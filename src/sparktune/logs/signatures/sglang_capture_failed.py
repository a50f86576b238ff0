"""SGLang could not capture its graphs."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The reason given is: {found['why'].strip()}" if found["why"].strip() else ""


SIGNATURE = LogSignature(
    id="sglang-capture-failed",
    title="SGLang could not capture its graphs",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Capture cuda graph failed",),
    pattern=re.compile(r"Capture cuda graph failed: (?P<why>.{0,200})"),
    source="SGLang 0.5.23, sglang/srt/model_executor/runner/decode_cuda_graph_runner.py",
    cause="Mostly too little memory beside weights and KV pool; or a backend that cannot be captured on this GPU.",
    fix=(
        "Out of memory: see what else holds memory on the node; then graphs no larger than the concurrency that "
        "is used, or a lower mem_fraction_static, which leaves more beside the pool. Anything else: another "
        "attention backend. Without graphs decoding is much slower."
    ),
    engines=("sglang",),
    explain=_told,
)
