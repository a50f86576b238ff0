"""What was done on each node, and where each node stands now; no node speaks for another."""

__all__ = ["apply_text", "confirm_text"]

from collections.abc import Sequence

from sparktune.model.host_plan import CheckStatus, TakesEffect
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.report.host.items import DONE_WORDS, UNDONE_WORDS, item_lines, tally_of
from sparktune.report.host.layout import Body, Look, Tone, assembled, paint, section, wrapped
from sparktune.report.host.revert import undone_blocks
from sparktune.report.host.verify import check_blocks, checks_verdict
from sparktune.units import count_of

_STATES = {
    NodeState.UNTOUCHED: ("untouched", Tone.WARN),
    NodeState.APPLIED: ("applied", Tone.GOOD),
    NodeState.UNCONFIRMED: ("applied but UNCONFIRMED, it takes it back by itself unless confirmed", Tone.WARN),
    NodeState.ROLLED_BACK: ("ROLLED BACK, all that had been done is taken back", Tone.BAD),
    NodeState.REVERTED: ("reverted", Tone.WARN),
    NodeState.GIVEN_UP: ("given up, what could not be undone stays as it is", Tone.WARN),
    NodeState.INCOMPLETE: ("INCOMPLETE, neither as before nor as wanted", Tone.BAD),
    NodeState.UNKNOWN: ("UNKNOWN, the connection broke while it worked; its journal has the answer", Tone.BAD),
}


def _state_verdict(report: NodeReport) -> tuple[str, Tone]:
    """Say in a line where a node stands."""
    words, tone = _STATES[report.state]
    nothing = report.plan is not None and not report.plan.steps and not report.plan.refusals
    if report.state is NodeState.UNTOUCHED and nothing and not report.failure:
        return "nothing to do, all was as the profile wants it", Tone.GOOD
    outcome = report.outcome
    if outcome is not None and report.state is NodeState.ROLLED_BACK and outcome.left:
        words = "ROLLED BACK, but for what somebody else had changed"
    if outcome is not None and report.state in {NodeState.APPLIED, NodeState.UNCONFIRMED}:
        words += f": {tally_of(outcome.steps, DONE_WORDS) or 'nothing'}{_waiting(report)}"
    if outcome is not None and outcome.transaction:
        words += f" (transaction {outcome.transaction})"
    if report.state is NodeState.APPLIED and report.checks:
        said, seen = checks_verdict(report.checks)
        return (words, tone) if seen is Tone.GOOD else (f"{words}; afterwards, {said}", seen)
    return words, tone


def _waiting(report: NodeReport) -> str:
    late = [step for step in (report.plan.steps if report.plan else ()) if step.takes_effect is TakesEffect.REBOOT]
    return f"; {count_of(len(late), 'step')} of it at the next boot" if late else ""


def apply_text(reports: Sequence[NodeReport], *, look: Look) -> str:
    """Return what was done on all nodes, and what is so afterwards."""
    return assembled(reports, _state_verdict, lambda report: _body(report, look), look, after=_next(reports, look))


def confirm_text(reports: Sequence[NodeReport], *, look: Look) -> str:
    """Return where each node stands after its transaction was confirmed, or was not."""
    return assembled(reports, _confirm_verdict, lambda _: [], look)


def _confirm_verdict(report: NodeReport) -> tuple[str, Tone]:
    if report.state is NodeState.APPLIED and not report.failure:
        return "confirmed, it stays", Tone.GOOD
    words, tone = _STATES[report.state]
    return f"not confirmed: {words}", Tone.BAD if report.failure else tone


def _body(report: NodeReport, look: Look) -> Body:
    outcome = report.outcome
    done: Body = []
    if outcome is not None:
        done = [
            undone_blocks(outcome.recovered, look, why="which had not ended"),
            section("what was done", item_lines(outcome.steps, DONE_WORDS, look, undoing=False), look),
            section("what was taken back", item_lines(outcome.undone, UNDONE_WORDS, look, undoing=True), look),
        ]
    return [
        *(done or [[], [], []]),
        undone_blocks(report.undone, look),
        _looked_at(report, look),
    ]


def _looked_at(report: NodeReport, look: Look) -> list[str]:
    if not report.checks:
        return []
    verdict, _ = checks_verdict(report.checks)
    return [paint(wrapped(f"looked at again: {verdict}", look), Tone.HEAD, look), *check_blocks(report.checks, look)]


def _next(reports: Sequence[NodeReport], look: Look) -> list[str]:
    states = {report.state for report in reports}
    lines = []
    if NodeState.UNCONFIRMED in states:
        lines.append(f"to keep it (else it is taken back): {look.command('confirm')}")
    if states & {NodeState.INCOMPLETE, NodeState.UNKNOWN}:
        lines += [f"next: {look.command('status')}", f"then: {look.command('revert')}"]
        lines.append("with no controller, on the node itself: sudo python3 /var/lib/sparktune/agent.pyz revert")
    pending = any(check.status is CheckStatus.PENDING_REBOOT for one in reports for check in one.checks or ())
    if NodeState.APPLIED in states:
        when = "after the reboot" if pending else "at any time"
        lines.append(f"{when}: {look.command('verify')}")
        lines.append(f"to take it all back: {look.command('revert')}")
    return lines
