"""A request is longer than the context."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    if found["asked"]:
        return f"It has {found['asked']} tokens, {found['most']} are allowed."
    return f"{found['length']} tokens are allowed."


SIGNATURE = LogSignature(
    id="request-too-long",
    title="A request is longer than the context",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=(
        "exceeds the available context size",
        "maximum context length is",
    ),
    pattern=re.compile(
        r"request \((?P<asked>\d{1,12}) tokens\) exceeds the available context size \((?P<most>\d{1,12}) tokens\)"
        r"|maximum context length is (?P<length>\d{1,12}) tokens"
    ),
    source="llama.cpp b11549, tools/server/server-context.cpp; vLLM 0.33.0, vllm/renderers/params.py",
    cause="Prompt and answer together do not fit; the request is refused, the server goes on.",
    fix=(
        "Raise the context (-c is for all slots together, unless they share one), or shorten what the client "
        "sends. In a benchmark it is no failure of the model."
    ),
    explain=_told,
)
