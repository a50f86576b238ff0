"""The hub cannot be reached, and the file is not in the cache."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="hub-unreachable",
    title="The hub cannot be reached, and the file is not in the cache",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "cannot find the requested files in the local cache",
        "couldn't connect to 'https://huggingface.co'",
        "cannot find the appropriate snapshot folder",
    ),
    pattern=re.compile(
        r"cannot find the requested files in the local cache|couldn't connect to 'https://huggingface\.co'"
        r"|cannot find the appropriate snapshot folder"
    ),
    source="huggingface_hub 2.4.0, file_download.py and _snapshot_download.py; transformers 4, utils/hub.py",
    cause="This node has no way to the internet, or no name service in the container, and its cache lacks the file.",
    fix=(
        "Try the address from inside the container; or copy the model's folder from the other node and start with "
        "HF_HUB_OFFLINE=1."
    ),
)
