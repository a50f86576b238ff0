"""The image cannot be had."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="image-missing",
    title="The image cannot be had",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "manifest unknown",
        "pull access denied",
        "No such image",
    ),
    pattern=re.compile(r"manifest unknown|pull access denied|No such image"),
    source="moby; docs.docker.com, docker image pull",
    cause=(
        "The tag does not exist in the registry (any more), needs a login, or a local image was not copied to "
        "this node."
    ),
    fix="docker images on every node. Name the image by digest, and load on each node the one that was tested.",
)
