"""The disk is full."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="disk-full",
    title="The disk is full",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "No space left on device",
        "Disk quota exceeded",
    ),
    pattern=re.compile(
        r"^(?!.{0,1000}(?:/dev/shm|shared memory segment)).{0,1500}?(?:No space left on device"
        r"|Disk quota exceeded)"
    ),
    source="write(2), ENOSPC",
    cause=(
        "Weights, compiled kernels or logs filled the file system: of the host, or the container's own layer "
        "where a cache is not mounted."
    ),
    fix=(
        "df -h on the host and in the container; docker system df. Move the caches to a mounted folder with room, "
        "then start again; a half-written file has to go first."
    ),
)
