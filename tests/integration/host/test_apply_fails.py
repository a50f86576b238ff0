"""An apply that cannot be carried out: every node is left as its report says, whatever went wrong on which."""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.support.host_trees import tree_hash
from tests.support.plans import plan_of
from tests.support.two_nodes import (
    FAILS,
    FINE,
    SWAPPINESS,
    Cluster,
    two_nodes,
)

from sparktune.errors import ExitCode, PlanRefused
from sparktune.flows.host.verbs import OnFailure, apply_plans, status_nodes
from sparktune.model.host_plan import Refusal
from sparktune.model.node_report import NodeState

__all__ = ["two_nodes"]


@pytest.mark.parametrize("on_failure", ["keep", "revert"])
def test_a_failure_on_the_second_node_leaves_the_first_as_was_chosen(cluster: Cluster, on_failure: OnFailure) -> None:
    """The report says exactly what each node is, and so does the node."""
    outcome = apply_plans(cluster.targets, cluster.plans(FINE, FAILS), who="me", on_failure=on_failure)

    first, second = outcome.reports
    assert outcome.exit_code is ExitCode.FAILED
    assert second.state is NodeState.ROLLED_BACK
    assert "all was taken back" in second.failure
    assert cluster.as_before(1)
    if on_failure == "keep":
        assert first.state is NodeState.APPLIED
        assert cluster.swappiness(0) == "1"
    else:
        assert first.state is NodeState.REVERTED
        assert first.undone
        assert cluster.as_before(0)
    told = {report.node: report.state for report in status_nodes(cluster.targets).reports}
    assert told == {report.node: report.state for report in outcome.reports}, "the nodes say the same"


def test_a_failure_on_the_first_node_leaves_the_second_alone(cluster: Cluster) -> None:
    outcome = apply_plans(cluster.targets, cluster.plans(FAILS, FINE), who="me")

    first, second = outcome.reports
    assert (first.state, second.state) == (NodeState.ROLLED_BACK, NodeState.UNTOUCHED)
    assert second.notes == ("not begun: spark1 failed",)
    assert (cluster.as_before(0), cluster.as_before(1)) == (True, True)


def test_a_plan_is_void_when_the_node_has_changed(cluster: Cluster) -> None:
    """What nobody has been shown is not done."""
    plans = cluster.plans(FINE, FINE)
    cluster.path(1, SWAPPINESS).write_text("10\n")
    changed = tree_hash(cluster.path(1, "/"))

    outcome = apply_plans(cluster.targets, plans, who="me", on_failure="revert")

    first, second = outcome.reports
    assert outcome.exit_code is ExitCode.FAILED
    assert (first.state, second.state) == (NodeState.REVERTED, NodeState.UNTOUCHED)
    assert "60" in second.failure
    assert "10" in second.failure
    assert "start anew" in second.hint
    assert cluster.as_before(0)
    assert tree_hash(cluster.path(1, "/")) == changed


def test_a_plan_of_another_boot_is_void_before_any_node_is_touched(cluster: Cluster) -> None:
    plans = cluster.plans(FINE, FINE)
    cluster.path(1, "/proc/sys/kernel/random/boot_id").write_text("another\n")

    outcome = apply_plans(cluster.targets, plans, who="me")

    first, second = outcome.reports
    assert "booted again" in second.failure
    assert first.notes == ("not begun: another node cannot be changed",)
    assert cluster.as_before(0)


def test_a_plan_that_something_stands_against_is_refused_with_all_reasons(cluster: Cluster) -> None:
    refusal = Refusal(change="slices", reason="inference would suffer", hint="do this first")
    plans = {"spark1": replace(plan_of(refusals=(refusal, replace(refusal, reason="and more"))), node="spark1")}

    with pytest.raises(PlanRefused) as refused:
        apply_plans(cluster.targets, plans, who="me")

    for reason in ("spark1: slices: inference would suffer", "and more", "spark2: there is no plan"):
        assert reason in str(refused.value)
    assert "do this first" in refused.value.hint
    assert (cluster.as_before(0), cluster.as_before(1)) == (True, True)


@contextmanager
def _locked(cluster: Cluster, node: int) -> Iterator[None]:
    path = cluster.path(node, "/run/lock/sparktune.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        file.write(json.dumps({"pid": 1, "who": "ada@laptop", "what": "apply", "since": "noon"}))
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_node_that_another_one_works_on_leaves_all_nodes_alone(cluster: Cluster) -> None:
    """Two operators, two laptops: the second one is told who was first."""
    with _locked(cluster, 1):
        outcome = apply_plans(cluster.targets, cluster.plans(FINE, FINE), who="me")
        status = status_nodes(cluster.targets)

    first, second = outcome.reports
    assert outcome.exit_code is ExitCode.FAILED
    assert "ada@laptop" in second.failure
    assert (first.state, second.state) == (NodeState.UNTOUCHED, NodeState.UNTOUCHED)
    assert cluster.as_before(0)
    assert "ada@laptop" in status.reports[1].holder
