"""The value of an argument is not the JSON that is wanted."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The argument is {found['flag']}."


SIGNATURE = LogSignature(
    id="argument-not-json",
    title="The value of an argument is not the JSON that is wanted",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("cannot be converted to",),
    pattern=re.compile(r"argument (?P<flag>-[^:]{1,120}): Value .{0,2000}?cannot be converted to"),
    source="vLLM 0.33.0, vllm/engine/arg_utils.py; https://github.com/Mjxkill/deepseek-v4-flash-2x-dgx-spark README",
    cause="Quotes were lost on the way through a shell or ssh, or a template doubled the braces.",
    fix=(
        "Look at the value as the engine got it, in this line. In a file write it in one single-quoted piece; or "
        "use the dotted form, --speculative-config.num_speculative_tokens 3. Do not give both forms of one flag."
    ),
    explain=_told,
)
