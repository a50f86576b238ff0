"""A diagnosis as text - the verdict, findings from the worst on, facts in a few lines - and as JSON."""

__all__ = ["doctor_json", "doctor_text"]

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from sparktune.host.findings import all_rules
from sparktune.model.finding import Finding, FindingRule, Severity
from sparktune.model.node import ClusterFacts, NodeFacts
from sparktune.report.bench.words import printable
from sparktune.report.facts import plain_facts
from sparktune.report.finding_json import finding_members
from sparktune.report.layout import fit_lines, fold
from sparktune.report.node import is_untold, node_lines
from sparktune.units import count_of

_INDENT = " " * 9
_COLOURS = {Severity.ERROR: "31;1", Severity.WARNING: "33;1", Severity.INFO: "36"}
_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def doctor_json(cluster: ClusterFacts, findings: tuple[Finding, ...]) -> str:
    """Return schema 1: nodes with their errors, facts by node and source, findings from the worst on."""
    rules = {rule.id: rule for rule in all_rules()}
    document = {
        "schema": 1,
        "nodes": [_node(node) for node in cluster.nodes],
        "facts": {node.node: plain_facts(node) for node in cluster.answered},
        "findings": [_finding(finding, rules[finding.rule]) for finding in findings],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _node(node: NodeFacts) -> dict[str, Any]:
    error = {"error": node.failure, "hint": node.hint} if node.failure else {}
    return {"node": node.node, "answered": not node.failure, **error}


def _finding(finding: Finding, rule: FindingRule) -> dict[str, Any]:
    return {
        **finding_members(finding),
        "title": rule.title,
        "why": rule.why,
        "source": rule.source,
    }


def doctor_text(cluster: ClusterFacts, findings: tuple[Finding, ...], *, width: int = 100, color: bool = False) -> str:
    """Return the report for a terminal of ``width`` columns."""
    rules = {rule.id: rule for rule in all_rules()}
    blocks = [_verdict(cluster, findings)]
    blocks += [_failure(node, width) for node in cluster.nodes if node.failure]
    blocks += [_told(alike, rules[alike[0].rule], width, color=color) for alike in _grouped(findings)]
    blocks += ["\n".join(_wrapped(line, width, "  ") for line in node_lines(node)) for node in cluster.answered]
    blocks += [fit_lines(line, width).rstrip("\n") for line in _next(cluster, findings)]
    return "\n\n".join(blocks) + "\n"


def _next(cluster: ClusterFacts, findings: tuple[Finding, ...]) -> Iterator[str]:
    """Yield what to do after reading; a node that did not answer has its own fix."""
    worst = {finding.severity for finding in findings} & {Severity.ERROR, Severity.WARNING}
    if worst:
        yield f"next: fix what is called {'ERROR' if Severity.ERROR in worst else 'WARNING'} above, and ask again"
    elif untold := [printable(node.node) for node in cluster.answered if is_untold(node)]:
        yield f"next: what is named a node has to be one, or a copy of one's /proc, /sys and /etc: {', '.join(untold)}"
    elif cluster.answered and len(cluster.answered) == len(cluster.nodes):
        yield "next: measure what runs there: sparktune bench http://HOST:8000/v1"


def _verdict(cluster: ClusterFacts, findings: tuple[Finding, ...]) -> str:
    counts = Counter(finding.severity for finding in findings)
    found = [count_of(counts[severity], _WORDS[severity]) for severity in Severity if counts[severity]]
    asked, answered = len(cluster.nodes), len(cluster.answered)
    untold = [printable(node.node) for node in cluster.answered if is_untold(node)]
    if untold and not found:
        return f"nothing is known of {', '.join(untold)}: neither its CPUs nor its memory can be read"
    nodes = count_of(asked, "node") if asked == answered else f"{answered} of {count_of(asked, 'node')}"
    if not answered:
        return f"no answer from {count_of(asked, 'node')}"
    return f"{', '.join(found)} on {nodes}" if found else f"nothing found on {nodes}"


def _failure(node: NodeFacts, width: int) -> str:
    lines = [f"NO ANSWER  {printable(node.node)}", _wrapped(node.failure, width, _INDENT, first=_INDENT)]
    if node.hint:
        lines.append(_wrapped(f"fix: {node.hint}", width, _INDENT, first=_INDENT))
    return "\n".join(lines)


def _grouped(findings: tuple[Finding, ...]) -> list[list[Finding]]:
    """Put what is the same on several nodes together: it is read once."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        key = (finding.rule, finding.severity, finding.evidence, finding.hint, finding.file, finding.line)
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def _told(alike: list[Finding], rule: FindingRule, width: int, *, color: bool) -> str:
    finding = alike[0]
    word = _WORDS[finding.severity].upper()
    shown = f"\x1b[{_COLOURS[finding.severity]}m{word}\x1b[0m" if color else word
    where = printable(", ".join(one.node or "all nodes" for one in alike))
    head = f"{shown}{' ' * (len(_INDENT) - len(word))}{finding.rule}  {where}"
    return "\n".join((head, *(_wrapped(text, width, _INDENT, first=_INDENT) for text in _told_lines(finding, rule))))


def _told_lines(finding: Finding, rule: FindingRule) -> Iterator[str]:
    yield finding.evidence
    if finding.file is not None:
        yield f"in: {finding.file}" + (f", line {finding.line}" if finding.line is not None else "")
    yield f"why: {rule.why}"
    yield f"fix: {finding.hint}"


def _wrapped(text: str, width: int, indent: str, *, first: str = "") -> str:
    return "\n".join(fold(printable(text), width, indent=first, hang=indent))
