"""Write the practice cluster into a folder: captured trees that commands accept as nodes, and a service to run."""

__all__ = ["LAB_PORT", "SERVICE", "write_lab"]

import sys
from pathlib import Path
from typing import Final

from sparktune.agent.protocol import command_slug
from sparktune.errors import UsageError
from sparktune.host.lab.faults import lab_nodes, readme
from sparktune.host.lab.service import service_files
from sparktune.host.lab.tree import NodeTree

SERVICE: Final = "service"
"""The service's folder beside the nodes."""

LAB_PORT: Final = 18207
_RUNNABLE: Final = 0o755


def write_lab(folder: Path, port: int = LAB_PORT) -> tuple[Path, ...]:
    """Write two nodes, a service for this machine's ``port`` and a README.md; return the nodes' folders.

    Raises UsageError, also when something is there.
    """
    if not _is_text(str(folder.resolve())):
        message = f"{str(folder)!r} is no UTF-8: files of the service name their folder"
        raise UsageError(message, hint="name a folder whose path is text")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            message = f"{folder} is there already and not an empty folder"
            raise UsageError(message, hint="name a new folder: nothing is ever overwritten")
        folder.mkdir(parents=True, exist_ok=True)
        nodes = []
        for name, tree in lab_nodes().items():
            nodes.append(folder / name)
            _write_tree(folder / name, tree)
        _write_service(folder.resolve() / SERVICE, port)
        (folder / "README.md").write_text(readme(), encoding="utf-8")
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror or error}"
        raise UsageError(message, hint="name a folder that you may write to and that has space") from None
    return tuple(nodes)


def _is_text(path: str) -> bool:
    """Tell whether a path is what a file in UTF-8 can hold: bytes that are none come as lone surrogates."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _write_tree(root: Path, tree: NodeTree) -> None:
    texts = {path.lstrip("/"): text for path, text in tree.files.items()}
    texts |= {f"commands/{command_slug(argv)}.txt": text for argv, text in tree.commands.items()}
    for path in {(root / name).parent for name in (*texts, *(link.lstrip("/") for link in tree.links))}:
        path.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")
    for link, target in tree.links.items():
        (root / link.lstrip("/")).symlink_to(target)


def _write_service(folder: Path, port: int) -> None:
    for name, text in service_files(str(folder), sys.executable, port).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "serve.sh").chmod(_RUNNABLE)
