"""A process leaves shared memory for its watcher to remove."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="shared-memory-leaked",
    title="A process leaves shared memory for its watcher to remove",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("resource_tracker: ",),
    pattern=re.compile(r"resource_tracker: .{0,40}?(?:leaked|[Nn]o such file)"),
    source="CPython 3.12, multiprocessing/resource_tracker.py",
)
