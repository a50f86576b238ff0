"""``sparktune place``: threads that take a fast core for nothing.

``place_app`` is the group; a further command lives in a file ``_place_NAME.py`` and is added to it in ``register``.
"""

__all__ = ["place_app", "register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._options import Json, Nodes, Quiet
from sparktune.cli._place.options import Endpoint, ServiceByName, Windows
from sparktune.cli._place.pin import pin
from sparktune.cli._place.status import status
from sparktune.cli._place.trial import trial
from sparktune.cli._place.unpin import unpin

place_app = typer.Typer(no_args_is_help=True, help="Find threads that take a fast core for nothing, and move them.")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    place_app.callback()(_group)
    place_app.command("scan", short_help="Find threads that poll while nothing is to do; change nothing.")(scan)
    place_app.command("pin", short_help="Move threads that poll to efficiency cores; later ones follow.")(pin)
    place_app.command("unpin", short_help="Give threads back the CPUs that they had.")(unpin)
    place_app.command("status", short_help="Show what is pinned, and whether it is so; change nothing.")(status)
    place_app.command("trial", short_help="Prove that moving a thread cools the node and costs no speed.")(trial)
    app.add_typer(place_app, name="place")


def _group() -> None:
    """Find threads that take a fast core for nothing, and move them."""


def scan(
    nodes: Nodes = "",
    windows: Windows = 5,
    window: Annotated[
        str, typer.Option("--window", metavar="TIME", help="How long one is; below 2s nothing is called certain.")
    ] = "2s",
    endpoint: Endpoint = "",
    service: ServiceByName = "",
    top: Annotated[
        list[Path] | None,
        typer.Option("--top", metavar="FILE", help="Judge what top -H printed, or a folder of it; may be repeated."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Watch the threads that want a core always, and say which of them poll while nothing is to do. Changes nothing.

    A thread is called certain only when requests, GPU and RDMA ports are shown to be idle and its kind or its time in
    the kernel tells it from one that computes. Ends with 0 when none was found, 3 when one polls or may, and 1 when a
    node did not answer.
    """
    from sparktune.cli._place.scan import ScanArguments, run_scan

    run_scan(
        ScanArguments(
            nodes=nodes,
            windows=windows,
            window=window,
            endpoint=endpoint,
            service=service,
            top=tuple(top or ()),
            as_json=as_json,
            quiet=quiet,
        )
    )
