"""The whole way on made-up nodes with the real agent: plan, apply, plan again, verify and revert."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.host_trees import tree_hash, write_node
from tests.support.shared import shared
from tests.support.two_nodes import (
    CONFIG,
    FINE,
    SWAPPINESS,
    Cluster,
    two_nodes,
)

from sparktune.errors import ExitCode
from sparktune.flows.host.verbs import apply_plans, plan_nodes, revert_nodes, status_nodes, verify_nodes
from sparktune.host.lab.tree import NodeTree
from sparktune.io.plan_file import load_plans, save_plans
from sparktune.model.host_plan import CheckStatus, NodePlan
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.profile import IrqPolicy, Mode, Profile

__all__ = ["two_nodes"]

_GOOD = {CheckStatus.OK, CheckStatus.PENDING_REBOOT}


def _plans(reports: tuple[NodeReport, ...]) -> dict[str, NodePlan]:
    assert not [report.failure for report in reports if report.failure]
    return {report.node: report.plan for report in reports if report.plan is not None}


@pytest.mark.parametrize(
    "profile",
    [
        Profile(),
        Profile(mode=Mode.CLASSIC, irq=IrqPolicy.SPREAD, sysctls={"vm.swappiness": "10"}),
        Profile(mode=Mode.CLASSIC, move_running=True),
    ],
    ids=["slices", "classic", "classic, moved"],
)
def test_apply_then_revert_leaves_no_trace(cluster: Cluster, profile: Profile) -> None:
    """What an operator is promised, on two machines at once."""
    planned = plan_nodes(cluster.targets, profile)
    assert planned.exit_code is ExitCode.DIFFERENCES
    assert cluster.as_before(0), "looking changes nothing"

    applied = apply_plans(cluster.targets, _plans(planned.reports), who="me")

    assert [report.state for report in applied.reports] == [NodeState.APPLIED] * 2, applied.reports
    assert applied.exit_code in {ExitCode.DONE, ExitCode.DIFFERENCES}, applied.reports
    again = plan_nodes(cluster.targets, profile)
    assert [plan.steps for plan in _plans(again.reports).values()] == [(), ()]
    assert again.exit_code is ExitCode.DONE

    verified = verify_nodes(cluster.targets)
    wrong = [check for report in verified.reports for check in report.checks or () if check.status not in _GOOD]
    assert not wrong

    reverted = revert_nodes(cluster.targets, who="me")
    assert [report.state for report in reverted.reports] == [NodeState.REVERTED] * 2
    assert reverted.exit_code is ExitCode.DONE
    assert (cluster.as_before(0), cluster.as_before(1)) == (True, True)


def test_what_was_accepted_is_told_all_the_same(tmp_path: Path) -> None:
    """An engine in a slice that loses the performance cores is no success, whoever allowed it."""
    here = (write_node(tmp_path / "spark1"),)
    assert plan_nodes(here, Profile()).reports[0].plan.refusals  # type: ignore[union-attr]
    plans = _plans(plan_nodes(here, Profile(allow_slow=True)).reports)

    applied = apply_plans(here, plans, who="me")

    assert applied.reports[0].state is NodeState.APPLIED
    assert applied.exit_code is ExitCode.DIFFERENCES
    wrong = {check.change for check in applied.reports[0].checks or () if check.status not in _GOOD}
    assert wrong == {"container-cpuset", "fast-core-residents"}


def test_the_same_machine_has_the_same_plan(cluster: Cluster, tmp_path: Path) -> None:
    """A plan that differs from run to run cannot be compared with the one that was reviewed."""
    for name in ("one", "two"):
        plans = _plans(plan_nodes(cluster.targets, Profile()).reports)
        save_plans(tmp_path / name, tuple(plans.values()))

    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_applying_twice_changes_nothing_and_keeps_the_first_priors(cluster: Cluster) -> None:
    """Else the second apply would make our own values those that a revert brings back."""
    plans = cluster.plans(FINE, FINE)
    first = apply_plans(cluster.targets, plans, who="me")
    after = tree_hash(cluster.path(0, "/"))
    twice = {
        name: replace(plan, steps=tuple(replace(one, step=replace(one.step, expect={})) for one in plan.steps))
        for name, plan in plans.items()
    }

    second = apply_plans(cluster.targets, twice, who="me")

    assert [report.state for report in first.reports] == [NodeState.APPLIED] * 2
    assert [report.state for report in second.reports] == [NodeState.UNTOUCHED] * 2
    assert second.reports[0].notes == ("all was as wanted already, so nothing was done",)
    assert tree_hash(cluster.path(0, "/")) == after
    assert revert_nodes(cluster.targets, who="me").exit_code is ExitCode.DONE
    assert cluster.as_before(0)


def test_a_revert_brings_back_what_was_there_and_no_constants(tmp_path: Path) -> None:
    """A machine that was set up by hand before: applying twice and reverting once must give that machine back."""
    before = json.loads((shared("cases/36-revert-must-restore-prior-values") / "before.json").read_text())
    kept = {path: text for path, text in before["files"].items() if text is not None}
    values = {f"/proc/sys/{key.replace('.', '/')}": f"{before[key]}\n" for key in before if key.startswith("vm.")}
    here = (write_node(tmp_path / "spark1", over=NodeTree(files=kept | values), idle=True),)
    first = tree_hash(tmp_path / "spark1")
    for swappiness in ("1", "5"):
        profile = Profile(mode=Mode.CLASSIC, sysctls={"vm.swappiness": swappiness, "vm.vfs_cache_pressure": "200"})
        applied = apply_plans(here, _plans(plan_nodes(here, profile).reports), who="me")
        assert applied.reports[0].state is NodeState.APPLIED, applied.reports

    reverted = revert_nodes(here, who="me")

    assert reverted.exit_code is ExitCode.DONE, reverted.reports
    assert len(reverted.reports[0].undone) == 2
    assert tree_hash(tmp_path / "spark1") == first
    for path, text in (kept | values).items():
        assert (tmp_path / "spark1" / path.lstrip("/")).read_text() == text


def test_a_saved_plan_is_carried_out_as_it_was_shown(cluster: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    save_plans(file, tuple(cluster.plans(FINE, FINE).values()))

    outcome = apply_plans(cluster.targets, load_plans(file), who="me")

    assert [report.state for report in outcome.reports] == [NodeState.APPLIED] * 2
    assert cluster.path(1, CONFIG.path).read_text() == CONFIG.text


def test_a_foreign_edit_is_kept_and_reported(cluster: Cluster) -> None:
    apply_plans(cluster.targets, cluster.plans(FINE, FINE), who="me")
    cluster.path(0, CONFIG.path).write_text("vm.swappiness = 30\n")

    outcome = revert_nodes(cluster.targets, who="me")

    assert outcome.exit_code is ExitCode.DIFFERENCES
    items = [item for undone in outcome.reports[0].undone for step in undone.steps for item in step.items.items()]
    assert {path: item.outcome for path, item in items} == {CONFIG.path: "foreign", SWAPPINESS: "restored"}
    assert cluster.path(0, CONFIG.path).read_text() == "vm.swappiness = 30\n"
    assert cluster.as_before(1)


def test_there_is_nothing_to_undo_where_nothing_was_done(cluster: Cluster) -> None:
    outcome = revert_nodes(cluster.targets, who="me")

    assert [report.state for report in outcome.reports] == [NodeState.UNTOUCHED] * 2
    assert outcome.exit_code is ExitCode.DONE


def test_what_was_applied_is_what_is_verified(cluster: Cluster) -> None:
    """Without a profile the journal says which one; each node has its own."""
    profile = Profile(sysctls={"vm.swappiness": "10"}, without=("irq-affinity", "slices"), allow_slow=True)
    one = cluster.targets[:1]
    apply_plans(one, _plans(plan_nodes(one, profile).reports), who="me")

    first, second = verify_nodes(cluster.targets).reports

    assert "10" in {check.wanted for check in first.checks or ()}
    assert first.state is NodeState.APPLIED
    assert second.state is NodeState.UNTOUCHED
    assert second.notes == ("no profile is applied here: only what waits for a reboot is told",)


def test_a_profile_that_is_named_is_verified_though_nothing_is_applied(cluster: Cluster) -> None:
    outcome = verify_nodes(cluster.targets, Profile(sysctls={"vm.swappiness": "10"}))

    assert outcome.exit_code is ExitCode.DIFFERENCES
    assert any(check.status is CheckStatus.DIFFERENT for check in outcome.reports[0].checks or ())


def test_what_nobody_confirms_is_not_kept_and_what_is_confirmed_stays(cluster: Cluster) -> None:
    outcome = apply_plans(cluster.targets, cluster.plans(FINE, FINE), who="me", confirm_within_s=3600.0)

    assert [report.state for report in outcome.reports] == [NodeState.APPLIED] * 2
    journal = [report.transactions for report in status_nodes(cluster.targets).reports]
    assert [[one.state for one in transactions] for transactions in journal] == [["committed"], ["committed"]]
