"""What a verb of ``host`` came to on all nodes, and the exit code that says so."""

__all__ = ["HostOutcome", "HostProgress", "HostVerb"]

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sparktune.errors import ExitCode
from sparktune.model.host_plan import CheckStatus
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.transaction import StepResult

HostVerb = Literal["plan", "apply", "confirm", "verify", "revert", "status"]
# Called with the name of a node and what is being done there: "changes", "confirms", "verifies", "undoes".
HostProgress = Callable[[str, str], None]

_NOT_DONE = frozenset({"refused", "ineffective", "failed"})
_LEFT_HALF = frozenset({NodeState.INCOMPLETE, NodeState.UNKNOWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOutcome:
    """``reports`` in the order of the nodes. ``interrupted``: Ctrl-C ended it between two nodes, or after a step.

    ``notes`` say which names are left out, since they are another one's host.
    """

    verb: HostVerb
    reports: tuple[NodeReport, ...]
    interrupted: bool = False
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """FAILED when a node does not answer or is not as asked, DIFFERENCES for what is pending or was left."""
        if self.interrupted:
            return ExitCode.INTERRUPTED
        if any(_failed(self.verb, report) for report in self.reports):
            return ExitCode.FAILED
        differs = any(_differs(self.verb, report) for report in self.reports)
        return ExitCode.DIFFERENCES if differs else ExitCode.DONE


def _failed(verb: HostVerb, report: NodeReport) -> bool:
    if report.failure:
        return True
    if verb in {"apply", "revert"}:
        return report.state in _LEFT_HALF or report.state is NodeState.ROLLED_BACK or _refused(report)
    return False


def _refused(report: NodeReport) -> bool:
    return report.outcome is not None and _has(report.outcome.steps, _NOT_DONE)


def _differs(verb: HostVerb, report: NodeReport) -> bool:
    plan = report.plan
    checks = report.checks or ()
    match verb:
        case "plan":
            return plan is not None and bool(plan.steps or plan.refusals)
        case "apply":
            # What waits for a reboot was said before and is as planned.
            return any(check.status not in {CheckStatus.OK, CheckStatus.PENDING_REBOOT} for check in checks)
        case "verify":
            return any(check.status is not CheckStatus.OK for check in checks)
        case "revert":
            left = any(_has(undone.steps, frozenset({"foreign"})) for undone in report.undone)
            return left or report.state is NodeState.GIVEN_UP
        case "status":
            return report.state in _LEFT_HALF
    return False


def _has(steps: tuple[StepResult, ...], outcomes: frozenset[str]) -> bool:
    return any(item.outcome in outcomes for step in steps for item in step.items.values())
