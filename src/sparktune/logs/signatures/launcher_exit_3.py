"""A unit ended with exit code 3."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="launcher-exit-3",
    title="A unit ended with exit code 3",
    role=LogRole.NOTE,
    severity=Severity.WARNING,
    words=("status=3/NOTIMPLEMENTED",),
    pattern=re.compile(r"code=exited, status=3/NOTIMPLEMENTED"),
    source="systemd.exec(5); https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark issue 72",
    cause=(
        "Some launchers say by 3 that the service runs already. systemd takes it for a failure, and with Restart= "
        "it becomes a storm of starts."
    ),
    fix=(
        "Where the launcher means that: SuccessExitStatus=3 in the unit, and RemainAfterExit=yes for a oneshot. "
        "Otherwise read the launcher's own output."
    ),
)
