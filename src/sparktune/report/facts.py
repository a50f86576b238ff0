"""Facts of nodes as plain JSON values: what is absent or unreadable is null, with a reason beside it."""

__all__ = ["plain_facts"]

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts import all_sources
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, State

_ABSENT = "not there"


def plain_facts(node: NodeFacts) -> dict[str, Any]:
    """Return the facts of a node by the name of their source; those that were handed in by their type's name."""
    names = {source.kind: source.name for source in all_sources()}
    return {names.get(kind, kind.__name__): _plain(facts) for kind, facts in node.facts.items()}


def _plain(value: Any) -> Any:  # noqa: ANN401 - any fact becomes any JSON value
    if isinstance(value, Observed):
        return _plain(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        return _record(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        return format_cpulist(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return _word(value)


def _word(value: Any) -> Any:  # noqa: ANN401 - as above
    plain = value.value if isinstance(value, Enum) else value
    return plain if isinstance(plain, str | int | float | bool | None) else str(plain)


def _record(record: Any) -> dict[str, Any]:  # noqa: ANN401 - any dataclass of facts
    """Return the fields; beside one that is null because it is not known stands ``NAME_why``."""
    found: dict[str, Any] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        found[field.name] = _plain(value)
        if isinstance(value, Observed) and value.state is not State.PRESENT:
            found[f"{field.name}_why"] = value.why or _ABSENT
    return found
