"""``sparktune init``: a first sparktune.yaml from what is found."""

__all__ = ["register"]

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("init", short_help="Write a sparktune.yaml from what is found here.")(init)


def init(
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking; without a terminal nothing asks.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")] = False,
) -> None:
    """Write a commented sparktune.yaml into this folder from what is found; never over one that is there.

    Looked at: sparkrun's clusters, the names in ~/.ssh/config, and servers on this machine's ports 8000, 8080, 30000.
    """
    from sparktune.cli._init import run_init

    run_init(yes=yes, dry_run=dry_run)
