"""``sparktune render``: the environment of one node, for a container that is started by hand."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated, Literal

import typer

from sparktune.cli._options import Json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("render", short_help="Print what a container on one node needs: interfaces, RDMA, limits.")(render)


def render(
    node: Annotated[
        str,
        typer.Option("--node", metavar="NAME", help="A name for ssh, local, or a folder (with a slash)."),
    ] = "",
    root: Annotated[Path | None, typer.Option("--root", metavar="DIR", help="A captured tree as the node.")] = None,
    from_folder: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="Loose files of a report; with --node where they are of several."),
    ] = None,
    form: Annotated[
        Literal["docker", "env"],
        typer.Option("--as", help="docker: options in a bash array; env: a file for --env-file."),
    ] = "docker",
    gid: Annotated[
        Literal["unset", "resolve"],
        typer.Option("--gid", help="Leave NCCL_IB_GID_INDEX unset, or look up what it is now."),
    ] = "unset",
    as_json: Json = False,
) -> None:
    """Print the environment of one node for a container that no launcher starts. Changes nothing.

    That is: socket interfaces, RDMA devices that have an address, the GID index, memlock and /dev/infiniband. What is
    not known, or better left unset, is a comment that says why. Every node has its own: never copy one from another.
    """
    from sparktune.cli._render import run_render

    run_render(node, root, from_folder, form=form, gid=gid, as_json=as_json)
