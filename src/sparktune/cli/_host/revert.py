"""Put ``sparktune host revert|confirm`` together: what there is, the question, the flow, what became of it."""

__all__ = ["run_confirm", "run_revert"]

import sys
from dataclasses import replace

import typer

from sparktune.cli._host.ask import agreed, check_can_ask, who
from sparktune.cli._host.look import Choice, look, printed
from sparktune.cli._host.progress import host_progress
from sparktune.errors import ExitCode
from sparktune.flows.host.verbs import HostOutcome, confirm_nodes, revert_nodes, status_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.model.transaction import Transaction
from sparktune.report.host import confirm_text, host_json, revert_text, status_text

_TO_UNDO = frozenset({"open", "committed", "unconfirmed", "incomplete"})


def run_revert(choice: Choice, transaction: str, *, yes: bool, dry_run: bool) -> None:
    """Say what is applied, ask, and take it back. Raises UsageError."""
    if not dry_run:
        check_can_ask(yes=yes)
    targets = choice.targets()
    if dry_run or not yes:
        _shown_first(choice, _status(choice, targets), transaction, dry_run=dry_run)
        names = ", ".join(target.name for target in targets)
        what = f"transaction {transaction}" if transaction else "all of this"
        if not agreed(f"Take back {what} on {names}?", yes=False):
            sys.stderr.write("nothing was changed\n")
            raise typer.Exit(int(ExitCode.DIFFERENCES))
    with host_progress(quiet=choice.quiet) as tell:
        outcome = revert_nodes(targets, who=who(), transaction=transaction, on_progress=tell)
    printed(outcome, choice, lambda reports, how: revert_text(reports, look=how))


def _status(choice: Choice, targets: tuple[NodeTarget, ...]) -> HostOutcome:
    with host_progress(quiet=choice.quiet) as tell:
        tell("", f"asking {', '.join(target.name for target in targets)}")
        return status_nodes(targets)


def _shown_first(choice: Choice, found: HostOutcome, transaction: str, *, dry_run: bool) -> None:
    """Print what would be taken back; with ``dry_run``, or when there is nothing, leave: 3 when there is something."""
    reports = [
        replace(report, transactions=tuple(one for one in report.transactions if _meant(one, transaction)))
        for report in found.reports
    ]
    any_left = any(report.transactions for report in reports)
    failed = any(report.failure for report in reports)
    if choice.json and dry_run:
        sys.stdout.write(host_json(reports, verb="revert"))
    elif not choice.json:
        sys.stdout.write(status_text(reports, look=replace(look(choice), final=False)))
        sys.stdout.flush()
    if dry_run or not (any_left or failed):
        sys.stderr.write("" if choice.quiet else "nothing was changed\n")
        code = ExitCode.FAILED if failed else ExitCode.DIFFERENCES if any_left else ExitCode.DONE
        raise typer.Exit(int(code))


def _meant(one: Transaction, transaction: str) -> bool:
    return one.state in _TO_UNDO and (not transaction or one.id == transaction)


def run_confirm(choice: Choice) -> None:
    """Confirm what waits for it. Raises UsageError."""
    targets = choice.targets()
    found = _status(choice, targets)
    waiting = {
        report.node: one.id
        for report in found.reports
        for one in report.transactions
        if one.state == "unconfirmed" and not report.failure
    }
    if not waiting:
        sys.stderr.write("nothing waits for a confirmation\n")
        printed(found, choice, lambda reports, how: status_text(reports, look=how))
        return
    asked = tuple(target for target in targets if target.name in waiting)
    printed(confirm_nodes(asked, waiting), choice, lambda reports, how: confirm_text(reports, look=how))
