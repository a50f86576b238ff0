"""A node as text: its files, its links, and what its commands print."""

__all__ = ["NodeTree", "merge"]

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTree:
    """``files`` and ``links`` by absolute path; ``commands`` by their words: what they print, with exit code 0."""

    files: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[tuple[str, ...], str] = field(default_factory=dict)


def merge(*trees: NodeTree) -> NodeTree:
    """Lay trees over each other; the later one wins."""
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    commands: dict[tuple[str, ...], str] = {}
    for tree in trees:
        files.update(tree.files)
        links.update(tree.links)
        commands.update(tree.commands)
    return NodeTree(files=files, links=links, commands=commands)
