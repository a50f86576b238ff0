"""``sparktune doctor``: what is wrong with the nodes, with evidence and the fix."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._complete import node_names
from sparktune.cli._options import Root


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", short_help="Read the nodes and say what is wrong; change nothing.")(doctor)


def doctor(
    nodes: Annotated[
        str,
        typer.Option(
            "--nodes",
            metavar="A,B",
            help="Names for ssh, local, sparkrun:CLUSTER, or folders (with a slash). Else those of sparktune.yaml.",
            autocompletion=node_names,
        ),
    ] = "",
    root: Root = None,
    from_folder: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Loose files of a report (meminfo.txt, dmesg.txt ...).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (schema 1): nodes, facts, findings.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only the findings' report on stdout, nothing else.")] = False,
) -> None:
    """Read the nodes in one round trip each and say what is wrong, with evidence and the fix. Changes nothing.

    Ends with 0 when nothing is wrong (notes do not count), 3 when there is an error or a warning, 1 when a node did
    not answer.
    """
    from sparktune.cli._doctor import run_doctor

    run_doctor(nodes, tuple(root or ()), from_folder, as_json=as_json, quiet=quiet)
