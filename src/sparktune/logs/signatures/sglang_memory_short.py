"""SGLang has no memory left for its KV pool."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The share is {found['share']}." if found["share"] else ""


SIGNATURE = LogSignature(
    id="sglang-memory-short",
    title="SGLang has no memory left for its KV pool",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Not enough memory. Please try",),
    pattern=re.compile(
        r"Not enough memory\. Please try (?:to increase"
        r"|increasing) --mem-fraction-static(?:\.? Current value:"
        r" mem_fraction_static=(?P<share>\d(?:\.\d{1,6})?))?"
    ),
    source=(
        "SGLang 0.5.23, sglang/srt/model_executor/pool_configurator.py; https://github.com/sgl-project/sglang "
        "issue 35860"
    ),
    cause="Weights take the whole share that mem_fraction_static allows.",
    fix=(
        "First see what else holds memory on the node. Then smaller weights, or a higher share: on Sparks 0.5 to "
        "0.7 is reported to work, and 0.85 and more froze hosts."
    ),
    engines=("sglang",),
    explain=_told,
)
