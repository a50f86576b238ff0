"""Put ``sparktune place unpin`` together: what is pinned, which of it is meant, the question, what became of it."""

__all__ = ["UnpinArguments", "run_unpin"]

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import typer

from sparktune.cli._host.ask import agreed, check_can_ask, who
from sparktune.cli._host.progress import host_progress
from sparktune.cli._nodes import each_apart, targets_of
from sparktune.cli._terminal import colour_wanted, columns, fitted
from sparktune.errors import ExitCode, NodeUnreachable, UsageError
from sparktune.flows.place.status import PlaceStatus, status_of_places
from sparktune.flows.place.unpin import unpin_all
from sparktune.io.cluster import NodeTarget
from sparktune.report.host import Look, host_json, revert_text
from sparktune.report.place import place_status_json, place_status_text
from sparktune.units import count_of


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpinArguments:
    """The flags as they were given."""

    transaction: str = ""
    nodes: str = ""
    every: bool = False
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False
    quiet: bool = False


def run_unpin(arguments: UnpinArguments) -> None:
    """Show what is pinned, ask, and take it back. Raises UsageError, and NodeUnreachable for a node without answer."""
    if arguments.every and arguments.transaction:
        message = "--all and a transaction are two ways to say what is taken back"
        raise UsageError(message, hint="give one of them")
    if not arguments.dry_run:
        check_can_ask(yes=arguments.yes)
    targets = targets_of(arguments.nodes, ())
    each_apart(targets)
    with host_progress(quiet=arguments.quiet) as tell:
        tell("", f"asking {', '.join(target.name for target in targets)}")
        found = status_of_places(targets)
    wanted = _meant(found, arguments)
    any_meant = any(wanted.values())
    if arguments.dry_run or not any_meant:
        shown = place_status_json(found.nodes) if arguments.as_json else place_status_text(found.nodes, final=False)
        sys.stdout.write(shown)
        raise typer.Exit(int(ExitCode.DIFFERENCES if any_meant else ExitCode.DONE))
    if not arguments.as_json:
        sys.stdout.write(fitted(place_status_text(found.nodes, final=False)))
        sys.stdout.flush()
    number = count_of(sum(len(names) for names in wanted.values()), "transaction")
    if not agreed(f"Take back {number} on {', '.join(name for name in wanted if wanted[name])}?", yes=arguments.yes):
        sys.stderr.write("nothing was changed\n")
        raise typer.Exit(int(ExitCode.DIFFERENCES))
    _carried_out([target for target in targets if wanted[target.name]], wanted, arguments)


def _carried_out(targets: Sequence[NodeTarget], wanted: Mapping[str, Sequence[str]], arguments: UnpinArguments) -> None:
    with host_progress(quiet=arguments.quiet) as tell:
        outcome = unpin_all(targets, wanted, who=who(), on_progress=tell)
    where = shlex.join(["--nodes", arguments.nodes]) if arguments.nodes else ""
    look = Look(width=columns(), color=colour_wanted(), where=where, final=False)
    said = host_json(outcome.reports, verb="unpin") if arguments.as_json else revert_text(outcome.reports, look=look)
    sys.stdout.write(said)
    sys.stdout.flush()
    if outcome.exit_code is ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if outcome.exit_code is not ExitCode.DONE:
        raise typer.Exit(int(outcome.exit_code))


def _meant(found: PlaceStatus, arguments: UnpinArguments) -> Mapping[str, Sequence[str]]:
    """Return the transactions to take back by node, the newest first; what broke off half-way goes with any."""
    for node in found.nodes:
        if node.failure:
            raise NodeUnreachable(node.failure, hint=node.hint)
    broken = {node.node: list(reversed(node.unended)) for node in found.nodes}
    names = {node.node: [one.transaction.id for one in reversed(node.pinned)] for node in found.nodes}
    if arguments.transaction:
        chosen = {
            node: [name for name in (*broken[node], *held) if name == arguments.transaction]
            for node, held in names.items()
        }
        if not any(chosen.values()):
            message = f"place pin has no transaction {arguments.transaction} on {', '.join(names)}"
            raise UsageError(message, hint="see which there are: sparktune place status")
        return chosen
    if not arguments.every and any(len(held) > 1 for held in names.values()):
        several = "; ".join(f"{node}: {', '.join(held)}" for node, held in names.items() if held)
        message = f"there are several transactions of place pin ({several})"
        raise UsageError(message, hint="name one, or take back all of them: --all")
    return {node: [*broken[node], *held] for node, held in names.items()}
