"""The YAML of compose files: safe data, and the two tags that compose knows.

Source: the compose specification, merge: in a file that is laid over another ``!override`` replaces a value instead of
merging it, ``!reset`` takes it away.

Aliases may repeat aliases: a kilobyte can stand for more values than a machine has memory for. What it stands for is
counted, part by part, before anybody walks through it.
"""

__all__ = ["UNREADABLE", "load_compose", "nodes_of_compose", "parsed_compose", "refuse_bomb", "same_data"]

import copy
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_MOST_VALUES = 100_000  # far above any compose file
# What the parser raises for texts that are no YAML, or not its kind of it
UNREADABLE = (YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError)


class _Constructor(SafeConstructor):
    """Plain values, and those of compose's tags."""


def _overriding(constructor: Any, node: Node) -> Any:  # noqa: ANN401 - of ruamel.yaml, which is not typed
    if isinstance(node, MappingNode):
        return constructor.construct_mapping(node, deep=True)
    if isinstance(node, SequenceNode):
        return constructor.construct_sequence(node, deep=True)
    if not isinstance(node, ScalarNode):
        return None
    plain = node.style is None
    tag = constructor.loader.resolver.resolve(ScalarNode, node.value, (plain, not plain))
    return constructor.construct_object(ScalarNode(tag, node.value, node.start_mark, node.end_mark, style=node.style))


def _taken_away(_constructor: Any, _node: Node) -> None:  # noqa: ANN401 - see above
    return None


_Constructor.add_constructor("!override", _overriding)
_Constructor.add_constructor("!reset", _taken_away)


def load_compose(text: str) -> Any:  # noqa: ANN401 - what the file's author wrote
    """Return a file's data. Raises one of ``UNREADABLE``."""
    return parsed_compose(text)[0]


def parsed_compose(text: str) -> tuple[Any, Any]:
    """Return a file's data and its nodes, which know where they stand. Raises one of ``UNREADABLE``."""
    yaml = _parser()
    root = yaml.compose(text)
    if root is None:
        return None, None
    _refuse_large(root)
    own = _copied(root, {})  # making data of nodes writes merges into them
    return yaml.constructor.construct_document(root), own


def nodes_of_compose(text: str) -> Any:  # noqa: ANN401 - of ruamel.yaml, which is not typed
    """Return a file's nodes, which know where they stand. Raises one of ``UNREADABLE``."""
    return _parser().compose(text)


def _copied(node: Any, known: dict[int, Any]) -> Any:  # noqa: ANN401 - of ruamel.yaml, which is not typed
    """Return a copy of nodes in which what was one is one again."""
    if id(node) not in known:
        known[id(node)] = new = copy.copy(node)
        if isinstance(node, MappingNode):
            new.value = [(_copied(key, known), _copied(value, known)) for key, value in node.value]
        elif isinstance(node, SequenceNode):
            new.value = [_copied(one, known) for one in node.value]
    return known[id(node)]


def _parser() -> YAML:
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _Constructor
    yaml.composer.warn_double_anchors = False  # YAML allows it, the later one counts
    return yaml


def refuse_bomb(text: str) -> None:
    """Raise one of ``UNREADABLE`` for a YAML text whose aliases stand for more than a machine can hold.

    For readers of their own: merges (``<<``) alone can take them hours.
    """
    if "&" in text and "*" in text:
        root = _parser().compose(text)
        if root is not None:
            _refuse_large(root)


def _refuse_large(root: Node) -> None:
    sizes: dict[int, int] = {}
    if _size(root, sizes) > _MOST_VALUES:
        message = f"its aliases stand for more than {_MOST_VALUES} values"
        raise YAMLError(message)


def _size(node: Node | None, sizes: dict[int, int]) -> int:
    """Return how many values a node stands for, with its aliases written out; each node is counted once."""
    known = sizes.get(id(node))
    if known is not None:
        return known
    sizes[id(node)] = 1  # of a node that holds itself
    if isinstance(node, MappingNode):
        parts = [part for pair in node.value for part in pair]
    else:
        parts = list(node.value) if isinstance(node, SequenceNode) else []
    total = 1 + sum(_size(part, sizes) for part in parts)
    sizes[id(node)] = min(total, _MOST_VALUES + 1)
    return sizes[id(node)]


def same_data(one: Any, other: Any) -> bool:  # noqa: ANN401 - see above
    """Whether two files say the same."""
    return _same(one, other, set())


def _same(one: Any, other: Any, seen: set[tuple[int, int]]) -> bool:  # noqa: ANN401 - see above
    """Compare data of two files; what was compared is not compared again, since aliases can nest without end."""
    if type(one) is not type(other):
        return False
    if not isinstance(one, dict | list):
        return bool(one == other)
    if (id(one), id(other)) in seen:
        return True
    seen.add((id(one), id(other)))
    if len(one) != len(other):
        return False
    if isinstance(one, dict):
        return all(key in other and _same(value, other[key], seen) for key, value in one.items())
    return all(_same(mine, theirs, seen) for mine, theirs in zip(one, other, strict=True))
