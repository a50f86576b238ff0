"""``sparktune host``: change machines, see that they are as wanted, and take it back.

``host_app`` is the group; a further command lives in a file ``_host_NAME.py`` and is added to it in ``register``.
"""

__all__ = ["host_app", "register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._complete import node_names
from sparktune.cli._flag_group import with_flags
from sparktune.cli._host.flags import ProfileFlags
from sparktune.cli._options import Json, Quiet, Root, Yes

host_app = typer.Typer(no_args_is_help=True, help="Change machines for inference, and put them back exactly.")

Nodes = Annotated[
    str | None,
    typer.Option(
        "--nodes",
        metavar="A,B",
        help="Names for ssh, local, sparkrun:CLUSTER, or folders (with a slash). Else those of sparktune.yaml.",
        autocompletion=node_names,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    host_app.callback()(_group)
    host_app.command("plan", short_help="Say what would be changed, from what each node is; change nothing.")(plan)
    host_app.command("apply", short_help="Show the plan, ask, and carry it out.")(apply)
    host_app.command("verify", short_help="Say what is effective beside what is wanted; change nothing.")(verify)
    host_app.command("revert", short_help="Put back what was there before, unless somebody changed it since.")(revert)
    host_app.command("status", short_help="Tell what is applied, since when and by whom; change nothing.")(status)
    host_app.command("confirm", short_help="Keep what nodes would otherwise take back by themselves.")(confirm)
    host_app.command("export", short_help="Write the plan of each node as files for Ansible; change nothing.")(export)
    app.add_typer(host_app, name="host")


def _group() -> None:
    """Change machines for inference, and put them back exactly."""


@with_flags
def plan(
    nodes: Nodes = None,
    root: Root = None,
    *,
    flags: ProfileFlags,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Keep the plan for: sparktune host apply --plan FILE")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say of each change what it does and does not do, and the source.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at the nodes and say what the profile would change on each, and what stands against it. Changes nothing.

    Ends with 0 when there is nothing to do, 3 when there is, or when something stands against it, and 1 when a node did
    not answer.
    """
    from sparktune.cli._host.look import Choice, run_plan

    run_plan(Choice.of(nodes, root, as_json=as_json, quiet=quiet), flags, save=save, explain=explain)


@with_flags
def apply(
    nodes: Nodes = None,
    root: Root = None,
    *,
    flags: ProfileFlags,
    plan_file: Annotated[
        Path | None,
        typer.Option("--plan", metavar="FILE", help="Carry out what host plan --save kept, in place of the flags."),
    ] = None,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and end.")] = False,
    confirm_within: Annotated[
        str,
        typer.Option(
            "--confirm-within",
            metavar="TIME",
            help="A node takes it back by itself unless it can be reached again within this time (120s, 2m). The "
            "default is 120s for a plan that may cost the connection, else none; 0 is none.",
        ),
    ] = "",
    on_failure: Annotated[
        str,
        typer.Option(
            "--on-failure",
            metavar="keep|revert",
            help="When a node fails: leave those before it applied (keep), or revert them.",
        ),
    ] = "keep",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the plan, ask, and carry it out, one node after the other; each node keeps what was there before.

    When a node is no longer as the plan saw it nothing is changed there. A step that fails takes back all that was done
    on its node, and no further node is begun. Ends with 0 when every node is as wanted, or will be at its next boot, 3
    when something is otherwise, and 1 when a node failed or something stands against the plan.
    """
    from sparktune.cli._host.apply import ApplyArguments, run_apply
    from sparktune.cli._host.look import Choice

    arguments = ApplyArguments(
        plan_file=plan_file, yes=yes, dry_run=dry_run, confirm_within=confirm_within, on_failure=on_failure
    )
    run_apply(Choice.of(nodes, root, as_json=as_json, quiet=quiet), flags, arguments)


@with_flags
def verify(
    nodes: Nodes = None, root: Root = None, *, flags: ProfileFlags, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Say what is effective beside what is wanted: by what was applied last, or by the profile that flags describe.

    The states are OK, DIFFERENT, ABSENT, UNREADABLE and PENDING (it waits for a reboot). Ends with 0 when all are OK,
    3 when not, and 1 when a node did not answer.
    """
    from sparktune.cli._host.look import Choice, run_verify

    run_verify(Choice.of(nodes, root, as_json=as_json, quiet=quiet), flags)


@with_flags
def export(
    nodes: Nodes = None,
    *,
    ansible: Annotated[
        Path,
        typer.Option("--ansible", metavar="DIR", help="A new folder for playbooks, inventory, plans and the agent."),
    ],
    flags: ProfileFlags,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at the nodes, and write what the profile would change on each as a folder that ansible-playbook runs.

    The playbooks copy the same agent and the same plan to each node that apply would use. Changes nothing. Ends with 0
    when the folder was written, and with 1 when a node did not answer or something stands against its plan.
    """
    from sparktune.cli._host.export import run_export
    from sparktune.cli._host.look import Choice

    run_export(Choice.of(nodes, None, as_json=as_json, quiet=quiet), flags, ansible)


def revert(
    nodes: Nodes = None,
    root: Root = None,
    transaction: Annotated[
        str, typer.Option("--transaction", metavar="ID", help="Only this one (default: all that is applied).")
    ] = "",
    give_up: Annotated[
        str,
        typer.Option(
            "--give-up",
            metavar="ID",
            help="Let go of what of this incomplete transaction can never be put back, on one node: it blocks no more.",
        ),
    ] = "",
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be taken back and end.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Put back what was there before, the newest transaction first. What somebody else changed since is left, and told.

    Ends with 0 when all is as before, 3 when something was left, and 1 when a node failed. On the node itself, with no
    controller: sudo python3 /var/lib/sparktune/agent.pyz revert
    """
    from sparktune.cli._host.give_up import run_give_up
    from sparktune.cli._host.look import Choice
    from sparktune.cli._host.revert import run_revert

    if give_up:
        choice = Choice.of(nodes, root, as_json=as_json, quiet=quiet)
        run_give_up(choice, give_up, also=transaction, yes=yes, dry_run=dry_run)
        return
    run_revert(Choice.of(nodes, root, as_json=as_json, quiet=quiet), transaction, yes=yes, dry_run=dry_run)


def status(nodes: Nodes = None, root: Root = None, as_json: Json = False, quiet: Quiet = False) -> None:
    """Tell what is applied on each node, since when and by whom, and what was there before. Changes nothing.

    Ends with 0, with 3 when a transaction was left half way, and with 1 when a node did not answer. Whether all is as
    wanted is what verify ends with.
    """
    from sparktune.cli._host.look import Choice, run_status

    run_status(Choice.of(nodes, root, as_json=as_json, quiet=quiet))


def confirm(nodes: Nodes = None, root: Root = None, as_json: Json = False, quiet: Quiet = False) -> None:
    """Keep what was applied with --confirm-within and could not be confirmed at once. Ends with 1 where that failed."""
    from sparktune.cli._host.look import Choice
    from sparktune.cli._host.revert import run_confirm

    run_confirm(Choice.of(nodes, root, as_json=as_json, quiet=quiet))
