"""``sparktune watch``: the nodes as they are now."""

__all__ = ["register"]

from typing import Annotated

import typer

from sparktune.cli._complete import service_names
from sparktune.cli._options import Nodes, Root


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("watch", short_help="Show the nodes live: cores, heat, memory, threads.")(watch)


def watch(
    nodes: Nodes = "",
    root: Root = None,
    interval: Annotated[float, typer.Option("--interval", min=0.2, max=60, help="Seconds between two looks.")] = 1.0,
    count: Annotated[
        int, typer.Option("--count", min=0, help="End after so many looks; 0 goes on until q or Ctrl-C.")
    ] = 0,
    service: Annotated[
        str,
        typer.Option(
            "--service",
            metavar="NAME",
            help="The service of sparktune.yaml whose engine is shown.",
            autocompletion=service_names,
        ),
    ] = "",
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Another server than the service's.")] = "",
    ask_every: Annotated[
        str, typer.Option("--ask-every", metavar="TIME", help="How often drift and doctor are asked: 5m, 1h; or never.")
    ] = "10m",
    as_json: Annotated[
        bool, typer.Option("--json", help="A JSON line per node and look, with engine, drift and findings.")
    ] = False,
) -> None:
    """Show cores by type with their load, heat, GPU, memory against the guard line, swap and the hottest threads.

    In a terminal with the extra tui: also the engine of the service, drift, what doctor found, and keys; ? lists them.
    Works over ssh in 80 columns. Without a terminal, or with --json, each look is written below the one before.
    """
    from sparktune.cli._watch import run_watch
    from sparktune.cli._watch_feeds import WatchArguments

    arguments = WatchArguments(
        nodes=nodes,
        roots=tuple(root or ()),
        interval_s=interval,
        count=count,
        service=service,
        url=url,
        ask_every=ask_every,
    )
    run_watch(arguments, as_json=as_json)
