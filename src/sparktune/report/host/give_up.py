"""What giving up a transaction would come to, and what it came to: which items stay as they are, and their priors."""

__all__ = ["give_up_text", "to_give_up_text"]

from collections.abc import Sequence

from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.transaction import LeftItem
from sparktune.report.host.layout import Body, Look, Tone, assembled
from sparktune.report.host.left import left_section
from sparktune.report.host.revert import revert_verdict, undone_blocks
from sparktune.units import count_of


def to_give_up_text(reports: Sequence[NodeReport], *, look: Look) -> str:
    """Return what giving up a transaction would come to; its report has that transaction alone."""
    return assembled(reports, _open_verdict, lambda report: _open_body(report, look), look)


def _failed(report: NodeReport) -> list[LeftItem]:
    return [item for one in report.transactions for item in one.left if item.outcome == "failed"]


def _open_verdict(report: NodeReport) -> tuple[str, Tone]:
    if report.failure:
        return "no answer", Tone.BAD
    return f"{count_of(len(_failed(report)), 'item')} would be given up", Tone.WARN


def _open_body(report: NodeReport, look: Look) -> Body:
    title = "it is tried once more to put these back; what still cannot be put back stays as it is then, for good"
    return [left_section(title, _failed(report), look)]


def give_up_text(reports: Sequence[NodeReport], *, look: Look) -> str:
    """Return what was given up, and what could be undone after all."""
    return assembled(reports, _verdict, lambda report: _body(report, look), look, after=_next(reports, look))


def _verdict(report: NodeReport) -> tuple[str, Tone]:
    if report.failure:
        return "not given up", Tone.BAD
    if report.state is not NodeState.GIVEN_UP:
        said, tone = revert_verdict(report)
        return f"nothing had to be given up; {said}", tone
    names = ", ".join(one.id for one in report.transactions)
    return (
        f"given up: {count_of(len(_failed(report)), 'item')} of transaction {names}; it blocks nothing now",
        Tone.WARN,
    )


def _body(report: NodeReport, look: Look) -> Body:
    items = [item for one in report.transactions for item in one.left]
    return [
        undone_blocks(report.undone, look),
        left_section("stays as it is; the journal keeps what was there before", items, look),
    ]


def _next(reports: Sequence[NodeReport], look: Look) -> list[str]:
    done = all(not report.failure for report in reports)
    return [f"what is applied now: {look.command('status')}"] if done else []
