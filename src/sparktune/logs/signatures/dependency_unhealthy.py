"""A container that another waits for did not become healthy."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="dependency-unhealthy",
    title="A container that another waits for did not become healthy",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=("dependency failed to start",),
    pattern=re.compile(r"dependency failed to start"),
    source="Docker Compose 2, depends_on",
    cause=(
        "Compose gave up on the container that it names; the reason is in that one's log, or its health check is "
        "shorter than a start takes."
    ),
    fix=(
        "docker compose logs of the container that it names. A first start may take half an hour: start_period of "
        "the health check."
    ),
)
