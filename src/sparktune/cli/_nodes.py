"""Which nodes a command is about: from its flags, else from ``sparktune.yaml``, else this machine."""

__all__ = ["each_apart", "each_once", "no_names", "targets_of"]

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from sparktune.cli._waiting import waiting_said
from sparktune.errors import UsageError
from sparktune.flows.one_host import refuse_twins, shown_once
from sparktune.io.cluster import NodeTarget, find_nodes
from sparktune.io.config import find_config, load_config


def no_names(nodes: str) -> UsageError:
    """Return the error of nodes that were named, but are none: taking the usual ones would be a surprise."""
    message = f"--nodes {nodes!r} names no node"
    return UsageError(message, hint="write --nodes spark1,spark2; leave it out for those of sparktune.yaml")


def targets_of(nodes: str, roots: Sequence[Path]) -> tuple[NodeTarget, ...]:
    """Return the nodes of ``--nodes A,B`` or ``--root DIR``, else the file's, else this machine. Raises UsageError."""
    if nodes and roots:
        message = "--nodes and --root are two ways to say which nodes are meant"
        raise UsageError(message, hint="give one of them; --nodes takes folders too: --nodes ./spark1,spark2")
    if roots:
        return find_nodes([f"{root}/" for root in roots], None)
    names = [name.strip() for name in nodes.split(",") if name.strip()]
    if nodes and not names:
        raise no_names(nodes)
    path = find_config(Path.cwd())
    return find_nodes(names, load_config(path) if path is not None else None)


def each_apart(targets: Sequence[NodeTarget]) -> None:
    """Raise UsageError where two of the nodes are one host: for what changes them."""
    with waiting_said():
        asyncio.run(refuse_twins(targets))


def each_once(targets: Sequence[NodeTarget]) -> tuple[NodeTarget, ...]:
    """Return each host once, and note on stderr which name is left out: for what only looks at them."""
    with waiting_said():
        found, notes = asyncio.run(shown_once(targets))
    for note in notes:
        sys.stderr.write(f"note: {note}\n")
    return found
