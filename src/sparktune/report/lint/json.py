"""Findings of ``lint`` as JSON, schema 1."""

__all__ = ["lint_json"]

import json
from typing import Any

from sparktune.model.lint import LintFinding, LintView
from sparktune.model.setting import Setting
from sparktune.report.facts import plain_facts
from sparktune.report.finding_json import finding_members
from sparktune.report.lint.whys import whys


def lint_json(view: LintView, findings: tuple[LintFinding, ...], notes: tuple[str, ...] = ()) -> str:
    """Return one object: files and servers that were looked at, nodes with their facts, findings by file and line."""
    reasons = whys()
    document = {
        "schema": 1,
        "files": [{"file": one.name, "format": one.format} for one in view.documents],
        "parts": [
            {
                "file": part.document.name,
                "name": part.name,
                "engine": part.engine or None,
                "image": part.image or None,
                "settings": [_setting(one) for one in part.settings.values()],
            }
            for part in view.parts
        ],
        "nodes": [
            {"node": node.node, "answered": not node.failure, **({"error": node.failure} if node.failure else {})}
            for node in view.nodes
        ],
        "facts": {node.node: plain_facts(node) for node in view.nodes if not node.failure},
        "findings": [_finding(one, reasons.get(one.rule, "")) for one in findings],
        "notes": list(notes),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, default=dict) + "\n"


def _setting(setting: Setting) -> dict[str, Any]:
    origin = setting.origin
    return {"key": setting.key, "value": setting.value, "file": origin.place, "line": origin.line or None}


def _finding(finding: LintFinding, why: str) -> dict[str, Any]:
    return {
        **finding_members(finding),
        "why": why,
        "source": finding.source,
        "fixable": finding.fix is not None,
    }
