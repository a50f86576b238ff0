"""The loaded driver and its libraries differ."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="driver-mismatch",
    title="The loaded driver and its libraries differ",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("river/library version mismatch",),
    pattern=re.compile(r"[Dd]river/library version mismatch"),
    source="NVML API, NVML_ERROR_LIB_RM_VERSION_MISMATCH",
    cause="The driver's packages were upgraded while the old module stays loaded.",
    fix="Restart the node, and hold the driver's packages so that both nodes change together.",
)
