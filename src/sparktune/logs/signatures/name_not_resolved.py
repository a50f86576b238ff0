"""A host name leads to no address."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="name-not-resolved",
    title="A host name leads to no address",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "failure in name resolution",
        "Name or service not known",
    ),
    pattern=re.compile(r"failure in name resolution|Name or service not known"),
    source="getaddrinfo(3), EAI_AGAIN and EAI_NONAME",
    cause="The container has no name service, or the other node's name is not known on this one.",
    fix=(
        "getent hosts NAME inside the container. Between nodes name addresses of the network that joins them, not "
        "host names."
    ),
)
