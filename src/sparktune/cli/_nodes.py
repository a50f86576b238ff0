"""Which nodes a command is about: from its flags, else from ``sparktune.yaml``, else this machine."""

__all__ = ["no_names", "targets_of"]

from collections.abc import Sequence
from pathlib import Path

from sparktune.errors import UsageError
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
