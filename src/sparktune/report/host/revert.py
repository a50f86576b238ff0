"""What was taken back, what was left because somebody else changed it, and what waits for a reboot."""

__all__ = ["revert_text", "revert_verdict", "undone_blocks"]

from collections.abc import Sequence

from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.transaction import UndoneTransaction
from sparktune.report.host.items import UNDONE_WORDS, item_lines, tally_of
from sparktune.report.host.layout import Body, Look, Tone, assembled, paint, section, wrapped
from sparktune.report.host.left import give_up_advice
from sparktune.report.host.verify import check_blocks
from sparktune.units import count_of

_INHERITED = (
    "programs that systemd started since then keep the CPUs of its CPUAffinity= until they are started again, at the "
    "latest at the next boot; no check can tell them from programs that were given these CPUs on purpose"
)
_BAD_STATES = frozenset({NodeState.INCOMPLETE, NodeState.UNKNOWN})


def revert_text(reports: Sequence[NodeReport], *, look: Look) -> str:
    """Return what reverting came to on all nodes."""
    return assembled(reports, revert_verdict, lambda report: _body(report, look), look, after=_next(reports, look))


def revert_verdict(report: NodeReport) -> tuple[str, Tone]:
    """Say in a line what reverting came to on a node."""
    steps = [step for undone in report.undone for step in undone.steps]
    if report.state in _BAD_STATES:
        words = "INCOMPLETE" if report.state is NodeState.INCOMPLETE else "UNKNOWN, the connection broke"
        return f"{words}: {tally_of(steps, UNDONE_WORDS) or 'see its journal'}", Tone.BAD
    if report.failure:
        return "not reverted", Tone.BAD
    if not report.undone:
        return "nothing to take back", Tone.GOOD
    left = any(item.outcome == "foreign" for step in steps for item in step.items.values())
    said = f"{count_of(len(report.undone), 'transaction')} taken back: {tally_of(steps, UNDONE_WORDS) or 'nothing'}"
    waiting = f"; {count_of(len(report.checks), 'state')} waiting for a reboot" if report.checks else ""
    return said + waiting, Tone.WARN if left or waiting else Tone.GOOD


def undone_blocks(undone: Sequence[UndoneTransaction], look: Look, *, why: str = "") -> list[str]:
    """Return what became of each transaction that was taken back, the last one first; ``why`` it was."""
    blocks: list[str] = []
    for one in undone:
        state = "NOT ALL IS TAKEN BACK" if one.state == "incomplete" else "taken back"
        lines = list(item_lines(one.steps, UNDONE_WORDS, look, undoing=True))
        if one.why:
            lines.insert(0, wrapped(one.why, look, "  "))
        head = f"transaction {one.transaction}{f', {why}' if why else ''}: {state}"
        blocks += section(head, lines or ["  nothing had been changed"], look)
    return blocks


def _body(report: NodeReport, look: Look) -> Body:
    waiting = check_blocks(report.checks or (), look)
    return [
        undone_blocks(report.undone, look),
        [paint("what files say, and the running system does not yet", Tone.HEAD, look), *waiting] if waiting else [],
    ]


def _next(reports: Sequence[NodeReport], look: Look) -> list[str]:
    lines = []
    if any(report.state in _BAD_STATES for report in reports):
        lines.append(f"next: mend what stands in the way, then again: {look.command('revert')}")
        lines += give_up_advice(reports, look)
    if any(report.checks for report in reports):
        lines.append(f"after the reboot: {look.command('verify')}")
    lines = lines or [f"what is applied now: {look.command('status')}"]
    inherited = any(_took_affinity_back(undone) for report in reports for undone in report.undone)
    return [*lines, _INHERITED] if inherited else lines


def _took_affinity_back(undone: UndoneTransaction) -> bool:
    """Tell whether CPUAffinity= was in force: what inherited it is not what was changed, and is not put back."""
    steps = [step for step in undone.steps if step.change == "manager-affinity" and step.kind == "file"]
    return any(item.outcome == "restored" for step in steps for item in step.items.values())
