"""A container's port is taken."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="docker-port-taken",
    title="A container's port is taken",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "port is already allocated",
        "programming external connectivity",
    ),
    pattern=re.compile(
        r"^(?:.{0,600}programming external connectivity"
        r"|(?!.{0,600}programming external connectivity).{0,600}?port is already allocated)"
    ),
    source="moby, libnetwork",
    cause="Another container or process listens there: often the one that was to be replaced.",
    fix="docker ps and ss -ltnp show which. End that service by its own launcher, or take another port.",
)
