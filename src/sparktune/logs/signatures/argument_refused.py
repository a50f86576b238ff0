"""The value of an argument is not allowed."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The argument is {found['flag']}."


SIGNATURE = LogSignature(
    id="argument-refused",
    title="The value of an argument is not allowed",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("error: argument -",),
    pattern=re.compile(r"error: argument (?P<flag>-[^:]{1,120}): (?:invalid|expected|not allowed)"),
    source="CPython 3.12, argparse",
    cause="The value is not among those that this version allows, has the wrong type, or is missing.",
    fix="The line itself lists what is allowed. A value that begins with - needs the form --flag=value.",
    explain=_told,
)
