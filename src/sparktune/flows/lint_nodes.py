"""What nodes say against the variables of files: the findings of ``doctor``, with the line of the variable."""

__all__ = ["node_findings"]

import re
from collections.abc import Iterator

from sparktune.deploy.variable_groups import Group, groups
from sparktune.host.declared import Declared, judge_declared
from sparktune.host.findings import all_rules
from sparktune.model.finding import Finding
from sparktune.model.lint import LintFinding, LintView

_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]{3,}\b")


def node_findings(view: LintView) -> list[LintFinding]:
    """Return what the nodes of a view say of its variables; nothing without nodes."""
    nodes = [node for node in view.nodes if not node.failure]
    known = list(groups(view))
    declared = [
        Declared(
            file=group.document.name,
            name=_name(group),
            variables={name: str(one.value) for name, one in group.variables.items() if one.value is not None},
        )
        for group in known
    ]
    if not nodes or not declared:
        return []
    sources = {rule.id: rule.source for rule in all_rules()}
    return [_written(one, known, sources[one.rule]) for one in judge_declared(nodes, declared)]


def _name(group: Group) -> str:
    return group.part.name if group.part is not None and group.part.name else group.name


def _written(finding: Finding, known: list[Group], source: str) -> LintFinding:
    file, line = finding.file or "", finding.line
    evidence = finding.evidence
    for group in known:
        if group.document.name == finding.file:
            evidence = evidence.replace(f"service {_name(group)} ", f"{group.name} ", 1)
            place = next(_places(finding, group), None)
            if place is not None:
                file, line = place
    return LintFinding(
        rule=finding.rule,
        severity=finding.severity,
        file=file,
        evidence=evidence,
        hint=finding.hint,
        source=source,
        line=line,
        node=finding.node,
    )


def _places(finding: Finding, group: Group) -> Iterator[tuple[str, int]]:
    """Yield where the variables stand that the evidence names."""
    for name in _VARIABLE.findall(finding.evidence):
        setting = group.variables.get(name)
        if setting is not None and setting.origin.line:
            yield setting.origin.place, setting.origin.line
