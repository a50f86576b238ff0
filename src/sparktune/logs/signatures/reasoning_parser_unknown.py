"""The engine does not know the parser of reasoning."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The name is {found['name']}."


SIGNATURE = LogSignature(
    id="reasoning-parser-unknown",
    title="The engine does not know the parser of reasoning",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("invalid reasoning parser",),
    pattern=re.compile(r"invalid reasoning parser: (?P<name>\S{1,80})"),
    source="vLLM 0.33.0, vllm/entrypoints/common/cli_args.py",
    cause="The name is of another version, or is misspelt.",
    fix="Take one of those that the line lists.",
    engines=("vllm",),
    explain=_told,
)
