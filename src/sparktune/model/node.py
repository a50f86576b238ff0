"""A node, what is known about it, and the rules that judge it."""

__all__ = ["ClusterFacts", "FactSource", "NodeFacts"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sparktune.model.reads import Read, Readings

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSource:
    """One source of facts; the constant ``SOURCE`` of one file in ``host/facts``.

    ``name`` is the key of its facts in JSON; ``reads`` what a node is asked for it; ``parse`` turns the answers into
    the file's own frozen facts type (``kind``). It is pure and raises nothing: what cannot be understood is
    UNREADABLE in the facts.
    """

    name: str
    kind: type[Any]
    reads: tuple[Read, ...]
    parse: Callable[[Readings], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """Facts of one node by their type. ``failure`` says why there are none, for a node that did not answer."""

    node: str
    facts: Mapping[type[Any], Any] = field(default_factory=dict)
    failure: str = ""
    hint: str = ""

    def get(self, kind: type[_T]) -> _T | None:
        """Return the facts of a type, or None when the node did not answer for it."""
        found = self.facts.get(kind)
        return found if isinstance(found, kind) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFacts:
    """All nodes, in the order in which they were named; those that failed too."""

    nodes: tuple[NodeFacts, ...]

    @property
    def answered(self) -> tuple[NodeFacts, ...]:
        """The nodes that can be judged."""
        return tuple(node for node in self.nodes if not node.failure)
