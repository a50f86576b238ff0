"""Options that commands of ``sparktune place`` have in common."""

__all__ = ["Endpoint", "NodesOfScan", "ServiceByName", "Windows"]

from typing import Annotated

import typer

from sparktune.cli._complete import node_names, service_names

NodesOfScan = Annotated[
    str,
    typer.Option(
        "--nodes",
        "--node",
        metavar="A,B",
        help="Nodes as for scan; else those of sparktune.yaml.",
        autocompletion=node_names,
    ),
]
Windows = Annotated[int, typer.Option("--windows", min=1, max=100, help="How many windows to watch.")]
Endpoint = Annotated[
    str, typer.Option("--endpoint", metavar="URL", help="The server whose requests tell whether there was work.")
]
ServiceByName = Annotated[
    str,
    typer.Option(
        "--service", metavar="NAME", help="That server, by its name in sparktune.yaml.", autocompletion=service_names
    ),
]
