"""``sparktune drift``: whether what was earned is what files say and what runs."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._complete import node_names, service_names
from sparktune.cli._options import Yes

_Service = Annotated[
    str, typer.Option("--service", metavar="NAME", help="A service of sparktune.yaml.", autocompletion=service_names)
]
_Launcher = Annotated[
    str, typer.Option("--launcher", metavar="NAME", help="What starts it: compose, systemd, sparkrun or script.")
]
_Where = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="PLACE", help="A part of it, as for ab: NODE:FILE:SERVICE, NODE:UNIT ..."),
]
_Url = Annotated[str, typer.Option("--url", metavar="URL", help="Its address, like http://localhost:8000/v1.")]
_Earned = Annotated[
    Path | None,
    typer.Option("--earned", metavar="FILE", help="earned.yaml here or beside sparktune.yaml unless given."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(invoke_without_command=True, help=_HELP)
    group.callback()(drift)
    group.command(
        "restore",
        short_help="Set a value that was earned again, and see it live.",
        context_settings={"ignore_unknown_options": True},  # a setting may be called --max-num-seqs
    )(restore)
    app.add_typer(group, name="drift", short_help="Find where files and what runs part from what was earned.")


_HELP = """Compare what was earned, what files say, what the log echoed and what is live on every node; change nothing.

Ends with 0 when nothing has drifted, 3 when something has, and 1 when nothing is known to have but something could not
be read. What nobody earned is compared too: with its file, and with the other nodes.
`sparktune drift restore KEY` puts back what was earned.
"""


def drift(
    ctx: typer.Context,
    service: _Service = "",
    launcher: _Launcher = "",
    where: _Where = None,
    url: _Url = "",
    earned: _Earned = None,
    nodes: Annotated[
        str,
        typer.Option(
            "--nodes", metavar="A,B", help="Nodes to compare; else those of sparktune.yaml.", autocompletion=node_names
        ),
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Also what nobody earned and is as its file says.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again and again, and say when something changes.")
    ] = False,
    every: Annotated[str, typer.Option("--every", metavar="TIME", help="How often --watch looks.")] = "60s",
    json_output: Annotated[
        bool, typer.Option("--json", help="Print JSON (schema 1); a line each with --watch.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="The verdict alone, and nothing where all is well.")] = False,
) -> None:
    """Compare what was earned with files and what runs."""
    if ctx.invoked_subcommand is not None:
        return
    from sparktune.cli._drift import DriftArguments, run_drift

    run_drift(
        DriftArguments(
            service=service, launcher=launcher, where=tuple(where or ()), url=url, earned=earned, nodes=nodes,
            everything=everything, watch=watch, every=every, as_json=json_output, quiet=quiet,
        )
    )  # fmt: skip


def restore(
    key: Annotated[
        str,
        typer.Argument(metavar="KEY", help="A setting that was earned: env.NAME, its knob, a flag or a run's id."),
    ] = "",
    service: _Service = "",
    launcher: _Launcher = "",
    where: _Where = None,
    url: _Url = "",
    earned: _Earned = None,
    nodes: Annotated[
        str,
        typer.Option("--nodes", metavar="A,B", help="The machines that its parts are on.", autocompletion=node_names),
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan, and change nothing.")] = False,
    yes: Yes = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back what a restore that was killed has left.")] = False,
) -> None:
    """Edit the files to the value that was earned, start the service anew, and see it live on every node.

    The plan is shown first: every edit, the commands in their order, what it costs. A value that cannot be seen inside
    the serving process is taken back: files byte for byte, the service as before. Ends with 0 when it is live, 1 when
    it was taken back. What is set on a running machine (sysctl, affinity) is for: sparktune host apply.
    """
    from sparktune.cli._drift import DriftArguments
    from sparktune.cli._drift_restore import RestoreArguments, run_restore

    drift_arguments = DriftArguments(
        service=service, launcher=launcher, where=tuple(where or ()), url=url, earned=earned, nodes=nodes
    )
    run_restore(RestoreArguments(key=key, drift=drift_arguments, yes=yes, dry_run=dry_run, undo=undo))
