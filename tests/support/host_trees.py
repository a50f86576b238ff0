"""Made-up nodes to change: a healthy GB10 as a tree on disk, and a hash that tells whether a tree is what it was."""

import hashlib
import os
from pathlib import Path

from sparktune.host.lab.engine import Engine, engine_tree
from sparktune.host.lab.node import LabNode, node_tree
from sparktune.host.lab.tree import NodeTree, merge
from sparktune.io.cluster import NodeTarget
from sparktune.io.lab import _write_tree

__all__ = ["tree_hash", "write_node"]

# What a transaction keeps for itself, and where it is locked.
_OWN = ("var/lib/sparktune", "run/lock", "var/lib", "var", "run")


_PID_1_STAT = "1 (systemd) S 0 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 3"
_PID_1 = NodeTree(
    files={
        "/proc/1/task/1/stat": f"{_PID_1_STAT} 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
        "/proc/1/task/1/status": "Name:\tsystemd\nCpus_allowed_list:\t0-19\n",
        "/proc/1/cgroup": "0::/init.scope\n",
    }
)


def write_node(folder: Path, *, last: int = 11, over: NodeTree | None = None, idle: bool = False) -> NodeTarget:
    """Write a node's tree, with ``over`` laid upon it, into a folder that is made; return it as a node of its name.

    An engine runs there in a container with the performance cores as its cpuset; an ``idle`` one has PID 1 only.
    """
    folder.mkdir(parents=True)
    whole = node_tree(LabNode(last=last))
    base = merge(_without_engine(whole), _PID_1) if idle else whole
    _write_tree(folder, merge(base, over or NodeTree()))
    return NodeTarget(name=folder.name, root=folder)


def _without_engine(whole: NodeTree) -> NodeTree:
    engine = engine_tree(Engine())
    files = {path: text for path, text in whole.files.items() if path not in engine.files}
    # The GPU names its processes, too.
    silent = {argv for argv, text in whole.commands.items() if argv in engine.commands or "VLLM" in text}
    commands = {argv: "" if argv in silent else text for argv, text in whole.commands.items()}
    return NodeTree(files=files, links=whole.links, commands=commands)


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
