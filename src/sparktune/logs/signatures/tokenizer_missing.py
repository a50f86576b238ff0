"""The model's tokenizer cannot be loaded."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It was looked for in {found['name']}." if found["name"] else ""


SIGNATURE = LogSignature(
    id="tokenizer-missing",
    title="The model's tokenizer cannot be loaded",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "Can't load tokenizer for",
        "instantiate the backend tokenizer",
    ),
    pattern=re.compile(r"Can't load tokenizer for '(?P<name>[^']{1,200})'|instantiate the backend tokenizer"),
    source="transformers 4, tokenization_utils_base.py",
    cause=(
        "The folder lacks tokenizer.json or its like, or the model needs another package or --trust-remote-code for it."
    ),
    fix="Load the model's folder again with all files, on every node; or name the base model's with --tokenizer.",
    explain=_told,
)
