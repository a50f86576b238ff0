"""A container of that name is there already."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="container-name-taken",
    title="A container of that name is there already",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("is already in use by container",),
    pattern=re.compile(r"container name \S{1,200} is already in use by container"),
    source="moby, daemon/names.go",
    cause="An earlier container was stopped but not removed, or still runs.",
    fix="docker ps -a shows it. If it is the old one of this service, remove it by its launcher and start again.",
)
