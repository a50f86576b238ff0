"""``sparktune place unpin``: threads get back the CPUs that they had, and their rules end."""

__all__ = ["unpin"]

from typing import Annotated

import typer

from sparktune.cli._options import Json, Quiet, Yes
from sparktune.cli._place.options import NodesOfScan


def unpin(
    transaction: Annotated[
        str, typer.Argument(metavar="[TRANSACTION]", help="One of those that place status shows; else the only one.")
    ] = "",
    nodes: NodesOfScan = "",
    every: Annotated[bool, typer.Option("--all", help="All that place pin did on these nodes.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be taken back, and do nothing.")] = False,
    yes: Yes = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Take back what place pin did: the rules, and the CPUs of threads that still run. Leaves what host applied.

    What somebody else has changed since is left, and said (3). Ends with 0 when all is as before, and 1 when a node did
    not answer or not all could be taken back. sparktune host revert takes this back, too, with all else.
    """
    from sparktune.cli._place.unpin_run import UnpinArguments, run_unpin

    run_unpin(
        UnpinArguments(
            transaction=transaction,
            nodes=nodes,
            every=every,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
            quiet=quiet,
        )
    )
