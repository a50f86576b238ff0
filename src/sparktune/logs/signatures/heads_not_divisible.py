"""The model cannot be divided over so many ranks."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"There are {found['heads']} heads for {found['size']} ranks."


SIGNATURE = LogSignature(
    id="heads-not-divisible",
    title="The model cannot be divided over so many ranks",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("must be divisible by tensor parallel size",),
    pattern=re.compile(r"\((?P<heads>\d{1,6})\) must be divisible by tensor parallel size \((?P<size>\d{1,6})\)"),
    source="vLLM 0.33.0, vllm/config/model.py",
    cause="Each rank needs a whole number of attention heads.",
    fix="Take a tensor_parallel_size that divides the heads (2 on two Sparks), or pipeline parallelism.",
    engines=("vllm",),
    explain=_told,
)
