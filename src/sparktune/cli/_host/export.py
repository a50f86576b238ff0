"""Put ``sparktune host export --ansible DIR`` together: the plans of all nodes, as files that Ansible runs."""

__all__ = ["run_export"]

import sys
from dataclasses import replace
from pathlib import Path

from sparktune.cli._host.ask import who
from sparktune.cli._host.flags import ProfileFlags
from sparktune.cli._host.look import Choice, look
from sparktune.cli._host.profile import profile_of
from sparktune.cli._host.progress import host_progress
from sparktune.errors import PlanRefused, UsageError
from sparktune.flows.host.verbs import HostOutcome, plan_nodes
from sparktune.io.ansible_export import ansible_request, check_exportable, write_export
from sparktune.report.ansible import APPLY_PLAYBOOK, REVERT_PLAYBOOK, inventory_text
from sparktune.report.host import host_json, plan_text


def run_export(choice: Choice, flags: ProfileFlags, folder: Path) -> None:
    """Plan for all nodes and write the folder; nothing is changed. Raises UsageError and PlanRefused."""
    if flags.isolate_now or flags.move_running:
        message = "--isolate-now and --move-running are of one moment, and a playbook is run at any"
        raise UsageError(message, hint="leave them out here; sparktune host apply takes them")
    profile, targets = profile_of(flags), choice.targets()
    check_exportable(targets, folder)
    with host_progress(quiet=choice.quiet) as tell:
        tell("", f"looking at {', '.join(target.name for target in targets)}")
        outcome = plan_nodes(targets, profile)
    _show(outcome, choice)
    plans = {report.node: report.plan for report in outcome.reports if report.plan is not None}
    against = [target.name for target in targets if target.name not in plans or plans[target.name].refusals]
    if against:
        message = f"{folder} was not written: {', '.join(against)} cannot be changed as asked"
        raise PlanRefused(message, hint="what stands against it is said with the plan, and what would accept it")
    texts = {
        "inventory.yml": inventory_text({target.name: target.host for target in targets}),
        "apply.yml": APPLY_PLAYBOOK,
        "revert.yml": REVERT_PLAYBOOK,
    }
    write_export(folder, texts, {name: ansible_request(plan, who()) for name, plan in plans.items()})
    sys.stderr.write(f"wrote {folder}; run: ansible-playbook -i {folder}/inventory.yml {folder}/apply.yml\n")


def _show(outcome: HostOutcome, choice: Choice) -> None:
    if choice.json:
        sys.stdout.write(host_json(outcome.reports, verb="plan"))
    else:
        sys.stdout.write(plan_text(outcome.reports, look=replace(look(choice), final=False)))
    sys.stdout.flush()
