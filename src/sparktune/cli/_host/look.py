"""Put ``sparktune host plan|verify|status`` together: which nodes, the flow, the report, the exit code."""

__all__ = ["Choice", "look", "of_file", "printed", "run_plan", "run_status", "run_verify"]

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from sparktune.cli._endings import refuse_ending
from sparktune.cli._host.flags import ProfileFlags
from sparktune.cli._host.profile import profile_of
from sparktune.cli._host.progress import host_progress
from sparktune.cli._nodes import no_names, targets_of
from sparktune.cli._terminal import colour_wanted, columns
from sparktune.errors import ExitCode
from sparktune.flows.host.verbs import HostOutcome, plan_nodes, status_nodes, verify_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.io.files import check_writable
from sparktune.io.plan_file import save_plans
from sparktune.model.node_report import NodeReport
from sparktune.report.host import Look, host_json, plan_text, status_text, verify_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which nodes are meant, as they were written, and how to answer."""

    nodes: str
    roots: tuple[Path, ...]
    json: bool
    quiet: bool

    @classmethod
    def of(cls, nodes: str | None, roots: Sequence[Path] | None, *, as_json: bool, quiet: bool) -> "Choice":
        """Take the options of a command. Raises UsageError for ``--nodes ""``: an unset variable means no machine."""
        if nodes is not None and not nodes.strip():
            raise no_names(nodes)
        return cls(nodes=nodes or "", roots=tuple(roots or ()), json=as_json, quiet=quiet)

    @property
    def named(self) -> bool:
        """Whether nodes were named on the command line."""
        return bool(self.nodes or self.roots)

    def targets(self) -> tuple[NodeTarget, ...]:
        """Return the nodes. Raises UsageError."""
        return targets_of(self.nodes, self.roots)

    @property
    def where(self) -> str:
        """The flags that name the same nodes in another command."""
        flags = ["--nodes", self.nodes] if self.nodes else []
        return shlex.join([*flags, *(word for root in self.roots for word in ("--root", str(root)))])


def look(choice: Choice, flags: ProfileFlags | None = None) -> Look:
    """Return how text is shown on stdout; ``flags`` are those that the next command has to repeat."""
    profile = shlex.join(flags.words()) if flags is not None else ""
    return Look(width=columns(), color=colour_wanted(), where=choice.where, profile=profile)


def of_file(how: Look, file: Path | None) -> Look:
    """Return a look whose next command carries out the same file, where the plan is of one."""
    return replace(how, profile=shlex.join(["--plan", str(file)])) if file is not None else how


def printed(
    outcome: HostOutcome,
    choice: Choice,
    text: Callable[[Sequence[NodeReport], Look], str],
    flags: ProfileFlags | None = None,
) -> None:
    """Print what a verb came to, and leave with its exit code."""
    for note in outcome.notes:
        sys.stderr.write(f"note: {note}\n")
    if choice.json:
        sys.stdout.write(host_json(outcome.reports, verb=outcome.verb))
    else:
        sys.stdout.write(text(outcome.reports, look(choice, flags)))
    sys.stdout.flush()
    if outcome.exit_code is ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if outcome.exit_code is not ExitCode.DONE:
        raise typer.Exit(int(outcome.exit_code))


def run_plan(choice: Choice, flags: ProfileFlags, *, save: Path | None, explain: bool) -> None:
    """Print the plans of all nodes, and keep them in a file where that is wanted. Raises UsageError."""
    profile, targets = profile_of(flags), choice.targets()
    if save is not None:
        refuse_ending(save, "JSON")
        check_writable(save)
    with host_progress(quiet=choice.quiet) as tell:
        tell("", f"looking at {', '.join(target.name for target in targets)}")
        outcome = plan_nodes(targets, profile)
    kept = save if save is not None and _kept(outcome, save) else None
    if kept is not None:
        # The text ends with that command, JSON does not.
        command = of_file(look(choice), kept).command("apply", profile=True)
        sys.stderr.write(f"saved {kept}; carry it out with: {command}\n" if choice.json else f"saved {kept}\n")
    printed(outcome, choice, lambda reports, how: plan_text(reports, look=of_file(how, kept), explain=explain), flags)


def _kept(outcome: HostOutcome, path: Path) -> bool:
    plans = [report.plan for report in outcome.reports if report.plan is not None]
    if len(plans) < len(outcome.reports) or any(plan.refusals for plan in plans):
        sys.stderr.write(f"{path} was not written: not every node has a plan that can be carried out\n")
        return False
    save_plans(path, plans)
    return True


def run_verify(choice: Choice, flags: ProfileFlags) -> None:
    """Print what is effective beside what is wanted. Raises UsageError."""
    profile, targets = profile_of(flags), choice.targets()
    with host_progress(quiet=choice.quiet) as tell:
        tell("", f"looking at {', '.join(target.name for target in targets)}")
        outcome = verify_nodes(targets, profile if flags.given else None)
    printed(outcome, choice, lambda reports, how: verify_text(reports, look=how), flags)


def run_status(choice: Choice) -> None:
    """Print what the journals of the nodes say. Raises UsageError."""
    targets = choice.targets()
    with host_progress(quiet=choice.quiet) as tell:
        tell("", f"asking {', '.join(target.name for target in targets)}")
        outcome = status_nodes(targets)
    printed(outcome, choice, lambda reports, how: status_text(reports, look=how))
