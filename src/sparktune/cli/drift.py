"""``sparktune drift``: whether what was earned is what files say and what runs."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(invoke_without_command=True, help=_HELP)
    group.callback()(drift)
    app.add_typer(group, name="drift", short_help="Compare what was earned with files and what runs; change nothing.")


_HELP = """Compare what was earned, what files say, what the log echoed and what is live on every node. Change nothing.

Ends with 0 when nothing has drifted, 3 when something has, and 1 when nothing is known to have but something could not
be read. What nobody earned is compared too: with its file, and with the other nodes.
"""


def drift(
    ctx: typer.Context,
    service: Annotated[str, typer.Option("--service", metavar="NAME", help="A service of sparktune.yaml.")] = "",
    launcher: Annotated[
        str, typer.Option("--launcher", metavar="NAME", help="What starts it: compose, systemd, sparkrun, script ...")
    ] = "",
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="PLACE", help="A part of it, as for ab: NODE:FILE:SERVICE, NODE:UNIT ..."),
    ] = None,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Its address, like http://localhost:8000/v1.")] = "",
    earned: Annotated[
        Path | None,
        typer.Option("--earned", metavar="FILE", help="earned.yaml here or beside sparktune.yaml unless given."),
    ] = None,
    nodes: Annotated[
        str, typer.Option("--nodes", metavar="A,B", help="Nodes to compare; else those of sparktune.yaml.")
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
