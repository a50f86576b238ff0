"""Nodes for pure tests: a healthy GB10 as facts, with files and outputs of commands laid over it."""

__all__ = ["empty_node", "healthy_node", "node_over"]

import fnmatch
import re
from collections.abc import Iterator, Mapping
from functools import cache
from posixpath import dirname, normpath

from sparktune.host.facts import all_reads, read_facts
from sparktune.host.lab.node import LabNode, node_tree
from sparktune.host.lab.tree import NodeTree
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import CommandOutput, ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks, ReadNames


def healthy_node(last: int) -> NodeTree:
    """Return a healthy GB10 whose addresses end in ``last``."""
    return node_tree(LabNode(last=last))


def empty_node() -> NodeTree:
    """Return a node of which nothing could be read."""
    return NodeTree()


def node_over(
    name: str,
    tree: NodeTree,
    *,
    files: Mapping[str, str | None] | None = None,
    commands: Mapping[str, str | None] | None = None,
    unreadable_paths: tuple[str, ...] = (),
) -> NodeFacts:
    """Return the facts of ``tree`` after changes.

    ``files``: text by path or by shell pattern of paths that are there; None takes the file away. ``commands``: what
    every command prints whose line holds the text; None takes the command away.
    """
    changed = dict(tree.files)
    for path, text in (files or {}).items():
        matching = fnmatch.filter(changed, path) if "*" in path else [path]
        for one in matching:
            if text is None:
                changed.pop(one, None)
            else:
                changed[one] = text
    printed = dict(tree.commands)
    for words, text in (commands or {}).items():
        asked = [read.argv for read in all_reads() if isinstance(read, ReadCommand) and words in " ".join(read.argv)]
        assert asked, f"no source of facts asks for {words!r}"
        for argv in asked:
            if text is None:
                printed.pop(argv, None)
            else:
                printed[argv] = text
    whole = NodeTree(files=changed, links=tree.links, commands=printed)
    return read_facts(name, _readings(whole, unreadable_paths))


def _readings(tree: NodeTree, closed: tuple[str, ...]) -> Readings:
    texts: dict[str, Observed[str]] = {path: present(text) for path, text in tree.files.items()}
    texts |= {path: unreadable("permission denied") for path in closed}
    for link, target in tree.links.items():
        real = normpath(f"{dirname(link)}/{target}")
        texts |= {link + path.removeprefix(real): text for path, text in texts.items() if path.startswith(f"{real}/")}
    names = {parent for path in texts for parent in _parents(path)} | tree.links.keys()
    return Readings(
        files={read.path: texts.get(read.path, absent()) for read in all_reads() if isinstance(read, ReadFile)},
        matches={
            read.pattern: {path: texts[path] for path in _matching(read.pattern, texts)}
            for read in all_reads()
            if isinstance(read, ReadFiles)
        },
        links={
            read.pattern: {path: tree.links[path] for path in _matching(read.pattern, tree.links)}
            for read in all_reads()
            if isinstance(read, ReadLinks)
        },
        names={
            read.pattern: tuple(sorted(_matching(read.pattern, names)))
            for read in all_reads()
            if isinstance(read, ReadNames)
        },
        commands={argv: present(CommandOutput(stdout=text, stderr="", code=0)) for argv, text in tree.commands.items()},
    )


def _parents(path: str) -> Iterator[str]:
    while path not in {"", "/"}:
        yield path
        path = dirname(path)


def _matching(pattern: str, paths: Mapping[str, object] | set[str]) -> Iterator[str]:
    matches = _compiled(pattern).fullmatch
    return (path for path in paths if matches(path))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Turn a shell pattern into a regular one whose stars stop at slashes, as the agent's do."""
    return re.compile(fnmatch.translate(pattern).replace(".*", "[^/]*").replace("(?>[^/]*?", "(?>[^/]*?"))
