"""Every rule of ``doctor`` against nodes that differ from a healthy GB10 in what the case says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.node_cases import cluster_of
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.host.findings import all_rules, judge
from sparktune.model.finding import Finding, Severity
from sparktune.model.node import ClusterFacts, NodeFacts

_CASES = yaml_cases(Path(__file__).parent / "findings")
_RULES = {rule.id: rule for rule in all_rules()}
_EXPECT_KEYS = frozenset({"severity", "node", "evidence", "hint", "not_hint", "file", "line"})


@pytest.mark.parametrize(("rule", "case"), _CASES)
def test_finding(rule: str, case: dict[str, Any]) -> None:
    found = _RULES[rule].run(cluster_of(case))

    assert len(found) == len(case["expect"]), found
    for actual, expected in zip(found, case["expect"], strict=True):
        _compare(actual, expected)
        assert actual.rule == rule


def _compare(actual: Finding, expected: dict[str, Any]) -> None:
    refuse_unknown(expected, _EXPECT_KEYS)
    assert actual.severity == Severity(expected["severity"])
    assert actual.node == expected.get("node", actual.node)
    assert expected["evidence"] in actual.evidence
    assert expected.get("hint", "") in actual.hint
    assert expected.get("not_hint", "\0") not in actual.hint
    assert actual.file == expected.get("file", actual.file)
    assert actual.line == expected.get("line", actual.line)
    assert "\n" not in actual.evidence + actual.hint


@pytest.mark.parametrize("rule", _RULES)
def test_every_rule_has_cases_that_fire_and_that_do_not(rule: str) -> None:
    """A rule that never fires is no rule; one that always does is noise."""
    fired = [bool(param.values[1]["expect"]) for param in _CASES if param.values[0] == rule]

    assert set(fired) == {True, False}


@pytest.mark.parametrize("rule", _RULES)
def test_rules_are_silent_about_nodes_of_which_nothing_is_known(rule: str) -> None:
    unread = cluster_of({"nodes": {"a": {"base": "empty"}, "b": {"base": "empty"}}})
    gone = ClusterFacts(nodes=(NodeFacts(node="a", failure="no route"), NodeFacts(node="b")))

    assert _RULES[rule].run(unread) == ()
    assert _RULES[rule].run(gone) == ()


@pytest.mark.parametrize(("rule", "case"), [param for param in _CASES if param.values[1]["expect"]])
def test_rules_survive_facts_that_lack(rule: str, case: dict[str, Any]) -> None:
    """A source that fails on one node must not take the whole diagnosis with it."""
    cluster = cluster_of(case)
    for kind in {kind for node in cluster.nodes for kind in node.facts}:
        nodes = [
            replace(node, facts={key: facts for key, facts in node.facts.items() if key is not kind})
            for node in cluster.nodes
        ]
        for some in (tuple(nodes), (nodes[0], *cluster.nodes[1:])):
            assert len(_RULES[rule].run(ClusterFacts(nodes=some))) <= 2 * len(case["expect"]) + 1


def test_a_healthy_pair_is_well() -> None:
    """Only what is true of every GB10 is noted."""
    found = judge(cluster_of({"nodes": {"spark1": {}, "spark2": {}}}))

    assert {(finding.rule, finding.severity) for finding in found} == {("cores-mixed", Severity.INFO)}


def test_the_worst_comes_first() -> None:
    cluster = cluster_of({"system": {"earlyoom": "-m 2"}, "files": {"/proc/meminfo": "MemAvailable: 1024 kB\n"}})

    assert [finding.rule for finding in judge(cluster)] == ["memory-low", "cores-mixed", "earlyoom"]


@pytest.mark.parametrize("rule", _RULES)
def test_every_rule_says_why_and_from_where(rule: str) -> None:
    known = _RULES[rule]

    assert known.title
    assert known.why.endswith(".")
    assert known.source
    assert "speedup" not in known.why
