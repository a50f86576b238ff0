"""A file is not in the cache, and downloads are turned off."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="model-not-cached",
    title="A file is not in the cache, and downloads are turned off",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "outgoing traffic has been disabled",
        "OfflineModeIsEnabled",
        "offline mode is enabled",
    ),
    pattern=re.compile(r"outgoing traffic has been disabled|OfflineModeIsEnabled|offline mode is enabled"),
    source="huggingface_hub 2.4.0, file_download.py and _snapshot_download.py",
    cause=(
        "HF_HUB_OFFLINE is set and this node's cache lacks the file, or has it under another revision or another "
        "HF_HOME."
    ),
    fix=(
        "On the node that says so: hf cache ls, and compare HF_HOME and the mount with the other node's. Copy the "
        "files, or let this node download once with HF_HUB_OFFLINE=0."
    ),
)
