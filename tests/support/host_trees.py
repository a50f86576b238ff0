"""Made-up nodes to change: a healthy GB10 as a tree on disk, and a hash that tells whether a tree is what it was."""

import hashlib
import os
from pathlib import Path

from sparktune.host.lab.node import LabNode, node_tree
from sparktune.host.lab.tree import NodeTree, merge
from sparktune.io.cluster import NodeTarget
from sparktune.io.lab import _write_tree

__all__ = ["tree_hash", "write_node"]

# What a transaction keeps for itself, and where it is locked.
_OWN = ("var/lib/sparktune", "run/lock", "var/lib", "var", "run")


def write_node(folder: Path, *, last: int = 11, over: NodeTree | None = None) -> NodeTarget:
    """Write a node's tree, with ``over`` laid upon it, into a folder that is made; return it as a node of its name."""
    folder.mkdir(parents=True)
    _write_tree(folder, merge(node_tree(LabNode(last=last)), over or NodeTree()))
    return NodeTarget(name=folder.name, root=folder)


def tree_hash(folder: Path) -> str:
    """Return one hash of paths, kinds, modes, owners, contents and links below a folder, but for sparktune's own."""
    total = hashlib.sha256()
    for base, folders, files in os.walk(folder):
        folders.sort()
        here = Path(base)
        for path in (here, *(here / name for name in sorted((*files, *folders)))):
            name = str(path.relative_to(folder))
            if any(name == own or name.startswith(f"{own}/") for own in _OWN[:2]) or name in _OWN[2:]:
                continue
            status = path.lstat()
            content = b""
            if path.is_symlink():
                content = os.fsencode(path.readlink())
            elif path.is_file():
                content = path.read_bytes()
            total.update(f"{name} {status.st_mode:o} {status.st_uid} {status.st_gid} {len(content)} ".encode())
            total.update(content)
    return total.hexdigest()
