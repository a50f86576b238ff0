"""The Ray head cannot be reached."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="ray-head-not-reached",
    title="The Ray head cannot be reached",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "Failed to connect to GCS",
        "Unable to connect to GCS",
        "Could not find any running Ray instance",
    ),
    pattern=re.compile(r"Failed to connect to GCS|Unable to connect to GCS|Could not find any running Ray instance"),
    source="Ray 2, python/ray/_private",
    cause="The head's Ray is not up, has ended, or listens on another address.",
    fix="Read the head's log first; then compare address and port (6379 by default) and try them with nc -vz.",
)
