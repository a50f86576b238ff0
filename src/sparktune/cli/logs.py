"""``sparktune logs``: what engines' logs tell, and what failed first."""

__all__ = ["register"]

from typing import Annotated

import typer

from sparktune.cli._complete import node_names, service_names
from sparktune.cli._options import Json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("logs", short_help="Say what failed first in engines' logs, why, and what they tell.")(logs)


def logs(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NODE=]FILE...",
            help="A log of each node: plain or gzip, a folder with *.log, - for standard input.",
        ),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Read what runs, or ran last, on --nodes.")] = False,
    nodes: Annotated[
        str,
        typer.Option(
            "--nodes",
            metavar="A,B",
            help="With --live: the nodes; else those of sparktune.yaml.",
            autocompletion=node_names,
        ),
    ] = "",
    service: Annotated[
        str,
        typer.Option(
            "--service", metavar="NAME", help="With --live: a service of sparktune.yaml.", autocompletion=service_names
        ),
    ] = "",
    tail: Annotated[int, typer.Option("--tail", min=1, max=200_000, help="With --live: lines of each log.")] = 20_000,
    ahead: Annotated[
        list[str] | None,
        typer.Option("--ahead", metavar="NODE=TIME", help="How far a node's clock is ahead: spark2=40s, or -3s."),
    ] = None,
    rotated: Annotated[
        bool, typer.Option("--rotated", help="Read what was rotated away from each file (.1, .2.gz ...) before it.")
    ] = False,
    facts: Annotated[bool, typer.Option("--facts", help="The verdict and every fact, nothing else.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also noise, and every line that follows.")] = False,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="The verdict alone.")] = False,
) -> None:
    """Say what failed first in time over all nodes, its cause and the way out; then what the logs tell besides.

    Changes nothing. Ends with 0 when nothing failed, 3 for a failure or a finding of an error, 1 when a part could not
    be read, 2 when nothing could.
    """
    from sparktune.cli._logs import LogsArguments, run_logs

    run_logs(
        LogsArguments(
            files=tuple(files or ()), live=live, nodes=nodes, service=service, tail=tail, ahead=tuple(ahead or ()),
            facts_only=facts, everything=everything, as_json=as_json, quiet=quiet, rotated=rotated,
        )
    )  # fmt: skip
