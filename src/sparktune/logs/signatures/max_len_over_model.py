"""max_model_len is longer than the model was made for."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is {found['asked']}."


SIGNATURE = LogSignature(
    id="max-len-over-model",
    title="max_model_len is longer than the model was made for",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("is greater than the derived max_model_len",),
    pattern=re.compile(
        r"User-specified max_model_len \((?P<asked>\d{1,12})\) is greater than the derived"
        r" max_model_len.{0,300}?config\.json\)\.(?! VLLM_ALLOW_LONG)"
    ),
    source="vLLM 0.33.0, vllm/config/model.py",
    cause="The model's config.json allows fewer tokens.",
    fix=(
        "Take the model's length or less. Longer needs the rope scaling that the model's page gives, in "
        "--hf-overrides; allowing it by variable alone may give nonsense or NaN."
    ),
    engines=("vllm",),
    explain=_told,
)
