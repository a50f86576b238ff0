"""``sparktune host`` on a practice cluster of two nodes, ``spark1`` and ``spark2``."""

__all__ = ["both", "run_host", "tree_digest"]

import hashlib
from pathlib import Path

from tests.support.cli import Finished, run_sparktune

# The state of the tool itself, which stays: what was done is not forgotten because it was undone.
_OURS = ("var/lib/sparktune", "run/lock")


def both(lab: Path) -> tuple[str, str]:
    """Return the flag that names both nodes."""
    return ("--nodes", f"{lab}/spark1,{lab}/spark2")


def run_host(lab: Path, verb: str, *more: str) -> Finished:
    """Run a verb on both nodes."""
    return run_sparktune("host", verb, *both(lab), *more)


def tree_digest(root: Path) -> str:
    """Return a digest of everything in a tree that an undo has to bring back: names, kinds, modes, targets, bytes."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith(_OURS) or any(ours.startswith(name) for ours in _OURS):
            continue
        status = path.lstat()
        digest.update(f"{name}\0{status.st_mode}\0".encode())
        if path.is_symlink():
            digest.update(str(path.readlink()).encode())
        elif path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()
