"""``sparktune place status``: what is pinned on each node, and whether it is so."""

__all__ = ["status"]


import typer

from sparktune.cli._options import Json, Quiet
from sparktune.cli._place.options import NodesOfScan


def status(
    nodes: NodesOfScan = "",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the rules and pins of each node beside the threads that are there now. Changes nothing.

    OK: the threads have their CPUs. NOT PINNED: one has others, or a pin broke off half-way. CLIPPED: a cpuset leaves
    it only some of them. WAITING: the process runs, and none of its threads was found to poll. NO PROCESS: none runs.
    Ends with 0 when all is as wanted, 3 when something differs, and 1 when a node did not answer. Only root may read
    what is applied.
    """
    import shlex
    import sys

    from sparktune.cli._host.progress import host_progress
    from sparktune.cli._nodes import targets_of
    from sparktune.cli._terminal import fitted
    from sparktune.flows.place.status import status_of_places
    from sparktune.report.place import place_status_json, place_status_text

    targets = targets_of(nodes, ())
    with host_progress(quiet=quiet) as tell:
        tell("", f"asking {', '.join(target.name for target in targets)}")
        found = status_of_places(targets)
    for note in found.notes:
        sys.stderr.write(f"note: {note}\n")
    where = shlex.join(["--nodes", nodes]) if nodes else ""
    sys.stdout.write(place_status_json(found.nodes) if as_json else fitted(place_status_text(found.nodes, where=where)))
    if found.exit_code:
        raise typer.Exit(int(found.exit_code))
