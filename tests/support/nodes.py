"""Nodes for pure tests: a healthy GB10 as facts, with files and outputs of commands laid over it."""

__all__ = ["empty_node", "healthy_node", "node_over", "readings_of_node", "tree_over"]

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from posixpath import dirname, normpath

from sparktune.host.facts import all_reads, read_facts
from sparktune.host.lab.node import LabNode, node_tree
from sparktune.host.lab.tree import NodeTree
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import CommandOutput, Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks, ReadNames


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
    """Return the facts of ``tree`` after changes, as ``tree_over`` makes them."""
    whole = tree_over(tree, files=files, commands=commands)
    return read_facts(name, readings_of_node(whole, all_reads(), unreadable_paths))


def tree_over(
    tree: NodeTree,
    *,
    files: Mapping[str, str | None] | None = None,
    commands: Mapping[str, str | None] | None = None,
    links: Mapping[str, str | None] | None = None,
    reads: Iterable[Read] = (),
) -> NodeTree:
    """Return ``tree`` after changes.

    ``files``: text by path or by shell pattern of paths that are there; None takes the file away. ``commands``: what
    every command prints whose line holds the text; None takes the command away. ``links``: targets, None for no link.
    ``reads`` are asked for besides the facts, so that their commands may be changed, too.
    """
    changed, kept = dict(tree.files), dict(tree.links)
    for path, text in (files or {}).items():
        matching = fnmatch.filter([*changed, *kept], path) if set(path) & set("*[") else [path]
        for one in matching:
            if text is None:
                changed.pop(one, None)
                kept.pop(one, None)
            else:
                changed[one] = text
    printed = dict(tree.commands)
    for words, text in (commands or {}).items():
        known = [read.argv for read in (*all_reads(), *reads) if isinstance(read, ReadCommand)]
        asked = [argv for argv in known if words in " ".join(argv)]
        assert asked, f"nobody asks for {words!r}"
        for argv in asked:
            if text is None:
                printed.pop(argv, None)
            else:
                printed[argv] = text
    for link, target in (links or {}).items():
        kept.pop(link, None)
        kept |= {link: target} if target is not None else {}
    return NodeTree(files=changed, links=kept, commands=printed)


def readings_of_node(tree: NodeTree, asked: Iterable[Read], closed: tuple[str, ...] = ()) -> Readings:
    """Answer what is asked from a tree; ``closed`` are paths that nobody may read."""
    asked = tuple(asked)
    texts: dict[str, Observed[str]] = {path: present(text) for path, text in tree.files.items()}
    texts |= {path: unreadable("permission denied") for path in closed}
    for link, target in tree.links.items():
        real = normpath(f"{dirname(link)}/{target}")
        texts |= {link + path.removeprefix(real): text for path, text in texts.items() if path.startswith(f"{real}/")}
    names = _with_parents(texts) | tree.links.keys()
    every_text, every_link, every_name = _by_depth(texts), _by_depth(tree.links), _by_depth(names)
    return Readings(
        files={read.path: texts.get(read.path, absent()) for read in asked if isinstance(read, ReadFile)},
        matches={
            read.pattern: {path: texts[path] for path in _matching(read.pattern, every_text)}
            for read in asked
            if isinstance(read, ReadFiles)
        },
        links={
            read.pattern: {path: tree.links[path] for path in _matching(read.pattern, every_link)}
            for read in asked
            if isinstance(read, ReadLinks)
        },
        names={
            read.pattern: tuple(sorted(_matching(read.pattern, every_name)))
            for read in asked
            if isinstance(read, ReadNames)
        },
        commands={argv: present(CommandOutput(stdout=text, stderr="", code=0)) for argv, text in tree.commands.items()},
    )


def _with_parents(paths: Iterable[str]) -> set[str]:
    found = {"", "/"}
    for one in paths:
        path = one
        while path not in found:
            found.add(path)
            path = dirname(path)
    return found - {"", "/"}


def _by_depth(paths: Iterable[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for path in paths:
        found.setdefault(path.count("/"), []).append(path)
    return found


def _matching(pattern: str, paths: Mapping[int, list[str]]) -> Iterator[str]:
    """Yield the paths that a pattern stands for; its stars stop at slashes, so that only its own depth counts."""
    beginning = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
    matches = _compiled(pattern).fullmatch
    return (path for path in paths.get(pattern.count("/"), ()) if path.startswith(beginning) and matches(path))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))
