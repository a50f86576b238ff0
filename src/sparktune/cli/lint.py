"""``sparktune lint``: what is wrong in files of settings, before an engine is started."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._complete import node_names
from sparktune.cli._options import Json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("lint", short_help="Say what is wrong in compose files, recipes, units and commands.")(lint)


def lint(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Compose file, file of variables, sparkrun recipe, systemd unit, a serve command; a folder with a "
            "compose file; - for standard input.",
        ),
    ],
    node: Annotated[
        str,
        typer.Option(
            "--node",
            "--nodes",
            metavar="A,B",
            help="Ask these nodes too: a name for ssh, local, a folder (with a slash).",
            autocompletion=node_names,
        ),
    ] = "",
    root: Annotated[list[Path] | None, typer.Option("--root", metavar="DIR", help="A captured tree as a node.")] = None,
    from_folder: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Loose files of a report in the place of nodes.")
    ] = None,
    image_facts: Annotated[
        Path | None,
        typer.Option("--image-facts", metavar="FILE", help="What docker image inspect printed of the image."),
    ] = None,
    as_json: Json = False,
    fix: Annotated[bool, typer.Option("--fix", help="Make the edits that are safe, after showing them.")] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print the edits that --fix would make, and change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --fix: do not ask.")] = False,
    no_sparkrun: Annotated[
        bool, typer.Option("--no-sparkrun", help="Do not ask sparkrun about recipes, though it is installed.")
    ] = False,
) -> None:
    """Say what is wrong in files of settings, with the line, the reason and the way out. Changes nothing without --fix.

    Files are read together: what a compose file takes from .env, what a unit takes from its EnvironmentFile=. Ends with
    0 when nothing is wrong (notes do not count), 3 when there is an error or a warning, 2 when a file cannot be read.
    """
    from sparktune.cli._lint import LintWishes, run_lint

    wishes = LintWishes(as_json=as_json, fix=fix, diff=diff, yes=yes, ask_sparkrun=not no_sparkrun)
    run_lint(tuple(files), node, tuple(root or ()), from_folder, image_facts, wishes)
