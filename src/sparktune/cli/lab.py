"""``sparktune lab``: a practice cluster for who has no Spark at hand."""

__all__ = ["register"]

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        no_args_is_help=True, help="A practice cluster: made-up nodes with faults to find, and a service."
    )
    group.callback()(_group)
    group.command("init", short_help="Write made-up nodes with planted faults, and a service.")(init)
    app.add_typer(group, name="lab", short_help="Practise on made-up nodes with faults, and on a service.")


def _group() -> None:
    """A practice cluster: made-up nodes with faults to find, and a service."""


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65_535, help="Where DIR/service will listen; 18207 unless given.")
    ] = None,
) -> None:
    """Write two nodes like a DGX Spark as folders, with planted faults, and a service that can be run here.

    DIR/README.md tells which. Every command takes them as nodes: sparktune doctor --nodes DIR/spark1,DIR/spark2
    """
    from sparktune.io.lab import LAB_PORT, SERVICE, write_lab

    nodes = write_lab(folder, port or LAB_PORT)
    sys.stderr.write(f"wrote {' and '.join(map(str, nodes))}; what is planted is in {folder / 'README.md'}\n")
    sys.stderr.write(f"try: sparktune doctor --nodes {','.join(f'{node.parent}/{node.name}' for node in nodes)}\n")
    story = f"cd {folder / SERVICE} && ./serve.sh start && sparktune drift"
    sys.stderr.write(f"and for a service whose setting slipped back: {story}\n")
