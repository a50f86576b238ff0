"""Exit codes are what scripts go by: 0 must mean that all is as asked."""

from dataclasses import replace

import pytest
from tests.support.plans import EVERY_STEP, plan_of

from sparktune.errors import ExitCode
from sparktune.flows.host.outcome import HostOutcome, HostVerb
from sparktune.model.host_plan import CheckStatus, HostCheck, Refusal
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.transaction import ItemResult, StepResult, TransactionOutcome, UndoneTransaction

_FINE = NodeReport(node="spark1")
_REFUSAL = Refusal(change="c", reason="r", hint="h")


def _items(*outcomes: str) -> tuple[StepResult, ...]:
    items = {f"/{place}": ItemResult(outcome=outcome) for place, outcome in enumerate(outcomes)}
    return (StepResult(step=0, kind="irq", change="irq-affinity", items=items),)


def _done(*outcomes: str) -> TransactionOutcome:
    return TransactionOutcome(transaction="1", state="committed", steps=_items(*outcomes))


def _checks(*statuses: CheckStatus) -> tuple[HostCheck, ...]:
    return tuple(HostCheck(change="c", target="t", wanted="w", effective="e", status=status) for status in statuses)


def _undone(*outcomes: str) -> tuple[UndoneTransaction, ...]:
    return (UndoneTransaction(transaction="1", state="reverted", steps=_items(*outcomes)),)


_APPLIED = NodeReport(node="s", state=NodeState.APPLIED, outcome=_done("changed", "already", "managed", "gone"))


@pytest.mark.parametrize(
    ("verb", "report", "code"),
    [
        ("plan", replace(_FINE, plan=plan_of()), ExitCode.DONE),
        ("plan", replace(_FINE, plan=plan_of(EVERY_STEP[0])), ExitCode.DIFFERENCES),
        ("plan", replace(_FINE, plan=plan_of(refusals=(_REFUSAL,))), ExitCode.DIFFERENCES),
        ("plan", replace(_FINE, failure="no way there"), ExitCode.FAILED),
        ("apply", _APPLIED, ExitCode.DONE),
        ("apply", replace(_APPLIED, checks=_checks(CheckStatus.OK, CheckStatus.PENDING_REBOOT)), ExitCode.DONE),
        ("apply", replace(_APPLIED, checks=_checks(CheckStatus.DIFFERENT)), ExitCode.DIFFERENCES),
        ("apply", replace(_APPLIED, outcome=_done("changed", "refused")), ExitCode.FAILED),
        ("apply", replace(_APPLIED, outcome=_done("ineffective")), ExitCode.FAILED),
        ("apply", replace(_FINE, state=NodeState.ROLLED_BACK), ExitCode.FAILED),
        ("apply", replace(_FINE, state=NodeState.UNKNOWN), ExitCode.FAILED),
        ("verify", replace(_FINE, checks=_checks(CheckStatus.OK)), ExitCode.DONE),
        ("verify", replace(_FINE, checks=_checks(CheckStatus.OK, CheckStatus.PENDING_REBOOT)), ExitCode.DIFFERENCES),
        ("verify", replace(_FINE, checks=_checks(CheckStatus.UNREADABLE)), ExitCode.DIFFERENCES),
        ("verify", replace(_FINE, state=NodeState.UNKNOWN, checks=_checks(CheckStatus.OK)), ExitCode.DONE),
        ("revert", replace(_FINE, state=NodeState.REVERTED, undone=_undone("restored", "void")), ExitCode.DONE),
        ("revert", replace(_FINE, state=NodeState.REVERTED, undone=_undone("foreign")), ExitCode.DIFFERENCES),
        ("revert", replace(_FINE, state=NodeState.INCOMPLETE), ExitCode.FAILED),
        ("revert", replace(_FINE, state=NodeState.GIVEN_UP), ExitCode.DIFFERENCES),
        ("status", replace(_FINE, state=NodeState.APPLIED), ExitCode.DONE),
        ("status", replace(_FINE, state=NodeState.INCOMPLETE), ExitCode.DIFFERENCES),
        ("confirm", replace(_FINE, failure="too late"), ExitCode.FAILED),
    ],
)
def test_the_worst_node_decides(verb: HostVerb, report: NodeReport, code: ExitCode) -> None:
    assert HostOutcome(verb=verb, reports=(report,)).exit_code is code
    assert HostOutcome(verb=verb, reports=(_FINE, report, _FINE)).exit_code is code


def test_what_was_interrupted_is_not_done() -> None:
    assert HostOutcome(verb="apply", reports=(_APPLIED,), interrupted=True).exit_code is ExitCode.INTERRUPTED
