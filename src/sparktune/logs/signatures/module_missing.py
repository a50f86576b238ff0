"""A Python module is missing."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is {found['name']}."


SIGNATURE = LogSignature(
    id="module-missing",
    title="A Python module is missing",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("ModuleNotFoundError: No module named",),
    pattern=re.compile(r"^ModuleNotFoundError: No module named '(?P<name>[^']{1,100})'"),
    source="CPython 3.12, ModuleNotFoundError",
    cause="The image lacks a package that this model or option needs, or a patch was not applied.",
    fix="Use the image and the start-up steps that the model's page names, on every node.",
    explain=_told,
)
