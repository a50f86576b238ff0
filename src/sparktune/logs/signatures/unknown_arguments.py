"""The engine does not know an argument."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It does not know: {found['names'].strip()}."


SIGNATURE = LogSignature(
    id="unknown-arguments",
    title="The engine does not know an argument",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("error: unrecognized arguments",),
    pattern=re.compile(r"error: unrecognized arguments: (?P<names>.{1,200})"),
    source="CPython 3.12, argparse",
    cause=(
        "The flag is of another version or engine, is misspelt, or a word lost its quotes on the way through a shell."
    ),
    fix=(
        "Ask this image: vllm serve --help=all (or the engine's help), and compare. sparktune lint knows flags "
        "that came and went."
    ),
    explain=_told,
)
