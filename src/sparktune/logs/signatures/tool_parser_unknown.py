"""The engine does not know the parser of tool calls."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The name is {found['name'] or found['other']}."


SIGNATURE = LogSignature(
    id="tool-parser-unknown",
    title="The engine does not know the parser of tool calls",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "invalid tool call parser",
        "Tool parser '",
    ),
    pattern=re.compile(r"invalid tool call parser: (?P<name>\S{1,80})|Tool parser '(?P<other>[^']{1,80})' not found"),
    source="vLLM 0.33.0, vllm/entrypoints/common/cli_args.py and vllm/tool_parsers/abstract_tool_parser.py",
    cause="The name is of another version, or its plug-in file was not loaded.",
    fix="Take one of those that the line lists; a parser of the model's makers needs --tool-parser-plugin.",
    engines=("vllm",),
    explain=_told,
)
