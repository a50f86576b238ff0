"""``sparktune place pin``: give threads that poll the efficiency cores, and those that come after them."""

__all__ = ["pin"]

from typing import Annotated

import typer

from sparktune.cli._options import Json, Quiet, Yes
from sparktune.cli._place.options import Endpoint, NodesOfScan, ServiceByName, Windows


def pin(
    threads: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TID[@NODE]]...", help="Threads by their numbers, as place scan tells them."),
    ] = None,
    nodes: NodesOfScan = "",
    process: Annotated[str, typer.Option("--process", metavar="NAME", help="Threads of processes of this name.")] = "",
    thread: Annotated[str, typer.Option("--thread", metavar="NAME", help="Threads of this name.")] = "",
    cpus: Annotated[
        str, typer.Option("--cpus", metavar="LIST", help="These CPUs (0-4,14) instead of all efficiency cores.")
    ] = "",
    once: Annotated[
        bool, typer.Option("--once", help="Only these threads, until they end: no rule, no unit, no timer.")
    ] = False,
    accept_likely: Annotated[
        bool, typer.Option("--accept-likely", help="You know that the threads you name poll, though it is not proved.")
    ] = False,
    windows: Windows = 5,
    window: Annotated[str, typer.Option("--window", metavar="TIME", help="How long one is, as for scan.")] = "2s",
    endpoint: Endpoint = "",
    service: ServiceByName = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")] = False,
    yes: Yes = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Move threads that poll to efficiency cores, after a scan that shows it; undone by place unpin.

    Without names all threads are moved that certainly poll. A rule on the node moves the next thread of the same role
    when its process is started again. A thread that computes, or may, is never moved. Ends with 0 when all are where
    they should be, 3 when some were left or something would be done, and 1 when a node refuses or did not answer.
    """
    from sparktune.cli._place.pin_run import PinArguments, run_pin
    from sparktune.cli._place.scan import ScanArguments

    scan = ScanArguments(nodes=nodes, windows=windows, window=window, endpoint=endpoint, service=service, quiet=quiet)
    run_pin(
        PinArguments(
            scan=scan,
            threads=tuple(threads or ()),
            process=process,
            thread=thread,
            cpus=cpus,
            once=once,
            accept_likely=accept_likely,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
        )
    )
