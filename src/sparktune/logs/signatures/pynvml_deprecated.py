"""A package has a new name."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="pynvml-deprecated",
    title="A package has a new name",
    role=LogRole.BENIGN,
    severity=Severity.INFO,
    words=("pynvml package is deprecated",),
    pattern=re.compile(r"pynvml package is deprecated"),
    source="PyTorch 2, torch/cuda/__init__.py",
)
