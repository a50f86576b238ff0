"""``sparktune guard``: the guards alone, beside any other tool."""

__all__ = ["register"]

from typing import Annotated

import typer

from sparktune.cli._flag_group import with_flags
from sparktune.cli._guard_flags import LimitFlags
from sparktune.cli._options import Nodes


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "guard",
        short_help="Watch hosts beside any other tool, and end it before it harms them.",
        context_settings={"allow_interspersed_args": False},
    )(with_flags(guard))


def guard(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND", help="What is run, and ended; without it, watch until Ctrl-C."),
    ] = None,
    nodes: Nodes = "",
    *,
    flags: LimitFlags,
    stop_engine: Annotated[
        str | None,
        typer.Option(
            "--stop-engine",
            metavar="PID|CONTAINER|URL",
            help="On a stop, end this engine of this machine, too: a process id, a container, or what listens at URL.",
        ),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option("--endpoint", metavar="URL", help="Ask this server every two seconds whether it answers."),
    ] = None,
    phase: Annotated[
        str,
        typer.Option(
            "--phase", metavar="load|starting", help="With starting, an engine is started: less is waited for."
        ),
    ] = "load",
    grace: Annotated[
        float, typer.Option("--grace", min=0.0, max=60.0, help="Seconds between SIGTERM and SIGKILL.")
    ] = 0.4,
    lost_node: Annotated[
        str,
        typer.Option("--lost-node", metavar="say|stop", help="What a node that stops answering is: said, or a stop."),
    ] = "say",
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print JSON (schema 1) at the end; the command's stdout then goes to stderr."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing while nothing is wrong.")] = False,
) -> None:
    """Look at each node twice a second. When a limit is crossed, end the command, and the engine where you named it.

    Every limit takes the word off (--temperature off). Ends with the command's own exit code, and with 4 when a guard
    stopped it.
    """
    from sparktune.cli._guard import GuardArguments, run_guard

    run_guard(
        GuardArguments(
            command=tuple(command or ()),
            nodes=nodes,
            limits=flags.given,
            stop_engine=stop_engine,
            endpoint=endpoint,
            phase=phase,
            grace_s=grace,
            lost_node=lost_node,
            as_json=as_json,
            quiet=quiet,
        )
    )
