"""What ``host`` came to as JSON, schema 1: the same members for every verb, so that a script reads one shape."""

__all__ = ["host_json"]

import json
from collections.abc import Sequence
from typing import Any

from sparktune.model.host_plan import HostCheck, NodePlan, PlannedStep, Refusal
from sparktune.model.node_report import NodeReport
from sparktune.model.transaction import Transaction, TransactionOutcome
from sparktune.report.records import plain_record
from sparktune.units import NS_PER_S


def host_json(reports: Sequence[NodeReport], *, verb: str) -> str:
    """Return a node per report.

    ``steps`` and ``checks`` are always lists; ``planned`` and ``verified`` say whether anybody looked, so that an empty
    list of a node that was not asked is not taken for a good answer.
    """
    document = {"schema": 1, "verb": verb, "nodes": [_node(report) for report in reports]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _node(report: NodeReport) -> dict[str, Any]:
    plan = report.plan
    return {
        "node": report.node,
        "error": report.failure or None,
        "hint": report.hint or None,
        "state": report.state.value,
        "planned": plan is not None,
        **_plan(plan),
        "notes": [*(plan.notes if plan is not None else ()), *report.notes],
        "verified": report.checks is not None,
        "checks": [_check(check) for check in report.checks or ()],
        "outcome": _outcome(report.outcome),
        "undone": [plain_record(undone) for undone in report.undone],
        "transactions": [_transaction(one) for one in report.transactions],
        "holder": report.holder or None,
    }


def _plan(plan: NodePlan | None) -> dict[str, Any]:
    return {
        "profile": plain_record(plan.profile) if plan is not None else None,
        "steps": [_step(step) for step in plan.steps] if plan is not None else [],
        "refusals": [_refusal(refusal) for refusal in plan.refusals] if plan is not None else [],
    }


def _step(step: PlannedStep) -> dict[str, Any]:
    return {
        "change": step.change,
        "target": step.target,
        "from": step.before,
        "to": step.after,
        "takes_effect": step.takes_effect.value,
        "cuts_off": step.cuts_off,
        "diff": step.diff or None,
    }


def _refusal(refusal: Refusal) -> dict[str, Any]:
    return {
        "change": refusal.change,
        "reason": refusal.reason,
        "hint": refusal.hint,
        "evidence": list(refusal.evidence),
        "allow": refusal.allow or None,
    }


def _check(check: HostCheck) -> dict[str, Any]:
    return {
        "change": check.change,
        "target": check.target,
        "wanted": check.wanted,
        "effective": check.effective,
        "status": check.status.value,
        "why": check.why,
    }


def _outcome(outcome: TransactionOutcome | None) -> dict[str, Any] | None:
    return {**plain_record(outcome), "failed": outcome.failed or None} if outcome is not None else None


def _transaction(one: Transaction) -> dict[str, Any]:
    times = {"began_s": one.began_ns, "ended_s": one.ended_ns, "confirm_by_s": one.confirm_by_ns}
    record = plain_record(one)
    for name in ("began_ns", "ended_ns", "confirm_by_ns"):
        del record[name]
    return {**record, **{name: value / NS_PER_S if value else None for name, value in times.items()}}
