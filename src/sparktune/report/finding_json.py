"""A finding as JSON: the members that are the same whatever found it. Pure."""

__all__ = ["finding_members"]

from typing import Any

from sparktune.model.finding import Finding
from sparktune.model.lint import LintFinding


def finding_members(finding: Finding | LintFinding) -> dict[str, Any]:
    """Return rule, severity, node, file, line, evidence and hint; null where it is about none."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "node": finding.node,
        "file": finding.file,
        "line": finding.line,
        "evidence": finding.evidence,
        "hint": finding.hint,
    }
