"""A file of weights is cut off or damaged."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="weights-broken",
    title="A file of weights is cut off or damaged",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "SafetensorError",
        "Error while deserializing header",
        "HeaderTooLarge",
        "InvalidHeader",
        "MetadataIncompleteBuffer",
    ),
    pattern=re.compile(r"SafetensorError|(?<!SafetensorError: )Error while deserializing header"),
    source="safetensors 0.6, src/tensor.rs",
    cause=(
        "A download or a copy to this node was interrupted, or the file is a pointer of git-lfs and not the weights."
    ),
    fix=(
        "Compare sizes and checksums of the files with the other node or the model's page, and load again what "
        "differs. sparktune drift compares blobs with a pinned revision."
    ),
)
