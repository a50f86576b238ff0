"""Two sampling options do nothing with speculation."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="min-p-with-speculation",
    title="Two sampling options do nothing with speculation",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("won't work with speculative decoding",),
    pattern=re.compile(r"min_p and logit_bi\w{2} (?:parameters )?won't work with speculative decoding"),
    source="vLLM 0.33.0, vllm/v1/sample/logits_processor/__init__.py",
    engines=("vllm",),
)
