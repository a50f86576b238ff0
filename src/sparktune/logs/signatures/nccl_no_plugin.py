"""NCCL has no plug-in and uses its own network."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="nccl-no-plugin",
    title="NCCL has no plug-in and uses its own network",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=(
        "/Plugin: Could not find",
        "No plugin found",
        "Plugin load (libnccl",
        "dlerror=libnccl",
    ),
    pattern=re.compile(r"/Plugin: Could not find|No plugin found|Plugin load \(libnccl|dlerror=libnccl"),
    source="NCCL 2.30.7, src/plugin/plugin_open.cc",
)
