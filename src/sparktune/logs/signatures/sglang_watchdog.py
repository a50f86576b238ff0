"""SGLang's scheduler made no step in time."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It waited {found['seconds']} s."


SIGNATURE = LogSignature(
    id="sglang-watchdog",
    title="SGLang's scheduler made no step in time",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=("watchdog timeout (self.",),
    pattern=re.compile(r"watchdog timeout \(self\.watchdog_timeout=(?P<seconds>\d{1,9})"),
    source="SGLang 0.5.23, sglang/srt/utils/watchdog.py",
    cause="A step did not end: another rank is gone or hangs, or a kernel compiles.",
    fix=(
        "Look at the other ranks before this time, and for compilation; a slow first step needs a longer "
        "--watchdog-timeout."
    ),
    engines=("sglang",),
    explain=_told,
)
