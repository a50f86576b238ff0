"""A request needs a chat template and there is none."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="chat-template-missing",
    title="A request needs a chat template and there is none",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("default chat template is no longer",),
    pattern=re.compile(r"default chat template is no longer"),
    source="vLLM 0.33.0, vllm/renderers/hf.py",
    cause=(
        "The tokenizer brings no template: a base model, or files that were left out of a copy. The server runs, "
        "chat requests fail."
    ),
    fix=(
        "Give --chat-template a file, or load the model's folder again with chat_template.jinja and "
        "tokenizer_config.json; a base model is asked by /v1/completions."
    ),
    engines=("vllm",),
)
