"""The container cannot be given the GPU."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="docker-no-gpu",
    title="The container cannot be given the GPU",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "could not select device driver",
        "unresolvable CDI devices",
        "nvidia-container-cli: ",
    ),
    pattern=re.compile(
        r"could not select device driver|unresolvable CDI devices|nvidia-container-cli: (?:initialization|device"
        r"|mount) error"
    ),
    source="moby, daemon/devices.go; NVIDIA Container Toolkit 1.18",
    cause="Docker does not know NVIDIA's runtime, or its list of devices is older than the driver.",
    fix=(
        "nvidia-ctk runtime configure --runtime=docker and restart docker; after a driver update nvidia-ctk cdi "
        "generate. Then docker run --rm --gpus all IMAGE nvidia-smi."
    ),
)
