"""One answer among the several that a validity rule finds, of a cell or of a table, and which of them is worse."""

__all__ = ["Finding", "severity"]

from dataclasses import dataclass

from sparktune.model.check import Status

_RANK = {Status.OK: 0, Status.UNKNOWN: 1, Status.WARN: 2, Status.INVALID: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``weight`` orders findings of the same status: the largest is told first. ``label`` names what bounds a cell."""

    status: Status
    evidence: str
    hint: str = ""
    label: str = ""
    weight: float = 0.0


def severity(finding: Finding) -> tuple[int, float]:
    """Return what orders findings: the larger, the worse."""
    return _RANK[finding.status], finding.weight
