"""A process that Ray started has ended."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="ray-actor-died",
    title="A process that Ray started has ended",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "ActorDiedError",
        "RayActorError",
        "The actor died",
        "The actor is dead",
    ),
    pattern=re.compile(r"ActorDiedError|RayActorError|The actor (?:died|is dead)"),
    source="Ray 2, ray.exceptions",
    cause="Ray tells that a worker is gone; why is in that worker's own log.",
    fix=(
        "Read the worker's log on its node, /tmp/ray/session_latest/logs in its container. A worker without a "
        "last word was killed: look at the kernel's log and for earlyoom there."
    ),
)
