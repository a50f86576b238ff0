"""Put ``sparktune host apply`` together: the plan, the questions, the flow, what each node is afterwards."""

__all__ = ["ApplyArguments", "run_apply"]

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from sparktune.cli._host.ask import agreed, check_can_ask, who
from sparktune.cli._host.flags import ProfileFlags
from sparktune.cli._host.look import Choice, look, of_file, printed
from sparktune.cli._host.profile import confirm_window, profile_of
from sparktune.cli._host.progress import host_progress
from sparktune.cli._nodes import targets_of
from sparktune.errors import ExitCode, PlanRefused, UsageError
from sparktune.flows.host.verbs import HostOutcome, OnFailure, apply_plans, plan_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.io.plan_file import load_plans
from sparktune.model.host_plan import NodePlan
from sparktune.model.node_report import NodeReport
from sparktune.model.step import IsolateStep
from sparktune.report.host import Look, apply_text, host_json, plan_text
from sparktune.units import Seconds, count_of, format_duration

_CUT_OFF_WINDOW_S: Seconds = 120.0
_ON_FAILURE: Mapping[str, OnFailure] = {"keep": "keep", "revert": "revert"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyArguments:
    """The options of the command beside those of the profile."""

    plan_file: Path | None = None
    yes: bool = False
    dry_run: bool = False
    confirm_within: str = ""
    on_failure: str = "keep"


def run_apply(choice: Choice, flags: ProfileFlags, arguments: ApplyArguments) -> None:
    """Show the plan, ask, carry it out, show what came of it. Raises UsageError and PlanRefused."""
    window_s = confirm_window(arguments.confirm_within)
    on_failure = _on_failure(arguments.on_failure)
    if not arguments.dry_run:
        check_can_ask(yes=arguments.yes)
    targets, planned = _planned(choice, flags, arguments.plan_file)
    if arguments.dry_run:
        printed(planned, choice, lambda reports, how: plan_text(reports, look=of_file(how, arguments.plan_file)), flags)
        return
    plans = {report.node: report.plan for report in planned.reports if report.plan is not None}
    pending = any(plan.steps for plan in plans.values())
    if choice.json and pending and not _against(planned):
        _show_on_stderr(planned, choice, quiet=choice.quiet or arguments.yes)
    elif not choice.json and (pending or _against(planned)):
        sys.stdout.write(plan_text(planned.reports, look=replace(look(choice), final=False)) + "\n")
        sys.stdout.flush()
    _refuse(planned, choice)
    if pending:
        _tell_window(_window(plans, window_s), quiet=choice.quiet and arguments.yes)
        plans = _asked(plans, arguments)
    with host_progress(quiet=choice.quiet) as tell:
        outcome = apply_plans(
            targets,
            plans,
            who=who(),
            confirm_within_s=_window(plans, window_s),
            on_failure=on_failure,
            on_progress=tell,
        )
    printed(outcome, choice, _text)


def _text(reports: Sequence[NodeReport], how: Look) -> str:
    return apply_text(reports, look=how)


def _on_failure(text: str) -> OnFailure:
    if text not in _ON_FAILURE:
        message = f"--on-failure {text!r} is not known"
        raise UsageError(message, hint=f"one of: {', '.join(_ON_FAILURE)}")
    return _ON_FAILURE[text]


def _planned(choice: Choice, flags: ProfileFlags, file: Path | None) -> tuple[tuple[NodeTarget, ...], HostOutcome]:
    if file is None:
        profile, targets = profile_of(flags), choice.targets()
        with host_progress(quiet=choice.quiet) as tell:
            tell("", f"looking at {', '.join(target.name for target in targets)}")
            return targets, plan_nodes(targets, profile)
    if flags.given:
        message = "--plan has a profile already: flags for another one would mean something else"
        raise UsageError(message, hint="leave them out, or make another plan: sparktune host plan ... --save FILE")
    plans = load_plans(file)
    targets = choice.targets() if choice.named else targets_of(",".join(plans), ())
    names = [target.name for target in targets]
    if sorted(names) != sorted(plans):
        message = f"{file} has plans for {', '.join(plans)}, and {', '.join(names)} are named"
        raise UsageError(message, hint="name the nodes as they were named for host plan; folders again by --root")
    reports = tuple(NodeReport(node=name, plan=plans[name]) for name in names)
    return targets, HostOutcome(verb="plan", reports=reports)


def _against(planned: HostOutcome) -> list[str]:
    return [report.node for report in planned.reports if report.failure or report.plan is None or report.plan.refusals]


def _refuse(planned: HostOutcome, choice: Choice) -> None:
    """Raise PlanRefused when a node has no plan, or one that something stands against."""
    nodes = _against(planned)
    if not nodes:
        return
    if choice.json:
        sys.stdout.write(host_json(planned.reports, verb="apply"))
        sys.stdout.flush()
    others = "; the other nodes are left as they are, too" if len(nodes) < len(planned.reports) else ""
    message = f"nothing was changed: {', '.join(nodes)} cannot be changed as asked{others}"
    raise PlanRefused(message, hint="what stands against it is said with the plan, and what would accept it")


def _show_on_stderr(planned: HostOutcome, choice: Choice, *, quiet: bool) -> None:
    if not quiet:
        sys.stderr.write(plan_text(planned.reports, look=replace(look(choice), color=False, final=False)) + "\n")


def _tell_window(window_s: Seconds | None, *, quiet: bool) -> None:
    if window_s and not quiet:
        said = f"unless it can be reached again within {format_duration(window_s)}"
        sys.stderr.write(f"each node takes it back by itself {said}\n")


def _asked(plans: Mapping[str, NodePlan], arguments: ApplyArguments) -> dict[str, NodePlan]:
    """Return the plans that were agreed to. Leaves with 3 when nothing was: then changes are still pending."""
    changing = [f"{count_of(len(plan.steps), 'step')} on {name}" for name, plan in plans.items() if plan.steps]
    if not agreed(f"Carry out {', '.join(changing)}?", yes=arguments.yes):
        sys.stderr.write("nothing was changed\n")
        raise typer.Exit(int(ExitCode.DIFFERENCES))
    isolating = [name for name, plan in plans.items() if any(isinstance(one.step, IsolateStep) for one in plan.steps)]
    question = f"And switch {', '.join(isolating)} to the new target now? This ends graphical sessions there."
    if not isolating or agreed(question, yes=arguments.yes):
        return dict(plans)
    sys.stderr.write("the target is left for the next boot\n")
    return {name: _without_isolate(plan) for name, plan in plans.items()}


def _without_isolate(plan: NodePlan) -> NodePlan:
    steps = tuple(one for one in plan.steps if not isinstance(one.step, IsolateStep))
    return replace(plan, steps=steps, profile=replace(plan.profile, isolate_now=False))


def _window(plans: Mapping[str, NodePlan], window_s: Seconds | None) -> Seconds | None:
    """Return the time for confirming: as asked for, else the standard one for plans that may cost the connection."""
    if window_s is None:
        cuts_off = any(step.cuts_off for plan in plans.values() for step in plan.steps)
        return _CUT_OFF_WINDOW_S if cuts_off else None
    return window_s or None
