"""A step holds fewer tokens than one block of the model's state."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="mamba-block-too-large",
    title="A step holds fewer tokens than one block of the model's state",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("amba cache align mode",),
    pattern=re.compile(r"[Mm]amba cache align mode"),
    source=(
        "vLLM 0.2x, AssertionError of hybrid models with prefix caching; "
        "https://github.com/Mjxkill/deepseek-v4-flash-2x-dgx-spark README; "
        "https://github.com/heitor-mocelin/dgx-spark-research"
    ),
    cause=(
        "Hybrid models with prefix caching compute whole blocks of thousands of tokens, and "
        "max_num_batched_tokens is smaller."
    ),
    fix=(
        "Raise max_num_batched_tokens to the block size that the line names (2096 and 4176 were seen), or turn "
        "prefix caching off."
    ),
    engines=("vllm",),
)
