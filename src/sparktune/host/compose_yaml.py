"""The YAML of compose files: safe data, and the two tags that compose knows.

Source: the compose specification, merge: in a file that is laid over another ``!override`` replaces a value instead of
merging it, ``!reset`` takes it away.
"""

__all__ = ["UNREADABLE", "compose_yaml"]

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

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


def compose_yaml() -> YAML:
    """Return a parser; it raises one of ``UNREADABLE``."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _Constructor
    yaml.composer.warn_double_anchors = False  # YAML allows it, the later one counts
    return yaml
