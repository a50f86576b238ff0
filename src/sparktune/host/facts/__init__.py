"""One file per source of facts; each exports ``SOURCE`` and its own facts type."""

__all__ = ["all_reads", "all_sources", "read_facts"]

import sys
from functools import cache

from sparktune.model.node import FactSource, NodeFacts
from sparktune.model.reads import Read, ReadCommand, ReadFile, Readings
from sparktune.plugins import load_plugins


@cache
def all_sources() -> tuple[FactSource, ...]:
    """Return every source of facts, by the name of its file."""
    return load_plugins(sys.modules[__name__], "SOURCE", FactSource)


@cache
def all_reads() -> tuple[Read, ...]:
    """Return what a node is asked for all facts, each read once.

    Raises TypeError when two sources ask for the same thing in two ways, for which there is only one answer: a fault
    of this program.
    """
    asked: dict[tuple[type, object], Read] = {}
    for source in all_sources():
        for read in source.reads:
            if asked.setdefault((type(read), _key(read)), read) != read:
                message = f"source {source.name} asks for {_key(read)!r} in another way than the one before it"
                raise TypeError(message)
    return tuple(asked.values())


def read_facts(node_name: str, readings: Readings) -> NodeFacts:
    """Turn the answers of one node into its facts; what was not asked or not understood says so in its field."""
    return NodeFacts(node=node_name, facts={source.kind: source.parse(readings) for source in all_sources()})


def _key(read: Read) -> object:
    if isinstance(read, ReadFile):
        return read.path
    if isinstance(read, ReadCommand):
        return read.argv
    return read.pattern
