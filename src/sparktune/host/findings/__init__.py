"""One file per finding of ``doctor``; each exports ``FINDING``. ``judge`` asks them all."""

__all__ = ["all_rules", "judge"]

import sys

from sparktune.model.finding import Finding, FindingRule, Severity
from sparktune.model.node import ClusterFacts
from sparktune.plugins import load_plugins

_WORST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def all_rules() -> tuple[FindingRule, ...]:
    """Return every rule, by id."""
    return tuple(sorted(load_plugins(sys.modules[__name__], "FINDING", FindingRule), key=lambda rule: rule.id))


def judge(cluster: ClusterFacts) -> tuple[Finding, ...]:
    """Return the findings of all rules: the worst first, then by rule, then in the order of the nodes."""
    order = {node.node: place for place, node in enumerate(cluster.nodes)}
    found = [finding for rule in all_rules() for finding in rule.run(cluster)]
    return tuple(
        sorted(
            found,
            key=lambda one: (_WORST_FIRST.index(one.severity), one.rule, order.get(one.node or "", -1), one.evidence),
        )
    )
