"""Put ``sparktune host revert --give-up ID`` together: what would be given up, the question, what came of it."""

__all__ = ["run_give_up"]

import sys
from dataclasses import replace

import typer

from sparktune.cli._host.ask import agreed, check_can_ask, who
from sparktune.cli._host.look import Choice, look, printed
from sparktune.cli._host.progress import host_progress
from sparktune.errors import ExitCode, UsageError
from sparktune.flows.host.verbs import HostOutcome, give_up_on_node, status_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.model.node_report import NodeReport
from sparktune.report.host import give_up_text, host_json, status_text, to_give_up_text


def run_give_up(choice: Choice, transaction: str, *, also: str, yes: bool, dry_run: bool) -> None:
    """Show exactly what would be given up, ask, and do no more than that. Raises UsageError."""
    if also:
        message = "--transaction and --give-up are two wishes"
        raise UsageError(message, hint="revert first; what that leaves incomplete can be given up")
    if not dry_run:
        check_can_ask(yes=yes)
    target = _one(choice)
    with host_progress(quiet=choice.quiet) as tell:
        tell("", f"asking {target.name}")
        found = status_nodes((target,))
    if found.reports[0].failure:
        printed(found, choice, lambda reports, how: status_text(reports, look=how))
    report = _with_that_alone(found.reports[0], transaction)
    _shown(report, choice, dry_run=dry_run)
    if dry_run:
        raise typer.Exit(int(ExitCode.DIFFERENCES))
    if not agreed(f"Give it up on {target.name}?", yes=yes):
        sys.stderr.write("nothing was changed\n")
        raise typer.Exit(int(ExitCode.DIFFERENCES))
    printed(_given_up(target, report, transaction), choice, lambda reports, how: give_up_text(reports, look=how))


def _one(choice: Choice) -> NodeTarget:
    targets = choice.targets()
    if len(targets) != 1:
        message = f"a transaction is of one node, and {', '.join(target.name for target in targets)} are meant"
        raise UsageError(message, hint="name the one: --nodes NAME")
    return targets[0]


def _with_that_alone(report: NodeReport, transaction: str) -> NodeReport:
    """Return the report of the node with this transaction alone, and with nothing of its state. Raises UsageError."""
    meant = tuple(one for one in report.transactions if one.id == transaction)
    if not meant or meant[0].state != "incomplete":
        said = f"is {meant[0].state.replace('_', ' ')}, not incomplete" if meant else "is none of its transactions"
        message = f"{report.node}: {transaction} {said}"
        hint = "give up what a revert could not undo; see what there is: sparktune host status"
        raise UsageError(message, hint=hint)
    return replace(report, transactions=meant, checks=None, notes=())


def _shown(report: NodeReport, choice: Choice, *, dry_run: bool) -> None:
    if choice.json and dry_run:
        sys.stdout.write(host_json((report,), verb="revert"))
    else:
        how = look(choice)
        out = sys.stderr if choice.json else sys.stdout
        out.write(to_give_up_text((report,), look=replace(how, color=how.color and not choice.json, final=False)))
        out.write("\n")
    sys.stdout.flush()


def _given_up(target: NodeTarget, report: NodeReport, transaction: str) -> HostOutcome:
    items = [item.item for one in report.transactions for item in one.left if item.outcome == "failed"]
    return give_up_on_node(target, transaction, items=items, who=who())
